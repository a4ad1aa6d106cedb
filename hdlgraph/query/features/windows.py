"""Passages: the 80 lines of each file that have most of the question's words.

A window is two adjacent halves of a file; its score is BM25's, with the window as the document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hdlgraph.query.features.feature import Asked, Ranking, Scores
from hdlgraph.query.index_view import IndexView
from hdlgraph.query.lexicon import Lexicon, TermGroup
from hdlgraph.results import Evidence

HALF = 40  # lines
K1, B = 1.2, 0.5  # of BM25


class BestWindow:
    """Scores files by their best window."""

    name = "windows"

    def score(self, asked: Asked) -> Scores:
        """Returns the part window."""
        value, line = asked.index.part(windows_of).best(asked.question.groups, K1, B)
        raw = {"window": value}
        return WindowScores(asked.weighted(raw), raw, line=line)


@dataclass(frozen=True, kw_only=True)
class WindowScores(Scores):
    """Scores by windows; `line` is the first line of each file's best one, 1-based."""

    line: np.ndarray

    def evidence(self, ranking: Ranking, number: int) -> Iterator[Evidence]:
        """Yields one line: where the best window stands."""
        score = ranking.part("window", number)
        if score > 0:
            line, path = int(self.line[number]), ranking.asked.index.lexicon.paths[number]
            text = f"densest passage, lines {line}-{line + 2 * HALF - 1}"
            yield Evidence("passage", path, line, text, score)


def windows_of(index: IndexView) -> Windows:
    """Returns the windows of the files of an index."""
    return Windows(index.lexicon)


class Windows:
    """The windows of all files: each is two neighbouring halves of a file."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        pointers, starts = lexicon.all_lines
        self._per_file = -(-np.diff(pointers) // HALF)
        before = np.cumsum(self._per_file) - self._per_file
        within = np.arange(int(self._per_file.sum())) - np.repeat(before, self._per_file)
        self.starts = starts[np.repeat(pointers[:-1], self._per_file) + HALF * within]
        owner = np.repeat(np.arange(len(self._per_file)), self._per_file)
        ends = np.append(self.starts[1:], lexicon.file_start[-1:])
        length = (ends - self.starts).astype(np.float32)
        # Whether a half and the next one are of one file.
        self._pair = np.append(owner[1:] == owner[:-1], False)[: len(owner)]
        self._length = self._with_next(length)
        self._mean = max(float(self._length.mean()), 1.0) if len(length) else 1.0

    def best(
        self, groups: Iterable[TermGroup], k1: float, b: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns each file's best window: (score float32, first line int32, 1-based)."""
        count = len(self.starts)
        if not count:
            return np.zeros(0, np.float32), np.zeros(0, np.int32)
        norm = k1 * (1 - b + b * self._length / self._mean)
        score = np.zeros(count, np.float32)
        for group in groups:
            tf = np.zeros(count, np.float32)
            for weight, halves, counts in self._counts(group):
                tf[halves] += weight * counts
            tf = self._with_next(tf)
            score += self.lexicon.group_idf(group, "post") * tf * (k1 + 1) / (tf + norm)
        return self._best_per_file(score)

    def _counts(self, group: TermGroup) -> Iterator[tuple[float, np.ndarray | slice, np.ndarray]]:
        """Yields the weight of each member of a group, halves with it, and how often it is there.

        The halves of a member are different ones; of one with more places than there are halves
        it is all of them, which are then searched for in the places.
        """
        found = [(weight, self.lexicon.positions(term)) for term, weight in group.members]
        few = [one for one in found if 0 < len(one[1]) <= len(self.starts)]
        parts = iter(self._runs([positions for _, positions in few]))
        for weight, positions in found:
            if len(positions) > len(self.starts):
                before = positions.searchsorted(self.starts)
                yield weight, slice(None), np.diff(before, append=len(positions))
            elif len(positions):
                yield weight, *next(parts)

    def _runs(self, parts: Sequence[np.ndarray]) -> list[tuple[np.ndarray, np.ndarray]]:
        """Returns (halves, places in each) of several terms' sorted places; none may be empty."""
        if not parts:
            return []
        where = self.starts.searchsorted(np.concatenate(parts), side="right") - 1
        ends = np.cumsum([len(part) for part in parts])
        begins = np.ones(len(where) + 1, bool)
        np.not_equal(where[1:], where[:-1], out=begins[1:-1])
        begins[ends] = True
        bounds = np.flatnonzero(begins)
        halves, counts = where[bounds[:-1]], bounds[1:] - bounds[:-1]
        cuts = [0, *bounds.searchsorted(ends).tolist()]
        return [(halves[a:b], counts[a:b]) for a, b in pairwise(cuts)]

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
