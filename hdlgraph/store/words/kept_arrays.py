"""Keeps the arrays of the last used terms, or of whatever else they are asked for by."""

from __future__ import annotations

from collections.abc import Hashable
from threading import Lock

import numpy as np

Arrays = tuple[np.ndarray, ...]


class KeptArrays:
    """Arrays by term, the least recently used of which go first.

    Args:
        most: bytes of all arrays together; one that alone has more is kept until the next comes.
    """

    def __init__(self, most: int) -> None:
        self._most, self._bytes = most, 0
        self._found: dict[Hashable, Arrays] = {}
        self._lock = Lock()

    def get(self, term: Hashable) -> Arrays | None:
        """Returns the arrays of a term, None where they are not kept."""
        with self._lock:
            found = self._found.pop(term, None)
            if found is not None:
                self._found[term] = found
            return found

    def put(self, term: Hashable, arrays: Arrays) -> None:
        """Keeps the arrays of a term."""
        with self._lock:
            self._bytes += _size(arrays) - _size(self._found.pop(term, ()))
            self._found[term] = arrays
            while self._bytes > self._most and len(self._found) > 1:
                self._bytes -= _size(self._found.pop(next(iter(self._found))))


def _size(arrays: Arrays) -> int:
    return sum(one.nbytes for one in arrays)
