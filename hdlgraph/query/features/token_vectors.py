"""Meaning, token by token: a file is as near as its best tokens are to those of the question.

score(q, f) = sum over question tokens i of max over tokens j of the file's passages q_i . f_j
(Khattab & Zaharia, ColBERT, SIGIR 2020, eq. 3: late interaction), the maximum over all passages of
a file. Only the POOL files that are best by the features asked before are compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hdlgraph.query.best import few_best
from hdlgraph.query.features.feature import Asked, Nearness, Scores, scale
from hdlgraph.query.index_view import IndexView
from hdlgraph.store.token_vectors import SCALE, StoredTokenVectors

POOL = 100
"""Files that are compared token by token."""
BLOCK = 1024
"""Least tokens that are compared at one time: about as many as a cache holds as float32."""


class TokenVectors:
    """Scores files by their token vectors."""

    name = "token_vectors"

    def score(self, asked: Asked) -> Scores | None:
        """Returns the part token_vectors: scaled over the pool, 0 for all other files."""
        question = asked.vectors.tokens
        if question is None:
            return None
        before = asked.so_far()
        numbers = np.arange(asked.n_files) if asked.candidates is None else asked.candidates
        pool = np.sort(numbers[few_best(before[numbers], POOL)])
        out = np.zeros(asked.n_files, np.float32)
        rows = np.full(asked.n_files, -1, np.int64)
        if len(pool):
            near, row = asked.index.part(passages_of).near(question, pool)
            asked.nearness = Nearness(pool, near)
            score = near.sum(axis=1)
            out[pool] = scale(score, None)
            rows[pool] = row
        part = asked.weights.token_vectors * out
        return Scores({self.name: part}, passages={self.name: rows})


def passages_of(index: IndexView) -> Passages:
    """Returns the passages of an index that has token vectors."""
    surfaces = index.surfaces
    assert surfaces is not None
    return Passages(StoredTokenVectors(surfaces.folder), surfaces.owner)


class Passages:
    """The passages of all files as token vectors; `owner` is the file number of each, sorted."""

    def __init__(self, stored: StoredTokenVectors, owner: np.ndarray) -> None:
        self.stored = stored
        self.owner = owner

    def score(self, question: np.ndarray, files: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns (score, row of the best single passage or -1) of each file; see `near`."""
        near, best = self.near(question, files)
        return near.sum(axis=1), best

    def near(self, question: np.ndarray, files: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns how near each file is to each token, and the row of its best passage or -1.

        Args:
            question: float32 (tokens, dim).
            files: int64 file numbers.
        """
        score = np.zeros((len(files), len(question)), np.float32)
        best = np.full(len(files), -1, np.int64)
        first = np.searchsorted(self.owner, files, side="left")
        last = np.searchsorted(self.owner, files, side="right")
        place = np.repeat(np.arange(len(files)), last - first)
        before = np.repeat(np.cumsum(last - first) - (last - first), last - first)
        rows = np.arange(len(place)) - before + np.repeat(first, last - first)
        length = self.stored.pointers[rows + 1] - self.stored.pointers[rows]
        rows, place, length = (part[length > 0] for part in (rows, place, length))
        if not len(rows):
            return score, best
        # A file's passages stand one after the other.
        parts = [
            self.stored.tokens[begin:end]
            for begin, end in self.stored.pointers[[first, last]].T.tolist()
        ]
        starts = np.concatenate(([0], np.cumsum(length)[:-1]))
        near = nearness(parts, question)
        passages = np.maximum.reduceat(near, starts, axis=0)
        filled, begin = np.unique(place, return_index=True)
        score[filled] = np.maximum.reduceat(passages, begin, axis=0)
        order = np.lexsort((rows, -passages.sum(axis=1), place))
        best[filled] = rows[order][np.unique(place[order], return_index=True)[1]]
        return score, best


def nearness(parts: Sequence[np.ndarray], question: np.ndarray) -> np.ndarray:
    """Returns how near each token is to each of a question, float32 (tokens, question's tokens).

    Args:
        parts: int8 (tokens, dim), each SCALE times a vector of length 1.
        question: float32 (question's tokens, dim).
    """
    ends = np.cumsum([len(part) for part in parts])
    out = np.empty((int(ends[-1]), len(question)), np.float32)
    scaled = question.T / SCALE
    begin = first = 0
    for last, end in enumerate(ends.tolist(), 1):
        # No block is short: the products of a short one may be summed in another order.
        if end == len(out) or (end - begin >= BLOCK and len(out) - end >= BLOCK):
            some = parts[first:last]
            block = np.concatenate(some, dtype=np.float32, casting="unsafe")
            np.matmul(block, scaled, out=out[begin:end])
            begin, first = end, last
    return out
