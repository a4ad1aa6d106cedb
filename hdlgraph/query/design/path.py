"""How two names are connected: the shortest walks between them over the design graph."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from hdlgraph.errors import UsageError
from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind
from hdlgraph.model.kinds import relation
from hdlgraph.query.design.between.chain import BELOW, chains, over_both
from hdlgraph.query.design.members.find import find_or_member
from hdlgraph.query.design.names import place, spot

if TYPE_CHECKING:
    import numpy as np
    from scipy.sparse import csr_array

SCHEMA = 1
LIMIT = 3
"""Walks listed unless the caller says more."""
MOST = 200
"""Equally short walks that are compared for their certainty; of more, the first."""

COUNTED = 1_000_000
"""Equally short walks are counted up to here."""
NAMED = 50
"""Definitions of a name that are listed."""


def path(graph: Graph, source: str, target: str, limit: int = LIMIT) -> dict[str, Any]:
    """Returns the cheapest walks from one name to another, whatever the direction of the edges.

    Between two modules, interfaces or programs the instances count alone: the chains from one down
    to the other, else the walks over the unit nearest above both, whatever they cost.

    A step costs what its kind says, and 1 more each time that the number of users of
    the edge's target doubles: what everything instantiates, imports or is clocked by joins any
    two things and says little. Of a name with several definitions, the nearest count.

    Args:
        graph: the design graph.
        source: where the walks begin, a name as `who` takes it.
        target: where they end.
        limit: the greatest number of walks listed; the surest come first.

    Returns:
        `{schema, from, to, sources, targets, walks, total}`: `total` counts the walks of that
        cost, up to `COUNTED`. A walk has its `cost`, its `start` and its `steps`; a step has the
        edge's `kind`, place and text, whether it is walked `forward`, the `words` for that, the
        node `to` which it leads, and how many `more` edges of the kind say the same.

    Raises:
        UsageError: nothing has one of the names, or both mean the same.
    """
    starts, ends = find_or_member(graph, source), find_or_member(graph, target)
    both = sorted({*starts} & {*ends})
    if both:
        one = place(graph, both[0])
        meant = " ".join(filter(None, (one["kind"], one["name"], one["location"])))
        raise UsageError(f"{source!r} and {target!r} both mean {meant}; name two things")
    costs, network = _kept(graph)
    walks, total = chains(graph, starts, ends)
    if not walks:
        walks, total = over_both(graph, starts, ends)
    steps = _Steps(graph, costs, BELOW if walks else None)
    if not walks:
        walks, total = _cheapest(network, starts, ends)
    listed = sorted((steps.walk(rows) for rows in walks), key=_order)
    return {
        "schema": SCHEMA,
        "from": source,
        "to": target,
        "sources": [place(graph, row) for row in starts[:NAMED]],
        "targets": [place(graph, row) for row in ends[:NAMED]],
        "walks": listed[:limit],
        "total": total,
    }


def _network(graph: Graph, cost: np.ndarray) -> csr_array:
    """Returns the graph as an undirected one of node rows, weighted by cost.

    The edge that is cheapest stands for all between two nodes.
    """
    import numpy as np
    from scipy.sparse import csr_array

    source, target = graph.edges.array("source"), graph.edges.array("target")
    walked = (cost > 0) & (source != target)
    low, high = np.minimum(source, target)[walked], np.maximum(source, target)[walked]
    weight = cost[walked]
    order = np.lexsort((weight, high, low))
    low, high, weight = low[order], high[order], weight[order].astype(np.float64)
    first = np.ones(len(low), dtype=bool)
    first[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    low, high, weight = low[first], high[first], weight[first]
    ends = (np.concatenate((low, high)), np.concatenate((high, low)))
    size = len(graph.nodes)
    return csr_array((np.concatenate((weight, weight)), ends), shape=(size, size))


_KEPT: WeakKeyDictionary[Graph, tuple[np.ndarray, csr_array]] = WeakKeyDictionary()
"""The costs and the network of graphs that are open: a process that stays open asks them often."""


def _kept(graph: Graph) -> tuple[np.ndarray, csr_array]:
    """Returns the costs of a graph's edges and its network."""
    found = _KEPT.get(graph)
    if found is None:
        costs = edge_costs(graph)
        found = _KEPT[graph] = (costs, _network(graph, costs))
    return found


def edge_costs(graph: Graph) -> np.ndarray:
    """Returns what a step along each edge costs, 0 for edges that are not walked."""
    import numpy as np

    kinds = graph.edges.column("kind")
    numbers = {kind: number for number, kind in enumerate(dict.fromkeys(kinds))}
    kind = np.array([numbers[one] for one in kinds], dtype=np.int64)
    base = np.array([relation(one).cost for one in numbers], dtype=np.int64)
    source, target = (graph.edges.array(end).astype(np.int64) for end in ("source", "target"))
    hub = _partners(kind, target, source)
    if EdgeKind.CONNECTS.value in numbers:  # a clock reaches many ports
        connects = kind == numbers[EdgeKind.CONNECTS.value]
        hub[connects] = np.maximum(hub, _partners(kind, source, target))[connects]
    doublings = np.frexp(hub)[1] - 1
    return np.where(base[kind] > 0, base[kind] + doublings, 0) if len(kinds) else kind


