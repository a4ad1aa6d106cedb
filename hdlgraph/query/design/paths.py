"""Finds what a path through instances leads to: `top.u_core.u_alu`, `top.u_core.u_alu.result`."""

from __future__ import annotations

import difflib
import re

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, Location, NodeKind
from hdlgraph.model.kinds import entity

DEFINES, INSTANTIATES = EdgeKind.DEFINES.value, EdgeKind.INSTANTIATES.value
STEPS = 64
"""Names that a path may have."""
NEAR = 5
_INDEX = re.compile(r"\[[^\[\]]{0,40}\]")


def along(graph: Graph, wanted: str) -> list[int]:
    """Returns the rows of the nodes that a path leads to, from the unit of its first name.

    Indices and the labels of generate blocks may be left out. [] where it leads nowhere.
    """
    words = _words(wanted)
    if len(words) < 3:
        return []
    units, words = _units(graph, words[0]), words[1:]
    found: list[int] = []
    for unit in units:
        row, left = _walk(graph, unit, words)
        if not left:
            found.append(row)
    return found


def lost(graph: Graph, wanted: str) -> str:
    """Returns where a path ends that leads nowhere, with near names; "" where no unit begins it."""
    words = _words(wanted)
    units = _units(graph, words[0]) if len(words) > 1 else []
    if not units:
        return ""
    row, left = _walk(graph, units[0], words[1:])
    nodes = graph.nodes
    place = Location(nodes.column("path")[row], nodes.column("line")[row])
    what = f"{nodes.column('kind')[row]} {nodes.column('name')[row]} ({place})"
    if not left or nodes.column("kind")[row] == NodeKind.INSTANCE.value:
        return f"{wanted[:200]!r}: {what} is of a unit that the repository does not define"
    known = [name.rpartition(".")[2] for name in _inside(graph, row)]
    near = difflib.get_close_matches(left[0][:200], known, n=NEAR, cutoff=0.6)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    return f"nothing is called {left[0][:200]!r} in {what}{hint}"


def _words(wanted: str) -> list[str]:
    return [word for word in _INDEX.sub("", wanted.strip()).split(".") if word][:STEPS]


def _units(graph: Graph, name: str) -> list[int]:
    kinds, names = graph.nodes.column("kind"), graph.nodes.column("name")
    same = (row for row in graph.ending(name) if names[row] == name)
    found = [row for row in same if entity(kinds[row]).is_unit]
    return [row for row in found if graph.nodes.column("path")[row]]


def _walk(graph: Graph, row: int, words: list[str]) -> tuple[int, list[str]]:
    """Returns the last node that a path reaches, and the names that are left."""
    while words:
        inside = _inside(graph, row)
        step = _step(inside, words)
        if step is None:
            return row, words
        row, words = step
        if words:
            below = _unit_of(graph, row)
            if below < 0:
                return row, words
            row = below
    return row, words


def _step(inside: dict[str, int], words: list[str]) -> tuple[int, list[str]] | None:
    """Returns what the first names mean inside of a unit, and the names that are left."""
    for used in range(len(words), 0, -1):
        found = inside.get(".".join(words[:used]))
        if found is not None:
            return found, words[used:]
    labelled = (row for name, row in inside.items() if name.rpartition(".")[2] == words[0])
    first = next(labelled, None)
    return None if first is None else (first, words[1:])


def _inside(graph: Graph, unit: int) -> dict[str, int]:
    """Returns what a unit declares, by name inside of it."""
    edges, names = graph.edges, graph.nodes.column("name")
    own = names[unit] + "."
    found: dict[str, int] = {}
    for edge in graph.out_edges(unit).tolist():
        target = int(edges.column("target")[edge])
        if edges.column("kind")[edge] == DEFINES and names[target].startswith(own):
            found.setdefault(names[target].removeprefix(own), target)
    return found


def _unit_of(graph: Graph, instance: int) -> int:
    edges = graph.edges
    for edge in graph.out_edges(instance).tolist():
        if edges.column("kind")[edge] == INSTANTIATES:
            target = int(edges.column("target")[edge])
            return target if graph.nodes.column("path")[target] else -1
    return -1
