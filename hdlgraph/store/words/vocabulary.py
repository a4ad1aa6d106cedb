"""Finds a term, or a name, of a segment without reading the others; they are sorted."""

from __future__ import annotations

from collections.abc import Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path

import numpy as np

from hdlgraph.safety.npy import map_array

VOCABULARY, NAMES = "vocab", "names"
"""Names of the files that hold the terms, and the declared names."""
KEY = 8
"""Bytes of a term that its number in vocab_key.npy is made of."""
LETTERS = b"abcdefghijklmnopqrstuvwxyz0123456789"
"""What is counted of two terms that are spelt nearly alike; the last ten are the digits."""
JOINTS = 3
"""Other signs, such as `_`, that one of two such terms may have more."""
PIECE = 1 << 14
"""Terms whose letters are counted at a time."""
_CODE = np.full(256, len(LETTERS), np.int64)
_CODE[list(LETTERS)] = np.arange(len(LETTERS))


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
        self._mapped = _mapped(self._file)
        self._text = np.frombuffer(self._mapped, np.uint8)

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
        lengths = np.fromiter(map(len, terms), np.int64, len(terms))
        # Of the terms that begin with some bytes the first is the one that has no others.
        at = np.minimum(firsts, len(self._keys) - 1)
        if not len(self._keys):
            return [-1] * len(terms)
        whole = self._pointers[at + 1] - self._pointers[at] - 1 == lengths
        found = np.where(whole & (self._keys[at] == keys), at, -1)
        long = np.flatnonzero(lengths > KEY).tolist()
        if long:
            ends = self._keys.searchsorted(keys[long], "right").tolist()
            for one, end in zip(long, ends, strict=True):
                found[one] = self._among(terms[one], int(firsts[one]), end)
        return found.tolist()

    def having(self, text: str) -> list[str]:
        """Returns the terms in which a text stands, sorted; it has no line end."""
        if self._all is not None:
            return sorted(term for term in self._all if text in term)
        starts = _starts(self._mapped, text.encode(errors="surrogateescape"))
        rows = self._pointers.searchsorted(np.asarray(starts, np.int64), side="right") - 1
        rows = rows[(np.diff(rows, prepend=-1) > 0) & (rows < len(self._pointers) - 1)]
        return [self._term(row).decode(errors="surrogateescape") for row in rows.tolist()]

    def lettered(self, term: str, changes: int) -> list[str]:
        """Returns the terms that have the letters and digits of a term but for some, sorted.

        Candidates for what a misspelt term means: their order is not looked at. Digits are the
        same.

        Args:
            term: in lower case.
            changes: letters that may be others; as many may be too many or too few.
        """
        wanted = _counted(term.encode(errors="surrogateescape"))
        if self._all is not None:
            every = [one.encode(errors="surrogateescape") for one in self._all]
            found = [one for one in every if _near(_counted(one), wanted, changes)]
            return sorted(one.decode(errors="surrogateescape") for one in found)
        begins, lengths = self._pointers[:-1], np.diff(self._pointers) - 1
        inside = (begins >= 0) & (begins + lengths <= len(self._text))
        rows = np.flatnonzero(inside & (np.abs(lengths - len(term)) <= changes + JOINTS))
        pieces = [
            part[_near(self._letters(part), wanted, changes)]
            for part in np.split(rows, range(PIECE, len(rows), PIECE))
        ]
        near = np.concatenate(pieces).tolist()
        return [self._term(row).decode(errors="surrogateescape") for row in near]

    def _letters(self, rows: np.ndarray) -> np.ndarray:
        """Returns how often each of LETTERS stands in some terms, int64 (rows, LETTERS)."""
        begins = np.asarray(self._pointers[rows])
        lengths = np.asarray(self._pointers[rows + 1]) - 1 - begins
        owner = np.repeat(np.arange(len(rows)), lengths)
        at = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        signs = _CODE[self._text[at + np.repeat(begins, lengths)]]
        size = len(LETTERS) + 1
        counts = np.bincount(owner * size + signs, minlength=len(rows) * size)
        return counts.reshape(-1, size)[:, :-1]

    def _term(self, number: int) -> bytes:
        begin, end = self._pointers[number : number + 2].tolist()
        return self._text[begin : end - 1].tobytes()


def mapped_bytes(file: Path) -> np.ndarray:
    """Returns the bytes of a file, which may be empty, mapped into memory."""
    return np.frombuffer(_mapped(file), np.uint8)


def _mapped(file: Path) -> mmap | bytes:
    """Returns what the bytes of a file are found in without a copy of all of them."""
    with file.open("rb") as stream:
        return mmap(stream.fileno(), 0, access=ACCESS_READ) if file.stat().st_size else b""


def _starts(data: mmap | bytes, text: bytes) -> list[int]:
    """Returns where a text stands in others, in order; `find` is far faster than an expression."""
    found: list[int] = []
    at = data.find(text)
    while at >= 0:
        found.append(at)
        at = data.find(text, at + 1)
    return found


def _counted(term: bytes) -> np.ndarray:
    """Returns how often each of LETTERS stands in a term."""
    signs = _CODE[np.frombuffer(term, np.uint8)]
    return np.bincount(signs, minlength=len(LETTERS) + 1)[:-1]


def _near(counts: np.ndarray, wanted: np.ndarray, changes: int) -> np.ndarray:
    """Returns whether counts differ from some by so many changes at most, by no digit."""
    apart = np.abs(counts - wanted)
    return (apart.sum(axis=-1) <= 2 * changes) & (apart[..., 26:].sum(axis=-1) == 0)
