"""Finds a term, or a name, of a segment without reading the others; they are sorted."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from hdlgraph.safety.npy import map_array

VOCABULARY, NAMES = "vocab", "names"
"""Names of the files that hold the terms, and the declared names."""
KEY = 8
"""Bytes of a term that its number in vocab_key.npy is made of."""
CLOSING = 4
"""Last bytes of a term by which those of the same end are found."""
LENGTHS_APART = 2
"""Letters that a misspelt term has too many or too few, at most."""


def _closing_of(letters: np.ndarray) -> int:
    """Returns the number of some last letters, as `Vocabulary._closing` has them."""
    return int.from_bytes(letters.tobytes(), "little")


def keys_of(terms: Sequence[bytes]) -> np.ndarray:
    """Returns the first bytes of each term as a number, uint64, as `vocab_key.npy` has them."""
    whole = b"".join(term[:KEY].ljust(KEY, b"\0") for term in terms)
    return np.frombuffer(whole, ">u8").astype(np.uint64)


class Vocabulary:
    """The terms, or the names, of a segment; one is found without reading the others.

    Args:
        folder: the folder of the segment.
        name: of the files that hold them.
    """

    def __init__(self, folder: Path, name: str = VOCABULARY) -> None:
        self._file = folder / f"{name}.txt"
        self._all: dict[str, int] | None = None
        if not (folder / f"{name}_key.npy").is_file():  # an index of an earlier version
            self._all = {term: number for number, term in enumerate(self.terms())}
            return
        self._keys = map_array(folder / f"{name}_key.npy")
        self._pointers = map_array(folder / f"{name}_ptr.npy")
        self._text = mapped_bytes(self._file)

    def terms(self) -> list[str]:
        """Returns all terms in the order of their numbers."""
        text = self._file.read_bytes().decode(errors="surrogateescape")
        return text.split("\n") if text else []

    def number(self, term: str) -> int:
        """Returns the number of a term, -1 where it is unknown."""
        if self._all is not None:
            return self._all.get(term, -1)
        wanted = term.encode(errors="surrogateescape")
        key = keys_of([wanted])[0]
        first, end = (int(self._keys.searchsorted(key, side)) for side in ("left", "right"))
        return self._among(wanted, first, end)

    def _among(self, wanted: bytes, first: int, end: int) -> int:
        """Returns the number of a term, which is one of some or unknown."""
        while first < end:
            middle = (first + end) // 2
            found = self._term(middle)
            if found == wanted:
                return middle
            if found < wanted:
                first = middle + 1
            else:
                end = middle
        return -1

    def numbers(self, terms: Sequence[bytes], keys: np.ndarray) -> list[int]:
        """Returns the numbers of terms, -1 for unknown ones; many are found together.

        Args:
            terms: the terms as bytes.
            keys: what `keys_of` makes of them.
        """
        if self._all is not None:
            return [self._all.get(one.decode(errors="surrogateescape"), -1) for one in terms]
        firsts = self._keys.searchsorted(keys)
        found = firsts.tolist()
        ends = self._keys.searchsorted(keys, "right").tolist()
        return [
            self._among(term, first, end) if first < end else -1
            for term, first, end in zip(terms, found, ends, strict=True)
        ]

    def half_alike(self, term: str) -> list[str]:
        """Returns the terms of nearly the same length that begin or end as a term does.

        The one half of their letters is the same, the lengths differ by two at most: candidates for
        what a misspelt term means.
        """
        if self._all is not None:
            return difflib.get_close_matches(term, self._all, n=20, cutoff=0.8)
        wanted = np.frombuffer(term.encode(errors="surrogateescape"), np.uint8)
        half = len(wanted) // 2
        rows = self._nearly(wanted, half)
        starts, ends = np.asarray(self._pointers)[rows], np.asarray(self._pointers)[rows + 1] - 1
        near = np.abs(ends - starts - len(wanted)) <= LENGTHS_APART
        rows, starts, ends = rows[near], starts[near], ends[near]
        begins, closes = wanted[:half], wanted[half:]
        same = np.zeros(len(rows), bool)
        for part, first in ((begins, starts), (closes, ends - len(closes))):
            places = first[:, None] + np.arange(len(part))
            last = np.minimum(ends, len(self._text))
            inside = (first >= np.maximum(starts, 0)) & (first + len(part) <= last)
            same |= inside & (self._text[np.where(inside[:, None], places, 0)] == part).all(axis=1)
        return [self._term(row).decode(errors="surrogateescape") for row in rows[same].tolist()]

    def _nearly(self, wanted: np.ndarray, half: int) -> np.ndarray:
        """Returns the terms, sorted, that may begin or end as a term does: few others are among.

        They are found by the first letters of the one half, and by the last one of the other.
        """
        known = min(half, KEY)
        shift = np.uint64(8 * (KEY - known))
        key = keys_of([wanted[:known].tobytes()])[0]
        first = int(self._keys.searchsorted(key))
        end = int(self._keys.searchsorted(key | ~(~np.uint64(0) << shift), "right"))
        if not known:
            first, end = 0, len(self._keys)
        begins = np.zeros(len(self._keys), bool)
        begins[first:end] = True
        if len(wanted) > half:
            last = min(len(wanted) - half, CLOSING)
            own = self._closing >> np.uint32(8 * (CLOSING - last))
            begins |= own == _closing_of(wanted[-last:])
        return np.flatnonzero(begins)

    @cached_property
    def _closing(self) -> np.ndarray:
        """Returns the last bytes of each term as a number, uint32, the last one highest."""
        pointers = np.asarray(self._pointers)
        starts, ends = pointers[:-1], pointers[1:] - 1
        out = np.zeros(len(starts), np.uint32)
        for away in range(1, CLOSING + 1):
            places = np.clip(ends - away, 0, max(len(self._text) - 1, 0))
            letters = self._text[places] if len(self._text) else np.zeros(len(starts), np.uint8)
            own = np.where(ends - away >= starts, letters, np.uint8(0)).astype(np.uint32)
            out |= own << np.uint32(8 * (CLOSING - away))
        return out

    def _term(self, number: int) -> bytes:
        begin, end = self._pointers[number : number + 2].tolist()
        return self._text[begin : end - 1].tobytes()


def mapped_bytes(file: Path) -> np.ndarray:
    """Returns the bytes of a file, which may be empty, mapped into memory."""
    if not file.stat().st_size:
        return np.zeros(0, np.uint8)
    return np.memmap(file, np.uint8, "r").view(np.ndarray)
