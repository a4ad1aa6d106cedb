"""Writes and reads one segment: the words of some neighbouring files of a generation.

Numpy arrays that the reader maps into memory; n = files, t = terms, p = postings, o = occurrences:

    vocab.txt        t terms, sorted, one a line
    vocab_ptr.npy    int64 (t+1) first byte of each term in vocab.txt
    vocab_key.npy    uint64 (t,) the first 8 bytes of each term as a number, highest byte first
    occ_ptr.npy      int64 (t+1)                occ_pos.npy    uint32 (o,) positions, sorted by term
    half_*.npy       in which halves of files each term stands (`hdlgraph.store.words.halves`)
    file_start.npy   int64 (n+1) first position of each file; files are FILE_GAP apart
    line_ptr.npy     int64 (n+1)                line_pos.npy   uint32 first position of each line
    NAME_ptr.npy     int64 (t+1)                NAME_doc/tf    int32/uint16 (p,) of each field
    NAME_len.npy     int32 (n,) terms of each file in a field (file_len.npy of the whole text)
    names.txt        m lower-case declared names and file names, sorted, one a line; with
                     names_ptr.npy and names_key.npy as the terms have them
    places.msgpack   for each of them [(file, line, kind, name), ...], one after the other
    places_ptr.npy   int64 (m+1) first byte of each in places.msgpack

Files, and positions, are counted from the segment's first one. A position counts the terms of all
its files one after the other; the fields have one vocabulary. The field `post` is the whole text.
Rows of a term x are those from ptr[x] to ptr[x + 1].
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np

from hdlgraph.safety.npy import map_array
from hdlgraph.store.words import halves
from hdlgraph.store.words.halves import Halves

FILE_GAP = 16
"""Positions between two files, so that no phrase spans both."""
TEXT = "post"
"""The field of the whole text."""
FIELDS = (TEXT, "declared", "incoming", "explanation")
VOCABULARY, NAMES = "vocab", "names"
"""Names of the files that hold the terms, and the declared names."""
KEY = 8
"""Bytes of a term that its number in vocab_key.npy is made of."""

Place = tuple[int, int, str, str]
"""Where a name is declared: file number, line (1-based), kind, the name as written."""


def _lengths(field: str) -> str:
    return "file_len.npy" if field == TEXT else f"{field}_len.npy"


FILES = (
    "vocab.txt",
    "vocab_ptr.npy",
    "vocab_key.npy",
    "occ_ptr.npy",
    "occ_pos.npy",
    "file_start.npy",
    "line_ptr.npy",
    "line_pos.npy",
    "names.txt",
    "names_ptr.npy",
    "names_key.npy",
    "places.msgpack",
    "places_ptr.npy",
    *halves.FILES,
    *(f"{field}_{part}.npy" for field in FIELDS for part in ("ptr", "doc", "tf")),
    *map(_lengths, FIELDS),
)
"""The files of a segment."""


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Positions of all terms, and the positions at which files and lines begin."""

    pointers: np.ndarray
    positions: np.ndarray
    file_start: np.ndarray
    line_pointers: np.ndarray
    line_starts: np.ndarray


@dataclass(frozen=True, slots=True)
class Postings:
    """Files and frequencies of each term in one field, and the lengths of all files in it."""

    pointers: np.ndarray
    documents: np.ndarray
    frequencies: np.ndarray
    lengths: np.ndarray

    def of(self, term: int) -> tuple[np.ndarray, np.ndarray]:
        """Returns (documents int32, frequencies uint16) of a term's number."""
        start, end = int(self.pointers[term]), int(self.pointers[term + 1])
        return self.documents[start:end], self.frequencies[start:end]

    def of_all(self, terms: Sequence[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns those of several terms one after the other, and how many each term has."""
        if len(terms) == 1:
            documents, frequencies = self.of(terms[0])
            return documents, frequencies, np.asarray([len(documents)])
        starts = self.pointers[np.asarray(terms)]
        length = self.pointers[np.asarray(terms) + 1] - starts
        rows = np.arange(int(length.sum())) + np.repeat(starts - np.cumsum(length) + length, length)
        return self.documents[rows], self.frequencies[rows], length


def write_vocabulary(folder: Path, terms: Sequence[str]) -> None:
    """Writes the terms in the order of their numbers, and where to find each."""
    _write_sorted(folder, VOCABULARY, terms)


def _write_sorted(folder: Path, name: str, texts: Sequence[str]) -> None:
    whole = "\n".join(texts)
    data = whole.encode(errors="surrogateescape")
    plain = whole.isascii()  # a letter is a byte then
    coded = texts if plain else [text.encode(errors="surrogateescape") for text in texts]
    lengths = np.fromiter(map(len, coded), np.int64, len(coded))
    pointers = _pointers(lengths + 1)
    (folder / f"{name}.txt").write_bytes(data)
    np.save(folder / f"{name}_ptr.npy", pointers)
    np.save(folder / f"{name}_key.npy", _keys(data, pointers[:-1], lengths))


def _keys(data: bytes, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Returns the first bytes of each text as a number, in whose order the texts are."""
    signs = np.frombuffer(data + bytes(KEY), np.uint8)
    at = np.arange(KEY)
    found = np.where(at < lengths[:, None], signs[starts[:, None] + at], np.uint8(0))
    return found.view(">u8").astype(np.uint64).reshape(-1)


def _pointers(lengths: Sequence[int] | np.ndarray) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(np.asarray(lengths, np.int64)))).astype(np.int64)


