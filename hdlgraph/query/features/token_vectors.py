"""Late interaction: a file is as near as its best tokens are to each token of the question.

score(q, f) = sum over question tokens i of max over tokens j of the file's passages q_i . f_j
(Khattab & Zaharia, ColBERT, SIGIR 2020, eq. 3), the maximum over all passages of a file.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

import numpy as np

LateScores = tuple[np.ndarray, np.ndarray]
SCALE = 127.0
"""As in `hdlgraph.index.embed.token_vectors`: stored numbers are 127 times the vectors."""


class LateTokens:
    """Token vectors of one generation, memory-mapped; passages are grouped by file."""

    def __init__(self, folder: Path, owner: np.ndarray) -> None:
        self.folder = folder
        self.owner = owner
        self.pointers = np.load(folder / "late_ptr.npy")

    @cached_property
    def tokens(self) -> np.ndarray:
        """Returns int8 (tokens, dim)."""
        return np.load(self.folder / "late.npy", mmap_mode="r").view(np.ndarray)

    def scorer(self, question: np.ndarray) -> Callable[[np.ndarray], LateScores]:
        """Returns the function that scores files for one question."""
        return lambda files: self.score(question, files)

    def score(self, question: np.ndarray, files: np.ndarray) -> LateScores:
        """Returns (score, row of the best single passage or -1) of each file.

        Args:
            question: float32 (tokens, dim).
            files: int64 file numbers.
        """
        score = np.zeros(len(files), np.float32)
        best = np.full(len(files), -1, np.int64)
        first = np.searchsorted(self.owner, files, side="left")
        last = np.searchsorted(self.owner, files, side="right")
        place = np.repeat(np.arange(len(files)), last - first)
        before = np.repeat(np.cumsum(last - first) - (last - first), last - first)
        rows = np.arange(len(place)) - before + np.repeat(first, last - first)
        length = self.pointers[rows + 1] - self.pointers[rows]
        rows, place, length = (part[length > 0] for part in (rows, place, length))
        if not len(rows):
            return score, best
        # A file's passages stand one after the other.
        parts = [self.tokens[begin:end] for begin, end in self.pointers[[first, last]].T]
        near = np.concatenate(parts).astype(np.float32) @ (question.T / SCALE)
        starts = np.concatenate(([0], np.cumsum(length)[:-1]))
        passages = np.maximum.reduceat(near, starts, axis=0)
        filled, begin = np.unique(place, return_index=True)
        score[filled] = np.maximum.reduceat(passages, begin, axis=0).sum(axis=1)
        order = np.lexsort((rows, -passages.sum(axis=1), place))
        best[filled] = rows[order][np.unique(place[order], return_index=True)[1]]
        return score, best
