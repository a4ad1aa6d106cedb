"""Reads the JSON export of hdl-kgraph, another builder of such graphs."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from hdlgraph.eval.structural.compare import Key, empty

WAYS = {"input": "load", "output": "driver", "inout": "inout", "interface": "interface"}
KEPT = 0.6
"""The confidence that it gives to what stands in one of several branches of an `ifdef."""


def facts_of_other(export: Path, bodies: Collection[Key]) -> dict[str, dict[Any, Any]]:
    """Returns what the export says of some units, as `compare.facts_of` does.

    Args:
        export: what `hdl-kgraph export --format json` wrote.
        bodies: the units, each its path and name.
    """
    data = json.loads(export.read_text("utf-8"))
    nodes = {one["id"]: one for one in data["nodes"]}
    wanted, found = set(bodies), empty()
    key_of: dict[str, Key] = {}
    for one in data["nodes"]:
        if one["kind"] == "instance":
            unit, _, name = one["qualified_name"].rpartition(".")
            where = (one["file"], unit.partition(".")[0])
            if where in wanted:
                key_of[one["id"]] = (*where, name)
                found["instances"].setdefault((*where, name), {})[one["id"]] = []
    for edge in sorted(data["links"], key=lambda one: -one["confidence"]):
        key, target = key_of.get(edge["source"]), nodes.get(edge["target"])
        if key is None or target is None:
            continue
        path, name = target["file"], target["name"]
        if edge["kind"] == "instantiates":
            found["instances"][key][edge["source"]].append((path, name))
            if edge["confidence"] > KEPT:
                found["sure"][key] = True
        elif edge["kind"] == "parameterizes":
            found["overrides"].setdefault((*key, name), set()).add(path)
        elif edge["kind"] == "connects" and target["kind"] == "port":
            way = WAYS.get(json.loads(target["attrs_json"]).get("direction", ""), "")
            found["connections"].setdefault((*key, name, way), set()).add(path)
    return found
