"""The instances that lead from one design unit down to another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind

MOST = 200
"""Chains of one length that are compared."""
BELOW = frozenset({EdgeKind.INSTANTIATES.value, EdgeKind.BINDS.value})
UNITS = frozenset(kind.value for kind in (NodeKind.MODULE, NodeKind.INTERFACE, NodeKind.PROGRAM))
"""Kinds of units that stand in a hierarchy of instances."""


def chains(graph: Graph, starts: Iterable[int], ends: Iterable[int]) -> tuple[list[list[int]], int]:
    """Returns the shortest chains of instances between units, and how many there are.

    A chain is the rows of its units, from one of `starts` to one of `ends`, whichever of them is
    below the other. At most MOST are returned, and counted.
    """
    kinds = graph.nodes.column("kind")
    lows, highs = ([row for row in rows if kinds[row] in UNITS] for rows in (starts, ends))
    upwards = _upwards(graph, lows, highs)
    downwards = [chain[::-1] for chain in _upwards(graph, highs, lows)]
    found = upwards or downwards
    if upwards and downwards and len(downwards[0]) < len(upwards[0]):
        found = downwards
    return found, len(found)


def parents(graph: Graph, row: int) -> list[int]:
    """Returns the units that instantiate or bind a unit, sorted, each once."""
    edges, kinds = graph.edges, graph.nodes.column("kind")
    found = {
        int(edges.column("source")[edge])
        for edge in graph.in_edges(row).tolist()
        if edges.column("kind")[edge] in BELOW
    }
    return sorted(one for one in found if kinds[one] in UNITS)


def _upwards(graph: Graph, lows: list[int], highs: list[int]) -> list[list[int]]:
    """Returns the shortest chains from units up to others."""
    wanted, distance = {*highs}, dict.fromkeys(lows, 0)
    onward: dict[int, list[int]] = {}
    front = sorted(distance)
    while front and not wanted & {*front}:
        reached: dict[int, None] = {}
        for row in front:
            onward[row] = []
            for above in parents(graph, row):
                if distance.setdefault(above, distance[row] + 1) == distance[row] + 1:
                    onward[row].append(above)
                    reached.setdefault(above)
        front = sorted(reached)
    return list(islice(_walks(sorted({*lows}), onward, wanted), MOST)) if front else []


def _walks(begin: list[int], onward: dict[int, list[int]], last: set[int]) -> Iterator[list[int]]:
    waiting = [[row] for row in reversed(begin)]
    while waiting:
        walk = waiting.pop()
        if walk[-1] in last:
            yield walk
        else:
            waiting += [[*walk, row] for row in reversed(onward.get(walk[-1], []))]
