"""What an elaboration did, as its command and its JSON object report it."""

from __future__ import annotations

from typing import Any

from hdlgraph.query.elaborated.view import SCHEMA, View
from hdlgraph.store.design.elaborated import Said

MAX_MESSAGES, DIFFERENCES = 50, 50
"""Errors, warnings and differences of each kind that a report lists."""


def report(view: View) -> dict[str, Any]:
    """Returns the report of a configuration; `files` are in the order of compilation."""
    found, result = view.found, view.found.result
    kinds = sorted({one.kind for one in found.differences})
    listed = {kind: [one for one in found.differences if one.kind == kind] for kind in kinds}
    return {
        "schema": SCHEMA,
        **head(view),
        "files": [path for path, _ in found.files[: found.sources]],
        "headers": [path for path, _ in found.files[found.sources :]],
        "units": len(result.units),
        "forms": len(result.bodies),
        "drivers": sum(len(body.driven) for body in result.bodies),
        "near_top": found.near_top,
        "codes": result.codes,
        "said": [_message(one) for one in _first(result.said)],
        "missing": [
            {"kind": kind, "name": name, "location": place} for kind, name, place in found.missing
        ],
        "stand_ins": [
            {"name": name, "location": place} for name, place in sorted(found.stand_ins.items())
        ],
        "differences": {kind: len(some) for kind, some in listed.items()},
        "differing": [
            {
                "kind": one.kind,
                "name": one.name,
                "location": one.place,
                "graph": one.graph,
                "elaborated": one.elaborated,
            }
            for some in listed.values()
            for one in some[:DIFFERENCES]
        ],
        "truncated": result.truncated,
        "seconds": result.seconds,
        "memory_mb": result.memory_mb,
    }


def head(view: View) -> dict[str, Any]:
    """Returns what a list of configurations shows of one."""
    found, result = view.found, view.found.result
    return {
        "name": found.name,
        "tops": [
            {"name": name, "location": f"{view.unit(body).path}:{view.unit(body).line}"}
            for name, body in result.tops
        ],
        "parameters": list(found.parameters),
        "defines": list(found.defines),
        "instances": view.instances,
        "errors": result.errors,
        "warnings": result.warnings,
    }


def _first(messages: tuple[Said, ...]) -> list[Said]:
    by_kind = {
        kind: [one for one in messages if one.severity == kind] for kind in ("error", "warning")
    }
    return [one for some in by_kind.values() for one in some[:MAX_MESSAGES]]


def _message(one: Said) -> dict[str, Any]:
    place = f"{one.path}:{one.line}" if one.path else ""
    return {"severity": one.severity, "code": one.code, "location": place, "text": one.text}
