"""Finds the nodes of a name by the last component of it, whatever its capitals.

A table of hashes and rows takes some 20 bytes a node and a tenth of a second for a million; a
dictionary of lists took eight times the memory and several seconds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hdlgraph.model import NodeKind
from hdlgraph.store.tables import Table
from hdlgraph.store.tables.hashed import Hashed

SKIPPED = (NodeKind.CONCEPT.value, NodeKind.EXPLANATION.value)
"""Kinds of nodes that nothing of the design is."""
KEPT = 1_000
"""Names whose rows are kept."""


class Called:
    """The rows of nodes by lower-case name; a nested thing goes by its last component.

    Args:
        nodes: the nodes' table.
    """

    def __init__(self, nodes: Table) -> None:
        data, bounds = nodes.packed("name")
        kinds, codes = nodes.coded("kind")
        file = kinds.index(NodeKind.FILE.value) if NodeKind.FILE.value in kinds else -1
        slash, dot = (behind_last(data, bounds, sign) for sign in (b"/", b"."))
        self._data = data
        self._first = np.where(codes == file, slash, dot)
        self._end = bounds[1:]
        counts = np.isin(codes, [at for at, kind in enumerate(kinds) if kind not in SKIPPED])
        others = np.unique(bounds.searchsorted(np.flatnonzero(data >= 128), side="right") - 1)
        rows = others[counts[others]].tolist()
        self._others = self._spelt(rows)
        counts[others] = False
        plain = np.flatnonzero(counts)
        self._plain = Hashed(data, self._first, self._end, plain, small=True)
        self._kept: dict[str, list[int]] = {}

    def _spelt(self, rows: Sequence[int]) -> dict[str, list[int]]:
        """Returns lower-case name -> rows of the few names with other letters than a to z."""
        found: dict[str, list[int]] = {}
        for row in rows:
            name = self._data[self._first[row] : self._end[row]].tobytes().decode()
            found.setdefault(name.lower(), []).append(row)
        return found

    def get(self, name: str, default: Sequence[int] = ()) -> Sequence[int]:
        """Returns the rows of a lower-case name in order, `default` where nothing is called so."""
        found = self._kept.get(name)
        if found is None:
            plain = self._plain.find(name.encode()) if name.isascii() else ()
            found = sorted([*self._others.get(name, ()), *plain])
            if len(self._kept) >= KEPT:
                self._kept.clear()
            self._kept[name] = found
        return found or default

    def __getitem__(self, name: str) -> Sequence[int]:
        """Returns the rows of a lower-case name in order."""
        return self.get(name)


def behind_last(data: np.ndarray, bounds: np.ndarray, sign: bytes) -> np.ndarray:
    """Returns where each text goes on behind its last sign of a kind, or begins without one."""
    places = np.flatnonzero(data == sign[0])
    if not len(places):
        return bounds[:-1]
    last = places[np.maximum(places.searchsorted(bounds[1:]) - 1, 0)]
    return np.where((last >= bounds[:-1]) & (last < bounds[1:]), last + 1, bounds[:-1])
