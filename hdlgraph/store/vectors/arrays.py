"""Exact vectors: one array on disk, mapped into memory, compared as a whole."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np

from hdlgraph.safety.npy import map_array
from hdlgraph.store.vectors.ann import exact
from hdlgraph.store.vectors.probing import Probing

NAME = "arrays"
FILE = "vectors.npy"


def write(folder: Path, vectors: np.ndarray, groups: np.ndarray) -> None:  # noqa: ARG001
    """Writes float32 (rows, dim); the groups are not needed, as every row is compared."""
    np.save(folder / FILE, vectors.astype(np.float32, copy=False))


class Arrays:
    """The vectors of a folder as one array."""

    name = NAME
    probing: Probing | None = None

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE

    @cached_property
    def _vectors(self) -> np.ndarray:
        return map_array(self._file)

    def similarity(self, vector: np.ndarray) -> np.ndarray:
        """Returns the cosine of every row with a vector of length 1, float32 (rows,)."""
        return np.asarray(self._vectors @ vector.astype(np.float32))

    def nearest(self, vector: np.ndarray, count: int) -> np.ndarray:
        """Returns the rows nearest to a vector of length 1, nearest first, ties by row."""
        return exact(self._vectors, vector.astype(np.float32), count)

    def rows(self) -> np.ndarray:
        """Returns all vectors, float32 (rows, dim)."""
        return self._vectors
