"""Finds the rows of a text by a hash: 12 bytes a row; a dictionary takes some hundred more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

WORD = 8
"""Bytes of a text's beginning, middle and end that its hash is made of."""
FEW = 8
"""Rows of one hash that are compared one by one."""
_ALL = (1 << 64) - 1
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
        key = np.uint64(_key(text))
        begin, end = (self._keys.searchsorted(key, side) for side in ("left", "right"))
        rows = self._rows[begin:end]
        rows = rows[self._end[rows] - self._first[rows] == len(text)]
        if len(rows) <= FEW:
            return sorted(row for row in rows.tolist() if self._text(row) == text)
        wanted = np.frombuffer(text, np.uint8)
        own = self._data[self._first[rows][:, None] + np.arange(len(wanted))]
        same = (lower(own) if self._small else own) == wanted
        return np.sort(rows[same.all(axis=1)]).tolist()

    def _text(self, row: int) -> bytes:
        found = self._data[self._first[row] : self._end[row]].tobytes()
        return found.lower() if self._small else found


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


def _key(text: bytes) -> int:
    """Returns the hash of one text, the same as `_keys` gives it: arrays of one cost far more."""
    length, middle = len(text), len(text) // 2
    bits, rest = (8 * (WORD - min(one, WORD)) for one in (length, length - middle))
    first, second = (text[at : at + WORD].ljust(WORD, b"\0") for at in (0, middle))
    last = text[-WORD:].rjust(WORD, b"\0")
    words = [int.from_bytes(one, "little") for one in (first, second, last)]
    parts = (words[0] << bits, words[1] << rest, words[2] >> bits)
    found = length * int(_FACTORS[3])
    for part, factor in zip(parts, _FACTORS, strict=False):
        found ^= (part & _ALL) * int(factor) & _ALL
    return found & _ALL
