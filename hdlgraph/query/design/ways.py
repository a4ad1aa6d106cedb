"""The edges of a design graph along which a change spreads, as arrays made once per graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.model.kinds import relation, relations
from hdlgraph.query.design.names import is_unit

if TYPE_CHECKING:
    from hdlgraph.graph.graph import Graph

FILE, CONCEPT = NodeKind.FILE.value, NodeKind.CONCEPT.value
DEFINES, BINDS, INCLUDES, CONNECTS = (
    kind.value for kind in (EdgeKind.DEFINES, EdgeKind.BINDS, EdgeKind.INCLUDES, EdgeKind.CONNECTS)
)
DOUBLINGS = 20
"""Times that the way to what declares a node is doubled: 2**20 nodes in each other."""


class Ways:
    """What of a graph does not depend on where a change begins; rows are those of its tables.

    `source` and `target` are the ends of each edge, `rank` its place among all edges by kind,
    certainty, path, line and row, `ranked` the edges in that order. Of edges, `uses`, `defines`,
    `binds` and `includes` tell the kinds; of nodes, `is_unit`, `is_file`, `is_listed` (a unit or
    file of the repository, or a concept), `has_parts` what they are, `is_shared`
    whether several declare one, `parent` which node declares
    one (-1: none) and `holder` which unit or file does, itself if it is one, or has none. `user`
    is who uses the target of an edge.
    """

    def __init__(self, graph: Graph) -> None:
        kinds, of = graph.edges.column("kind"), graph.nodes.column("kind")
        ends = (np.asarray(graph.edges.array(name), np.int64) for name in ("source", "target"))
        self.source, self.target = ends
        self.uses = _marked(kinds, {kind for kind in set(kinds) if relation(kind).is_use})
        self.defines, self.binds = _marked(kinds, {DEFINES}), _marked(kinds, {BINDS})
        self.includes = _marked(kinds, {INCLUDES})
        connects = _marked(kinds, {CONNECTS})
        units = {kind for kind in set(of) if is_unit(kind)}
        self.is_unit, self.is_file = _marked(of, units), _marked(of, {FILE})
        made = np.asarray(graph.edges.array("instance"), np.int64)
        bound = made[self.binds & (made >= 0)]
        self._tell_binds_once(made, connects)
        holds = _marked(of, {*units, FILE, CONCEPT})
        placed = np.fromiter(map(bool, graph.nodes.column("path")), bool, len(of))
        self.is_listed = holds & (placed | _marked(of, {CONCEPT}))
        own = np.flatnonzero(self.defines)
        self.has_parts = np.zeros(len(of), bool)
        self.has_parts[self.source[own]] = True
        self.parent = np.full(len(of), -1, np.int64)
        declared, first, count = np.unique(self.target[own], return_index=True, return_counts=True)
        self.is_shared = np.zeros(len(of), bool)
        self.is_shared[declared[count > 1]] = True
        self.parent[declared] = self.source[own[first]]
        self.holder = _holders(self.parent, holds)
        # A net of an interface that joins a port is no user of it: the unit around the instance is.
        around = connects & (made >= 0) & ~np.isin(made, bound) & (self.parent[made] >= 0)
        self.user = self.holder[self.source]
        self.user[around] = self.holder[self.parent[made[around]]]
        self.ranked = _ranked(graph)
        self.rank = np.empty(len(kinds), np.int64)
        self.rank[self.ranked] = np.arange(len(kinds))

    def _tell_binds_once(self, made: np.ndarray, connects: np.ndarray) -> None:
        """Leaves of the edges of each bind those from unit to unit, where it has one.

        The others tell the same of the file, or of the path of instances, that the bind names.
        """
        whole = self.binds & (made >= 0) & self.is_unit[self.source] & self.is_unit[self.target]
        again = np.isin(made, made[whole]) & ~whole
        bound = made[self.binds & (made >= 0)]
        own = np.isin(made, bound) | np.isin(self.source, bound)
        self.uses &= ~((again & self.binds) | (own & ~self.binds & ~connects))
        self.binds &= ~again

    def best(self, rows: np.ndarray, edges: np.ndarray) -> list[tuple[int, int, int]]:
        """Returns (rank, row, edge) of each row once, with the first of the edges to it."""
        most = len(self.rank)
        least = np.full(len(self.parent), most, np.int64)
        np.minimum.at(least, rows, self.rank[edges])
        found = np.flatnonzero(least < most)
        ranks = least[found]
        return list(zip(ranks.tolist(), found.tolist(), self.ranked[ranks].tolist(), strict=True))


_KNOWN: WeakKeyDictionary[Graph, Ways] = WeakKeyDictionary()


def ways_of(graph: Graph) -> Ways:
    """Returns the ways of a graph; they are kept as long as the graph is."""
    found = _KNOWN.get(graph)
    if found is None:
        found = _KNOWN[graph] = Ways(graph)
    return found


def _marked(kinds: Sequence[str], wanted: set[str]) -> np.ndarray:
    """Returns which of some kinds are wanted."""
    return np.fromiter(map(wanted.__contains__, kinds), bool, len(kinds))


def _ranked(graph: Graph) -> np.ndarray:
    """Returns the rows of the edges by kind, certainty (highest first), path, line and row."""
    kinds, paths = graph.edges.column("kind"), graph.edges.column("path")
    known = {kind.name: place for place, kind in enumerate(relations())}
    of_path = {path: place for place, path in enumerate(sorted(set(paths)))}
    count = len(kinds)
    orders = {kind: known.get(kind, len(known)) for kind in set(kinds)}
    keys = (
        np.asarray(graph.edges.array("line")),
        np.fromiter(map(of_path.__getitem__, paths), np.int64, count),
        -np.asarray(graph.edges.array("confidence"), float),
        np.fromiter(map(orders.__getitem__, kinds), np.int64, count),
    )
    return np.lexsort(keys)


def _holders(parent: np.ndarray, holds: np.ndarray) -> np.ndarray:
    """Returns the next node upwards that holds, of each node; the outermost where none does."""
    own = np.arange(len(parent))
    found = np.where(holds | (parent < 0), own, parent)
    for _ in range(DOUBLINGS):
        further = found[found]
        if np.array_equal(further, found):
            break
        found = further
    return found
