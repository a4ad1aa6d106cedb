"""What `bind` directives add to a unit: further instances of its picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from hdlgraph.graph.graph import Graph
from hdlgraph.graph.pictures.nets import Instance, directions_of
from hdlgraph.model import Bind, EdgeKind, FileRecord, Unit
from hdlgraph.model import Instance as Told
from hdlgraph.model.kinds import entity

MOST = 200
"""Bind directives of a unit that are looked at."""
FILES = 20
"""Files with such directives that are read."""


class Bound(NamedTuple):
    """A bind directive: its file, its facts, and the row of the unit that it adds, else -1."""

    path: str
    bind: Bind
    unit: int


def bound_into(graph: Graph, row: int, facts: Callable[[str], FileRecord]) -> list[Bound]:
    """Returns the bind directives that name a unit, by file and line.

    Args:
        graph: the graph of the repository.
        row: the unit's node.
        facts: gives those of a file.
    """
    nodes, edges = graph.nodes, graph.edges
    kinds, targets, texts = (edges.column(name) for name in ("kind", "target", "text"))
    paths, lines, of_kind = edges.column("path"), edges.column("line"), nodes.column("kind")
    found: dict[tuple[str, int, str], int] = {}
    for edge in graph.out_edges(row).tolist():
        if kinds[edge] != EdgeKind.BINDS.value:
            continue
        key = (paths[edge], lines[edge], texts[edge])
        is_unit = entity(of_kind[targets[edge]]).is_unit
        found[key] = max(found.get(key, -1), targets[edge] if is_unit else -1)
    places = sorted(found)[:MOST]
    read = list(dict.fromkeys(path for path, _, _ in places))[:FILES]
    binds = {(path, bind.line, bind.name): bind for path in read for bind in facts(path).binds}
    return [Bound(key[0], binds[key], found[key]) for key in places if key in binds]


def with_bound(unit: Unit, bounds: Sequence[Bound]) -> Unit:
    """Returns the facts of a unit with what is bound to it among its instances, at the end."""
    more = tuple(
        Told(one.bind.name, one.bind.unit, one.bind.line, one.bind.line,
             connections=one.bind.connections)
        for one in bounds
    )  # fmt: skip
    return msgspec.structs.replace(unit, instances=(*unit.instances, *more))


def bound_instances(graph: Graph, bounds: Sequence[Bound]) -> list[Instance]:
    """Returns the same as instances of a picture, in their order."""
    return [
        Instance(
            one.bind.name,
            one.unit,
            one.bind.unit,
            one.bind.line,
            "",
            directions_of(graph, one.unit) if one.unit >= 0 else {},
            one.path,
        )
        for one in bounds
    ]
