"""A large table of LanceDB, searched by its index, with the exact vectors in an array beside it."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np

from hdlgraph.errors import IndexDamagedError
from hdlgraph.safety.npy import map_array
from hdlgraph.store.vectors import ann, arrays
from hdlgraph.store.vectors.lance import Lance
from hdlgraph.store.vectors.probing import Probing

RANKED = 3000
"""Rows of all groups together that a ranking compares at least."""


class Indexed(Lance):
    """The vectors of a folder that has all three: table, index and array."""

    def __init__(self, folder: Path, probing: Probing) -> None:
        super().__init__(folder)
        self._probing, self._file = probing, folder / arrays.FILE

    @property
    def probing(self) -> Probing | None:
        """Returns how the table is searched."""
        return self._probing

    @cached_property
    def _vectors(self) -> np.ndarray:
        return map_array(self._file)

    def similarity(self, vector: np.ndarray) -> np.ndarray:
        """Returns the cosine of the RANKED nearest rows, NaN for the others."""
        rows, cosines = self._nearest(vector, RANKED)
        found = np.full(len(self._vectors), np.nan, np.float32)
        found[rows] = cosines
        return found

    def nearest(self, vector: np.ndarray, count: int) -> np.ndarray:
        """Returns the rows nearest to a vector of length 1, nearest first, ties by row."""
        return self._nearest(vector, count)[0]

    def _nearest(self, vector: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        try:
            return ann.nearest(self._table, self._vectors, vector, count, self._probing)
        except (IndexError, OSError, RuntimeError, ValueError) as error:
            raise IndexDamagedError(
                f"index file {self._file}: does not go with {self._folder.name} ({error}); rebuild "
                "the index with `hdlgraph index --fresh REPO`"
            ) from error

    def rows(self) -> np.ndarray:
        """Returns all vectors, float32 (rows, dim)."""
        return self._vectors
