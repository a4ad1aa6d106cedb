"""The 80-line windows of all files, and the best one of each file for groups of terms.

A window is two adjacent halves of a file; its score is BM25's, with the window as the document.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from hdlgraph.query.features.lexical import Lexicon, TermGroup

HALF = 40  # lines


class Windows:
    """Where the halves of all files begin, in file order."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        bounds = pairwise(int(place) for place in lexicon.line_ptr)
        parts = [lexicon.line_pos[first:last:HALF] for first, last in bounds]
        self.starts = np.concatenate(parts) if parts else np.zeros(0, np.uint32)
        self._per_file = np.asarray([len(part) for part in parts], np.int64)
        owner = np.repeat(np.arange(len(parts)), self._per_file)
        ends = np.append(self.starts[1:], lexicon.file_start[-1:])
        length = (ends - self.starts).astype(np.float32)
        # Whether a half and the next one are of one file.
        self._pair = np.append(owner[1:] == owner[:-1], False)[: len(owner)]
        self._length = self._with_next(length)

    def best(
        self, groups: Iterable[TermGroup], k1: float, b: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns each file's best window: (score float32, first line int32, 1-based)."""
        count = len(self.starts)
        if not count:
            return np.zeros(0, np.float32), np.zeros(0, np.int32)
        norm = k1 * (1 - b + b * self._length / max(float(self._length.mean()), 1.0))
        score = np.zeros(count, np.float32)
        for group in groups:
            tf = np.zeros(count, np.float32)
            for term, weight in group.members:
                tf += weight * self._counts(self.lexicon.positions(term))
            tf = self._with_next(tf)
            score += self.lexicon.group_idf(group, "post") * tf * (k1 + 1) / (tf + norm)
        return self._best_per_file(score)

    def _counts(self, positions: np.ndarray) -> np.ndarray:
        """Returns how many of the sorted positions lie in each half; searched is the shorter."""
        if len(positions) > len(self.starts):
            before = np.searchsorted(positions, self.starts)
            return np.diff(before, append=len(positions))
        where = np.searchsorted(self.starts, positions, side="right") - 1
        return np.bincount(where, minlength=len(self.starts))

    def _with_next(self, values: np.ndarray) -> np.ndarray:
        """Returns each half's value with that of the next half of the same file."""
        out = values.copy()
        out[:-1] += np.where(self._pair[:-1], values[1:], 0)
        return out

    def _best_per_file(self, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        filled = self._per_file > 0
        begins = (np.cumsum(self._per_file) - self._per_file)[filled]
        highest = np.maximum.reduceat(score, begins)
        at_best = np.flatnonzero(score == np.repeat(highest, self._per_file[filled]))
        first = at_best[np.searchsorted(at_best, begins)]
        out = np.zeros(len(self._per_file), np.float32)
        line = np.ones(len(self._per_file), np.int32)
        out[filled] = highest
        line[filled] = np.maximum((first - begins) * HALF, 1)
        return out, line
