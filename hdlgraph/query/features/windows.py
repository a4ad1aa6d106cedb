"""Passages: the 80 lines of each file that have most of the question's words.

A window is two adjacent halves of a file; its score is BM25's, with the window as the document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from hdlgraph.query.features.feature import Asked, Ranking, Scores
from hdlgraph.query.features.looked import Halves, Looked, halves_of
from hdlgraph.query.index_view import IndexView
from hdlgraph.query.lexicon import Lexicon, TermGroup
from hdlgraph.results import Evidence
from hdlgraph.store.words.halves import HALF

K1, B = 1.2, 0.5  # of BM25
FEW = 3
"""Where so many times the halves that have a term are fewer than all, those alone are looked at."""


class BestWindow:
    """Scores files by their best window."""

    name = "windows"

    def score(self, asked: Asked) -> Scores:
        """Returns the part window."""
        every = asked.index.part(windows_of)
        windows = every if asked.looked is None else SomeWindows(every, asked.looked)
        score = windows.scores(asked.question.groups, K1, B)
        raw = {"window": windows.highest(score)}
        return WindowScores(asked.weighted(raw), raw, windows=windows, score=score)


@dataclass(frozen=True, kw_only=True)
class WindowScores(Scores):
    """Scores by windows; `score` is that of each window."""

    windows: Windows | SomeWindows
    score: np.ndarray

    def evidence(self, ranking: Ranking, number: int) -> Iterator[Evidence]:
        """Yields one line: where the best window stands."""
        score = ranking.part("window", number)
        if score > 0:
            line = self.windows.line(self.score, number)
            path = ranking.asked.index.lexicon.paths[number]
            text = f"densest passage, lines {line}-{line + 2 * HALF - 1}"
            yield Evidence("passage", path, line, text, score)


def windows_of(index: IndexView) -> Windows:
    """Returns the windows of the files of an index."""
    return Windows(index.lexicon, index.part(halves_of))


class Windows:
    """The windows of all files: each is two neighbouring halves of a file."""

    def __init__(self, lexicon: Lexicon, halves: Halves | None = None) -> None:
        self.lexicon = lexicon
        found = halves or Halves(lexicon)
        self._per_file, self._first, self.starts = found.per_file, found.first, found.starts
        owner = np.repeat(np.arange(len(self._per_file)), self._per_file)
        length = found.length.astype(np.float32)
        # Whether a half and the next one are of one file.
        self._pair = np.append(owner[1:] == owner[:-1], False)[: len(owner)]
        self._length = self._with_next(length)
        self._mean = max(float(self._length.mean()), 1.0) if len(length) else 1.0
        self._norms: dict[tuple[float, float], np.ndarray] = {}
        self._free: list[tuple[np.ndarray, np.ndarray]] = []

    def scores(self, groups: Iterable[TermGroup], k1: float, b: float) -> np.ndarray:
        """Returns the score of the window that begins with each half, float32 (halves,)."""
        score = np.zeros(len(self.starts), np.float32)
        if not len(score):
            return score
        norm = self.norm(k1, b)
        for group in groups:
            found = [(weight, *self.lexicon.halves(term)) for term, weight in group.members]
            idf = self.lexicon.group_idf(group, "post")
            with self._rows() as (tf, has):
                for weight, halves, counts in found:
                    tf[halves] += weight * counts
                if FEW * sum(len(halves) for _, halves, _ in found) > len(tf):
                    both = self._with_next(tf)
                    score += idf * both * (k1 + 1) / (both + norm)
                    tf[:] = 0
                else:
                    those, both = self._touched(tf, has, [halves for _, halves, _ in found])
                    score[those] += idf * both * (k1 + 1) / (both + norm[those])
        return score

    def _touched(
        self, tf: np.ndarray, has: np.ndarray, found: Sequence[np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns the windows that have one of some halves, and how often theirs have the terms.

        Rows are left as `_rows` gives them.
        """
        for halves in found:
            has[halves] = True
        own = np.flatnonzero(has)
        before = own[own > 0] - 1
        has[before[self._pair[before]]] = True
        those = np.flatnonzero(has)
        after = np.minimum(those + 1, len(tf) - 1)
        both = tf[those] + np.where(self._pair[those], tf[after], 0)
        tf[own] = 0
        has[those] = False
        return those, both

    @contextmanager
    def _rows(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yields a row of zeros (float32) and one of False by half, which must be left so."""
        size = len(self.starts)
        free = self._free.pop() if self._free else None
        rows = free or (np.zeros(size, np.float32), np.zeros(size, bool))
        yield rows
        self._free.append(rows)  # not after an error

    def norm(self, k1: float, b: float) -> np.ndarray:
        """Returns what BM25 adds to the frequencies of each window, for its length."""
        if (k1, b) not in self._norms:
            self._norms[k1, b] = k1 * (1 - b + b * self._length / self._mean)
        return self._norms[k1, b]

    def _with_next(self, values: np.ndarray) -> np.ndarray:
        """Returns each half's value with that of the next half of the same file."""
        out = values.copy()
        out[:-1] += np.where(self._pair[:-1], values[1:], 0)
        return out

    def highest(self, score: np.ndarray) -> np.ndarray:
        """Returns the score of each file's best window, float32 (files,)."""
        out = np.zeros(len(self._per_file), np.float32)
        filled = self._per_file > 0
        if filled.any():
            out[filled] = np.maximum.reduceat(score, self._first[filled])
        return out

    def line(self, score: np.ndarray, number: int) -> int:
        """Returns the first line, 1-based, of a file's best window; the first of equal ones."""
        first = int(self._first[number])
        own = score[first : first + int(self._per_file[number])]
        return max(int(own.argmax()) * HALF, 1) if len(own) else 1


class SomeWindows:
    """The windows of some files, each scored as among all.

    Args:
        windows: those of all files.
        looked: the files, and where the terms of the question stand in them.
    """

    def __init__(self, windows: Windows, looked: Looked) -> None:
        self._windows, self._looked = windows, looked
        self._pair = np.ones(len(looked.halves), bool)
        self._pair[looked.first[looked.first > 0] - 1] = False
        self._pair[-1:] = False

    def scores(self, groups: Iterable[TermGroup], k1: float, b: float) -> np.ndarray:
        """Returns the score of the window that begins with each half, float32 (halves,).

        Args:
            groups: those of the question, all of them.
            k1: of BM25.
            b: of BM25.
        """
        looked, lexicon = self._looked, self._windows.lexicon
        score = np.zeros(len(looked.halves), np.float32)
        norm = self._windows.norm(k1, b)[looked.halves]
        for group, rows in zip(groups, looked.members, strict=True):
            tf = np.zeros(len(score), np.float32)
            for row, (_, weight) in zip(rows, group.members, strict=True):
                halves, counts = looked.halves_with(row)
                tf[halves] += weight * counts
            both = tf.copy()
            both[:-1] += np.where(self._pair[:-1], tf[1:], 0)
            score += lexicon.group_idf(group, "post") * both * (k1 + 1) / (both + norm)
        return score

    def highest(self, score: np.ndarray) -> np.ndarray:
        """Returns the score of each file's best window, float32 (files of the index,)."""
        out = np.zeros(self._windows.lexicon.n_files, np.float32)
        if len(score):
            best, files = self._looked.best, self._looked.files
            out[files[best]] = np.maximum.reduceat(score, self._looked.first)[best]
        return out

    def line(self, score: np.ndarray, number: int) -> int:
        """Returns the first line, 1-based, of a file's best window; the first of equal ones."""
        at = int(self._looked.files.searchsorted(number))
        begin, end = np.append(self._looked.first, len(score))[at : at + 2].tolist()
        return max(int(score[begin:end].argmax()) * HALF, 1)
