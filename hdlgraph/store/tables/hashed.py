"""Finds the rows of a text by a hash: 12 bytes a row; a dictionary takes some hundred more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

WORD = 8
"""Bytes of a text's beginning, middle and end that its hash is made of."""
_FACTORS = np.asarray(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93], np.uint64
)


class Hashed:
    """Some texts of a column by their hashes.

    Args:
        data: uint8, texts one behind the other.
        first: int64, where the text of each row begins.
        end: int64, where it ends.
        rows: those that are found; None for all.
        small: whether capitals A to Z count as small letters.
    """

    def __init__(
        self,
        data: np.ndarray,
        first: np.ndarray,
        end: np.ndarray,
        rows: np.ndarray | None = None,
        small: bool = False,
    ) -> None:
        self._data, self._first, self._end, self._small = data, first, end, small
        rows = np.arange(len(first)) if rows is None else rows
        keys = _keys(lower(data) if small else data, first[rows], end[rows])
        order = np.argsort(keys)
        self._keys, self._rows = keys[order], rows[order].astype(np.int32)

    def find(self, text: bytes) -> Sequence[int]:
        """Returns the rows of a text in order; of one in small letters where these count."""
        wanted = np.frombuffer(text, np.uint8)
        key = _keys(wanted, np.zeros(1, np.int64), np.asarray([len(wanted)]))[0]
        begin, end = (self._keys.searchsorted(key, side) for side in ("left", "right"))
        rows = self._rows[begin:end]
        rows = rows[self._end[rows] - self._first[rows] == len(wanted)]
        own = self._data[self._first[rows][:, None] + np.arange(len(wanted))]
        same = (lower(own) if self._small else own) == wanted
        return np.sort(rows[same.all(axis=1)]).tolist()


def lower(data: np.ndarray) -> np.ndarray:
    """Returns bytes with small letters for the capitals A to Z."""
    return np.frombuffer(data.tobytes().lower(), np.uint8).reshape(data.shape)


def _keys(data: np.ndarray, first: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Returns a hash of each text, uint64, made of its length and bytes of three places."""
    around = np.concatenate((np.zeros(WORD, np.uint8), data, np.zeros(WORD, np.uint8)))
    words = np.ndarray((len(data) + WORD + 1,), "<u8", around.data, strides=(1,))
    length, middle = end - first, (first + end) // 2
    bits, rest = (
        (8 * (WORD - np.minimum(one, WORD))).astype(np.uint64) for one in (length, end - middle)
    )
    parts = (words[first + WORD] << bits, words[middle + WORD] << rest, words[end] >> bits)
    found = length.astype(np.uint64) * _FACTORS[3]
    for part, factor in zip(parts, _FACTORS, strict=False):
        found ^= np.where(length > 0, part, np.uint64(0)) * factor
    return found
