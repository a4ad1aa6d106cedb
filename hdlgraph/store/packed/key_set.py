"""A set of many keys that holds eight bytes of each."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

_RECENT = 1 << 16
"""Keys that are held as numbers until they are put among the others."""


class KeySet:
    """A set of texts, by hashes that hold within one process.

    Of two keys with the same hash, one in 2^64 pairs, both count as there when one is.
    """

    def __init__(self) -> None:
        self._recent: set[int] = set()
        self._packed: memoryview | None = None

    def update(self, keys: Iterable[str]) -> None:
        """Adds keys."""
        for key in keys:
            self.add(key)

    def add(self, key: str) -> None:
        """Adds a key."""
        self._recent.add(hash(key))
        if len(self._recent) >= _RECENT:
            self._pack()

    def _pack(self) -> None:
        import numpy as np  # a run with few keys does without

        parts = [np.fromiter(self._recent, np.int64, len(self._recent))]
        if self._packed is not None:
            parts.append(np.frombuffer(self._packed, np.int64))
        whole = np.sort(np.concatenate(parts))
        is_first = np.ones(len(whole), bool)
        is_first[1:] = whole[1:] != whole[:-1]
        self._packed = memoryview(whole[is_first].tobytes()).cast("q")
        self._recent = set()

    def __contains__(self, key: object) -> bool:
        number = hash(key)
        return number in self._recent or self._has(number)

    def _has(self, number: int) -> bool:
        if self._packed is None:
            return False
        at = bisect_left(self._packed, number)
        return at < len(self._packed) and self._packed[at] == number

    def __len__(self) -> int:
        if self._recent and self._packed is not None:
            self._pack()
        return len(self._recent) if self._packed is None else len(self._packed)