def _partners(kind: np.ndarray, end: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Returns, for each edge, to how many nodes edges of its kind join the node at its `end`."""
    import numpy as np

    size = 1 + int(max(end.max(initial=0), other.max(initial=0)))
    group = kind * size + end
    groups, count = np.unique(np.unique(group * size + other) // size, return_counts=True)
    return count[np.searchsorted(groups, group)]


def _cheapest(
    network: csr_array, starts: list[int], ends: list[int]
) -> tuple[list[list[int]], int]:
    """Returns cheapest walks as rows of nodes, at most MOST, and how many there are."""
    import numpy as np
    from scipy.sparse.csgraph import dijkstra

    ahead = dijkstra(network, indices=starts, min_only=True)
    cost = ahead[ends].min()
    if not np.isfinite(cost):
        return [], 0
    back = dijkstra(network, indices=ends, min_only=True, limit=cost)
    on_the_way = np.flatnonzero(ahead + back == cost)
    rows = on_the_way[np.argsort(ahead[on_the_way], kind="stable")].tolist()
    onward = _onward(network, rows, ahead)
    last = {row for row in rows if back[row] == 0}
    ways = {row: int(ahead[row] == 0) for row in rows}
    for row in rows:
        for other in onward[row]:
            ways[other] = min(ways[other] + ways[row], COUNTED)
    begin = sorted(row for row in rows if ahead[row] == 0)
    walks = list(islice(_walks(begin, onward, last), MOST))
    return walks, min(sum(ways[row] for row in last), COUNTED)


def _onward(network: csr_array, rows: list[int], ahead: np.ndarray) -> dict[int, list[int]]:
    """Returns, for each node on a cheapest walk, the next ones, sorted."""
    between, found = set(rows), {}
    for row in rows:
        span = slice(network.indptr[row], network.indptr[row + 1])
        near = zip(network.indices[span].tolist(), network.data[span].tolist(), strict=True)
        found[row] = sorted(
            other for other, cost in near if other in between and ahead[row] + cost == ahead[other]
        )
    return found


def _walks(begin: list[int], onward: dict[int, list[int]], last: set[int]) -> Iterator[list[int]]:
    """Yields the walks from `begin` to `last`, nodes in order."""
    waiting = [[row] for row in reversed(begin)]
    while waiting:
        walk = waiting.pop()
        if walk[-1] in last:
            yield walk
        waiting += [[*walk, row] for row in reversed(onward[walk[-1]])]


class _Steps:
    """Makes the records of walks; of several edges between two nodes the cheapest, then surest."""

    def __init__(
        self, graph: Graph, costs: np.ndarray, kinds: Collection[str] | None = None
    ) -> None:
        self._graph, self._costs, self._only = graph, costs, kinds
        self._source, self._target = graph.edges.column("source"), graph.edges.column("target")

    def walk(self, rows: list[int]) -> dict[str, Any]:
        """Returns the record of a walk over nodes."""
        edges = [self._edge(*pair) for pair in pairwise(rows)]
        return {
            "cost": sum(int(self._costs[edge]) for edge in edges),
            "start": place(self._graph, rows[0]),
            "steps": [self._step(edge, row) for edge, row in zip(edges, rows[1:], strict=True)],
        }

    def _between(self, one: int, other: int) -> list[int]:
        graph = self._graph
        out = [edge for edge in graph.out_edges(one).tolist() if self._target[edge] == other]
        back = [edge for edge in graph.in_edges(one).tolist() if self._source[edge] == other]
        kinds = graph.edges.column("kind")
        return [
            edge
            for edge in out + back
            if self._costs[edge] > 0 and (self._only is None or kinds[edge] in self._only)
        ]

    def _edge(self, one: int, other: int) -> int:
        edges = self._graph.edges
        sure, paths, lines = (edges.column(name) for name in ("confidence", "path", "line"))
        return min(
            self._between(one, other),
            key=lambda edge: (self._costs[edge], -sure[edge], paths[edge], lines[edge], edge),
        )

    def _step(self, edge: int, row: int) -> dict[str, Any]:
        kinds, forward = self._graph.edges.column("kind"), self._target[edge] == row
        start = self._source[edge] if forward else self._target[edge]
        alike = [
            one
            for one in self._between(start, row)
            if kinds[one] == kinds[edge] and (self._target[one] == row) == forward
        ]
        return {
            "kind": kinds[edge],
            "forward": forward,
            "words": relation(kinds[edge]).words(forward),
            **spot(self._graph, edge),
            "to": place(self._graph, row),
            "more": len(alike) - 1,
        }


def _order(walk: dict[str, Any]) -> tuple[float, list[str]]:
    """Returns what walks of one cost are sorted by: the least sure step, then their nodes."""
    steps = walk["steps"]
    return -min(step["confidence"] for step in steps), [step["to"]["id"] for step in steps]
