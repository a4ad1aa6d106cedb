"""Finds the well-known structures that a question describes, and the files that are these.

near(q, d) = cos(q, d) + 2 x mean over the question's tokens of the best token of description d;
score(q, f) = max over the MOST nearest d of (near(q, d) - (the best near - SPAN)) strength(d, f)^4
(`index/embed/structures.py`). The factor 2 evens out the spreads of the two, .05 and .023 over the
descriptions; either alone is good, both are better.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from hdlgraph.query.features.token_vectors import SCALE

SPAN = 0.12
MOST = 10
POWER = 4
SURE = 0.75
"""A file of this strength may be called such a structure."""


@dataclass(frozen=True, slots=True)
class Described:
    """Structures that a question describes: scores of files, and the best description of each.

    score: float32 (files,), 0 where a file is none of them; row: int64 (files,), -1 where no
    file's name says so plainly (strength SURE).
    """

    score: np.ndarray
    row: np.ndarray


class StructureTexts:
    """The descriptions of structures that the repository has, with their files."""

    def __init__(self, folder: Path, n_files: int) -> None:
        data = (folder / "texts.msgpack").read_bytes()
        self.texts = msgspec.msgpack.decode(data, type=list[tuple[str, str]])
        self.n_files = n_files
        self._pointers = np.load(folder / "ptr.npy")
        self._files = np.load(folder / "files.npy")
        self._strengths = np.load(folder / "strengths.npy")
        self._vectors = _array(folder / "vectors.npy")
        tokens = _array(folder / "late.npy")
        self._tokens = None if tokens is None else tokens.astype(np.float32)
        self._token_pointers = _array(folder / "late_ptr.npy")

    def near(self, vector: np.ndarray | None, tokens: np.ndarray | None) -> np.ndarray | None:
        """Returns how near a question is to each description, or None without any vector."""
        parts = []
        if vector is not None and self._vectors is not None:
            parts.append(self._vectors @ vector.astype(np.float32))
        if tokens is not None and self._tokens is not None and len(tokens):
            assert self._token_pointers is not None
            every = self._tokens @ (tokens.T / SCALE)
            best = np.maximum.reduceat(every, self._token_pointers[:-1], axis=0)
            parts.append(2 * best.mean(axis=1))
        return np.sum(parts, axis=0) if parts else None

    def described(self, vector: np.ndarray | None, tokens: np.ndarray | None) -> Described | None:
        """Returns the files that are what the question describes; None when nothing can tell."""
        near = self.near(vector, tokens) if self.texts else None
        if near is None:
            return None
        score = np.zeros(self.n_files, np.float32)
        row = np.full(self.n_files, -1, np.int64)
        floor = float(near.max()) - SPAN
        for place in np.argsort(-near, kind="stable")[:MOST]:
            weight = float(near[place]) - floor
            if weight <= 0:
                break
            span = slice(self._pointers[place], self._pointers[place + 1])
            files = self._files[span]
            gained = weight * self._strengths[span] ** POWER
            better = gained > score[files]
            score[files[better]] = gained[better]
            row[files[better]] = np.where(self._strengths[span][better] >= SURE, place, -1)
        return Described(score, row)


def _array(path: Path) -> np.ndarray | None:
    return np.load(path) if path.is_file() else None
