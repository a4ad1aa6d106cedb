"""What else a name means than what an answer tells of: other kinds of things that are called so."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from hdlgraph.graph.graph import Graph, last_part
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.model.kinds import entities, entity
from hdlgraph.query.design.names import having, place, unescaped

SHOWN = 5
"""Places of one meaning that are listed; all are counted."""
TOLD = 2
"""The same in a sentence."""
MEMBER = "member"
"""The kind of a value of an enumeration or a field; its places are those of the types."""
INSTANCE, INSTANTIATES = NodeKind.INSTANCE.value, EdgeKind.INSTANTIATES.value
NET = "net"
NETS = frozenset({NodeKind.PORT.value, NodeKind.SIGNAL.value})
_PLURALS = {"class": "classes", "type": "types", "primitive": "primitives"}


def meanings(graph: Graph, name: str, told: Collection[int]) -> list[dict[str, Any]]:
    """Returns the other meanings of a name by kind: `{kind, count, places}`, in the order of kinds.

    A name that says whose it is, as `unit.port`, and an id mean one thing alone.

    Args:
        graph: the design graph.
        name: as it was asked for.
        told: the rows of what the answer tells of.
    """
    wanted = unescaped(name).removeprefix("`")
    if not wanted or any(sign in wanted for sign in ".:/#"):
        return []
    kinds, names, paths = map(graph.nodes.column, ("kind", "name", "path"))
    found: dict[str, list[int]] = {}
    for row in graph.ending(wanted):
        is_other = paths[row] and row not in told and last_part(names[row]) == wanted
        if is_other and entity(kinds[row]).is_named and not _is_of(graph, row, told):
            found.setdefault(kinds[row], []).append(row)
    order = {kind.name: position for position, kind in enumerate(entities())}
    kept = sorted(found.items(), key=lambda one: (order.get(one[0], len(order)), one[0]))
    if wanted.isidentifier():
        types = [row for row in having(graph, wanted) if row not in told]
        kept += [(MEMBER, types)] if types else []
    return [_meaning(graph, kind, rows) for kind, rows in kept]


def _is_of(graph: Graph, row: int, told: Collection[int]) -> bool:
    """Returns whether a node is an instance of what is told of, which is called as that is."""
    if graph.nodes.column("kind")[row] != INSTANCE:
        return False
    kinds, targets = graph.edges.column("kind"), graph.edges.column("target")
    edges = graph.out_edges(row).tolist()
    return any(kinds[edge] == INSTANTIATES and targets[edge] in told for edge in edges)


def _meaning(graph: Graph, kind: str, rows: list[int]) -> dict[str, Any]:
    paths, lines = graph.nodes.column("path"), graph.nodes.column("line")
    first = sorted(rows, key=lambda row: (paths[row], lines[row], row))[:SHOWN]
    return {"kind": kind, "count": len(rows), "places": [place(graph, row) for row in first]}


def note(name: str, found: list[dict[str, Any]]) -> list[str]:
    """Returns the sentence that tells other meanings, none where there are none."""
    if not found:
        return []
    example = found[0]["places"][0]
    asked = example["name"] if "." in example["name"] else example["id"]
    return [f"{_short(name)} is also the name of {_listed(found)}: ask for one as {asked}"]


def mixed(graph: Graph, name: str, told: Collection[int]) -> list[str]:
    """Returns the sentence that an answer tells of things of several kinds, none where of one.

    A net is a port of one unit and a signal of another: these are no two kinds.
    """
    kinds = graph.nodes.column("kind")
    by_kind: dict[str, list[int]] = {}
    for row in told:
        by_kind.setdefault(kinds[row], []).append(row)
    if len({NET if kind in NETS else kind for kind in by_kind}) < TOLD:
        return []
    found = [_meaning(graph, kind, by_kind[kind]) for kind in sorted(by_kind)]
    return [f"{_short(name)} means several things, and this tells of all: {_listed(found)}"]


def _short(name: str) -> str:
    return name.strip()[:200]


def _listed(found: list[dict[str, Any]]) -> str:
    """Returns meanings in words, each with its first places."""
    parts = []
    for one in found:
        kind = one["kind"]
        word = kind if one["count"] == 1 else _PLURALS.get(kind, f"{kind}s")
        told = [f"{at['name']} {at['location']}".strip() for at in one["places"][:TOLD]]
        parts.append(f"{one['count']} {word} ({', '.join(told)}{', ...' * (one['count'] > TOLD)})")
    return "; ".join(parts)
