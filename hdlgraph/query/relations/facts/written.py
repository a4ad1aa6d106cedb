"""Where the names stand that a question writes: files that use a state, a macro or a signal."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.relations.resolve import Resolver

NAMES, FEW = 6, 12
"""Names of a question that are looked up, and files of a name that all may answer."""
HAS = ("holds", "uses", "uses most", "declares")
"""What `Written.of` tells of a file."""


class Written:
    """The names of a question, without those of units, in the files of an index.

    Args:
        names: as they are written.
        resolver: of the index.
    """

    def __init__(self, names: Sequence[str], resolver: Resolver) -> None:
        self._resolver = resolver
        lasts = dict.fromkeys(name.rpartition("::")[2].rpartition(".")[2] for name in names)
        counted = {name: counts_of(name, resolver.lexicon) for name in [*lasts][:NAMES] if name}
        self._counts = {name: counts for name, counts in counted.items() if counts.any()}
        self._most = [float(counts.max()) for counts in self._counts.values()]

    @cached_property
    def _declaring(self) -> list[frozenset[int]]:
        """Returns the files that declare each name."""
        design = self._resolver.design
        return [frozenset(design.file(row) for row in design.called.get(name.lower(), ()))
                for name in self._counts]  # fmt: skip

    def few(self) -> list[int]:
        """Returns the files in which those names stand that few files hold, in their order."""
        some = (np.flatnonzero(counts) for counts in self._counts.values())
        return sorted({one for files in some if len(files) <= FEW for one in files.tolist()})

    def of(self, number: int) -> tuple[float, float, float, float]:
        """Returns HAS of a file: shares of the names, how often it has them, what it declares."""
        every = self._counts
        if not every:
            return 0.0, 0.0, 0.0, 0.0
        own = [float(counts[number]) for counts in every.values()]
        declared = [number in files for files in self._declaring]
        count = len(own)
        return (
            sum(one > 0 for one in own) / count,
            sum(map(float, np.log1p(own))) / count / 4,
            sum(one == top for one, top in zip(own, self._most, strict=True)) / count,
            sum(declared) / count,
        )


def counts_of(name: str, lexicon: Lexicon) -> np.ndarray:
    """Returns how often a name of several parts stands in each file, int64 (n_files,)."""
    term = name.lower().strip("_")
    files = lexicon.file_start.searchsorted(lexicon.positions(term), side="right") - 1
    return np.bincount(files[files >= 0], minlength=lexicon.n_files)[: lexicon.n_files]
