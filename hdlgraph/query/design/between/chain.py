"""The instances that lead from one design unit to another, straight down or over a parent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind

MOST = 200
"""Chains of one length that are compared."""
BELOW = frozenset({EdgeKind.INSTANTIATES.value, EdgeKind.BINDS.value})
INSTANCES = frozenset({EdgeKind.INSTANTIATES.value})
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


def over_both(
    graph: Graph, starts: Iterable[int], ends: Iterable[int]
) -> tuple[list[list[int]], int]:
    """Returns the walks between two units over the units nearest above both, and their number.

    A walk is the rows of its units, up from one of `starts` and down to one of `ends`, by
    instances alone: what both instantiate, or a file that binds into both, joins nothing.
    """
    kinds = graph.nodes.column("kind")
    ways = [_above(graph, [row for row in rows if kinds[row] in UNITS]) for rows in (starts, ends)]
    shared = ways[0].keys() & ways[1].keys()
    size = {row: len(ways[0][row]) + len(ways[1][row]) for row in shared}
    least = min(size.values(), default=0)
    tops = sorted(row for row in shared if size[row] == least)
    found = [[*ways[0][top], *reversed(ways[1][top][:-1])] for top in tops[:MOST]]
    return found, len(found)


def _above(graph: Graph, begin: list[int]) -> dict[int, list[int]]:
    """Returns the units above some, and themselves, each with the shortest chain up to it."""
    found = {row: [row] for row in sorted(begin)}
    front = list(found)
    while front:
        reached = []
        for row in front:
            for above in parents(graph, row, INSTANCES):
                if above not in found:
                    found[above] = [*found[row], above]
                    reached.append(above)
        front = sorted(reached)
    return found


def parents(graph: Graph, row: int, by: frozenset[str] = BELOW) -> list[int]:
    """Returns the units that instantiate or bind a unit, sorted, each once."""
    edges, kinds = graph.edges, graph.nodes.column("kind")
    found = {
        int(edges.column("source")[edge])
        for edge in graph.in_edges(row).tolist()
        if edges.column("kind")[edge] in by
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
