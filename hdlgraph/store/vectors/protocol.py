"""The protocol of vector stores: what writes, finds and compares the vectors of one folder."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np

from hdlgraph.store.vectors.probing import Probing

NEAREST = 2000
"""Rows of each group that a store compares at least; it may leave out all that are farther."""


class VectorStore(Protocol):
    """The vectors of one folder: float32 rows of length 1, each in a group (0 to 255)."""

    name: str
    """As `embedding.store` calls it."""

    @property
    def probing(self) -> Probing | None:
        """Returns how a store searches that does not compare all vectors, and its recall."""

    def similarity(self, vector: np.ndarray) -> np.ndarray:
        """Returns the cosine of every row with a vector of length 1, float32 (rows,).

        It is NaN for rows that are farther than the `NEAREST` of their group, where a store does
        not look at these.
        """

    def nearest(self, vector: np.ndarray, count: int) -> np.ndarray:
        """Returns the rows nearest to a vector of length 1, nearest first, ties by row.

        They are those of all groups together, and may miss some where `probing` is not None.
        """

    def rows(self) -> np.ndarray:
        """Returns all vectors, float32 (rows, dim)."""


class Writer(Protocol):
    """Writes vectors into a folder, in the form that the store of the same name reads."""

    def __call__(self, folder: Path, vectors: np.ndarray, groups: np.ndarray) -> None:
        """Writes float32 (rows, dim) with the group of each row, uint8 (rows,)."""
