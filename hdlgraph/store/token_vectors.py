"""Writes and reads token vectors, which lie beside the texts that they are of.

token_vectors.npy      int8 (tokens, d), SCALE times the components of vectors of length 1
token_vectors_ptr.npy  int64 (texts + 1), first token of each text; an empty text has no token

They are compared in `hdlgraph/query/features/token_vectors.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from hdlgraph.safety.npy import map_array, read_array

SCALE = 127.0
"""Stored numbers are round(127 x), x a component of a vector of length 1."""
_TOKENS, _POINTERS = "token_vectors.npy", "token_vectors_ptr.npy"


def write_token_vectors(folder: Path, texts: Sequence[np.ndarray], dim: int) -> None:
    """Writes the token vectors of texts, each int8 (tokens, dim)."""
    tokens = np.concatenate(texts) if texts else np.zeros((0, dim), np.int8)
    np.save(folder / _TOKENS, tokens)
    lengths = np.cumsum([len(text) for text in texts])
    np.save(folder / _POINTERS, np.concatenate(([0], lengths)).astype(np.int64))


class StoredTokenVectors:
    """Token vectors of the texts of one folder, mapped into memory.

    `pointers`: int64 (texts + 1), the first token of each text.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.pointers = read_array(folder / _POINTERS)

    @classmethod
    def find(cls, folder: Path) -> StoredTokenVectors | None:
        """Returns the token vectors in a folder, or None where it has none."""
        return cls(folder) if (folder / _TOKENS).is_file() else None

    @cached_property
    def tokens(self) -> np.ndarray:
        """Returns int8 (tokens, dim)."""
        return map_array(self._folder / _TOKENS)