def write_occurrences(folder: Path, found: Occurrences) -> None:
    """Writes the positions of all terms, files and lines, and the halves of all terms."""
    np.save(folder / "occ_ptr.npy", found.pointers.astype(np.int64))
    np.save(folder / "occ_pos.npy", found.positions.astype(np.uint32))
    np.save(folder / "file_start.npy", found.file_start.astype(np.int64))
    np.save(folder / "line_ptr.npy", found.line_pointers.astype(np.int64))
    np.save(folder / "line_pos.npy", found.line_starts.astype(np.uint32))
    _, starts = halves.starts_of(found.line_pointers, found.line_starts)
    halves.write_halves(folder, halves.halves_of(found.pointers, found.positions, starts))


def write_postings(folder: Path, field: str, found: Postings) -> None:
    """Writes the postings of one field; a frequency above 65,535 is written as that."""
    np.save(folder / f"{field}_ptr.npy", found.pointers.astype(np.int64))
    np.save(folder / f"{field}_doc.npy", found.documents.astype(np.int32))
    np.save(folder / f"{field}_tf.npy", np.minimum(found.frequencies, 65535).astype(np.uint16))
    np.save(folder / _lengths(field), found.lengths.astype(np.int32))


def write_names(folder: Path, places: Mapping[str, Sequence[Place]]) -> None:
    """Writes the places that declare each name."""
    names = sorted(places, key=lambda name: name.encode(errors="surrogateescape"))
    blobs = [msgspec.msgpack.encode(places[name]) for name in names]
    _write_sorted(folder, NAMES, names)
    (folder / "places.msgpack").write_bytes(b"".join(blobs))
    np.save(folder / "places_ptr.npy", _pointers([len(blob) for blob in blobs]))


def _closing_of(letters: np.ndarray) -> int:
    """Returns the number of some last letters, as `Vocabulary._closing` has them."""
    return int.from_bytes(letters.tobytes(), "little")


CLOSING = 4
"""Last bytes of a term by which those of the same end are found."""
LENGTHS_APART = 2
"""Letters that a misspelt term has too many or too few, at most."""


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


class Segment:
    """The words of some neighbouring files; large arrays are mapped into memory when asked for.

    Args:
        folder: the folder of the segment.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._fields: dict[str, Postings] = {}

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Returns the terms."""
        return Vocabulary(self.folder)

    @cached_property
    def occurrences(self) -> Occurrences:
        """Returns the positions of terms, files and lines."""
        return Occurrences(
            pointers=map_array(self.folder / "occ_ptr.npy"),
            positions=map_array(self.folder / "occ_pos.npy"),
            file_start=map_array(self.folder / "file_start.npy"),
            line_pointers=map_array(self.folder / "line_ptr.npy"),
            line_starts=map_array(self.folder / "line_pos.npy"),
        )

    @cached_property
    def half_starts(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns how many halves each file has, and where each half begins (uint32)."""
        found = self.occurrences
        return halves.starts_of(found.line_pointers, found.line_starts)

    @cached_property
    def halves(self) -> Halves | None:
        """Returns the halves of all terms, None in an index of an earlier version."""
        return halves.map_halves(self.folder)

    def halves_of(self, term: int) -> tuple[np.ndarray, np.ndarray]:
        """Returns (halves, sorted, and how often a term stands in each) of a term's number."""
        if self.halves is not None:
            begin, end = self.halves.pointers[term : term + 2].tolist()
            return self.halves.numbers[begin:end], self.halves.counts[begin:end]
        begin, end = self.occurrences.pointers[term : term + 2].tolist()
        places = self.occurrences.positions[begin:end]
        found = halves.halves_of(np.asarray([0, len(places)]), places, self.half_starts[1])
        return found.numbers, found.counts

    def postings(self, field: str) -> Postings:
        """Returns the postings of a field; TEXT is the whole text."""
        if field not in self._fields:
            self._fields[field] = Postings(
                pointers=map_array(self.folder / f"{field}_ptr.npy"),
                documents=map_array(self.folder / f"{field}_doc.npy"),
                frequencies=map_array(self.folder / f"{field}_tf.npy"),
                lengths=map_array(self.folder / _lengths(field)),
            )
        return self._fields[field]

    def places(self, name: str) -> list[Place]:
        """Returns the places that declare a lower-case name."""
        if self._former_names is not None:
            return self._former_names.get(name, [])
        number = self._names.number(name)
        if number < 0:
            return []
        begin, end = self._place_pointers[number : number + 2].tolist()
        return _PLACES.decode(self._places[begin:end].tobytes())

    @cached_property
    def _former_names(self) -> dict[str, list[Place]] | None:
        """Returns the places of all names in an index of an earlier version, None in others."""
        if (self.folder / "places_ptr.npy").is_file():
            return None
        data = (self.folder / "names.msgpack").read_bytes()
        return msgspec.msgpack.decode(data, type=dict[str, list[Place]])

    @cached_property
    def _names(self) -> Vocabulary:
        return Vocabulary(self.folder, NAMES)

    @cached_property
    def _place_pointers(self) -> np.ndarray:
        return map_array(self.folder / "places_ptr.npy")

    @cached_property
    def _places(self) -> np.ndarray:
        return mapped_bytes(self.folder / "places.msgpack")


_PLACES = msgspec.msgpack.Decoder(list[Place])


def mapped_bytes(file: Path) -> np.ndarray:
    """Returns the bytes of a file, which may be empty, mapped into memory."""
    if not file.stat().st_size:
        return np.zeros(0, np.uint8)
    return np.memmap(file, np.uint8, "r").view(np.ndarray)
