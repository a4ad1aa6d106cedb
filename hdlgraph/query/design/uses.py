"""Where a node is used, in which lines its name counts, and what a file declares as an outline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.model.kinds import relation
from hdlgraph.query.design.names import is_unit

DEFINES, CONNECTS = EdgeKind.DEFINES.value, EdgeKind.CONNECTS.value
BINDS = EdgeKind.BINDS.value
PORT, PACKAGE = NodeKind.PORT.value, NodeKind.PACKAGE.value
OUTLINED = frozenset(
    kind.value
    for kind in (
        *(NodeKind.PARAMETER, NodeKind.PORT, NodeKind.INSTANCE, NodeKind.TYPE),
        *(NodeKind.FUNCTION, NodeKind.TASK, NodeKind.MACRO),
    )
)
"""Kinds besides units that an outline has; a design has too many signals."""


def used_at(graph: Graph, row: int) -> list[tuple[str, int]]:
    """Returns (path, line) of the edges that use a node, sorted, each once."""
    edges = graph.edges
    kinds, paths, lines = (edges.column(name) for name in ("kind", "path", "line"))
    kind = graph.nodes.column("kind")[row]
    found = {
        (paths[edge], lines[edge])
        for edge in graph.in_edges(row).tolist()
        if relation(kinds[edge]).is_use
    }
    # An output drives what it is connected to; a `bind` names the unit that it adds to.
    outwards = CONNECTS if kind == PORT else BINDS if is_unit(kind) else ""
    found |= {
        (paths[edge], lines[edge])
        for edge in graph.out_edges(row).tolist()
        if kinds[edge] == outwards
    }
    return sorted(one for one in found if one[0])


def within(graph: Graph, row: int) -> tuple[str, int, int] | None:
    """Returns path, first and last line of the unit that declares a node; None for others."""
    nodes = graph.nodes
    if is_unit(nodes.column("kind")[row]) or not nodes.column("path")[row]:
        return None
    for edge in graph.in_edges(row).tolist():
        unit = graph.edges.column("source")[edge]
        if graph.edges.column("kind")[edge] == DEFINES and is_unit(nodes.column("kind")[unit]):
            first, last = nodes.column("line")[unit], nodes.column("end_line")[unit]
            return nodes.column("path")[unit], first, max(first, last)
    return None


def outline(
    graph: Graph, rows: Sequence[int], places: Callable[[int], list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    """Returns nodes of one file as a tree: each place with its `children`.

    Args:
        graph: the design graph.
        rows: what the file declares, by line.
        places: gives the place of a node.
    """
    kinds = graph.nodes.column("kind")
    wanted = [row for row in rows if is_unit(kinds[row]) or kinds[row] in OUTLINED]
    made = {row: {**one, "children": []} for row in wanted for one in places(row)}
    top: list[dict[str, Any]] = []
    for row, one in made.items():
        edges = graph.in_edges(row).tolist()
        holders = [
            graph.edges.column("source")[edge]
            for edge in edges
            if graph.edges.column("kind")[edge] == DEFINES
        ]
        around = next((made[holder] for holder in holders if holder in made), None)
        (top if around is None else around["children"]).append(one)
    return top


def code_of(text: str) -> str:
    """Returns a source text with its comments and strings blanked, every character in its place."""
    from hdlgraph.parsers.text.source import read_source

    code = read_source(text.encode()).code
    return code if len(code) == len(text) else text
