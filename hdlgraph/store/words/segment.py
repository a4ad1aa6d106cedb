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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np

from hdlgraph.safety.npy import map_array
from hdlgraph.store.words import halves
from hdlgraph.store.words.halves import Halves
from hdlgraph.store.words.vocabulary import KEY, NAMES, VOCABULARY, Vocabulary, mapped_bytes

FILE_GAP = 16
"""Positions between two files, so that no phrase spans both."""
TEXT = "post"
"""The field of the whole text."""
FIELDS = (TEXT, "declared", "incoming", "explanation")
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

    def of_all(self, terms: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns those of several terms one after the other, and how many each term has."""
        if len(terms) == 1:
            documents, frequencies = self.of(int(terms[0]))
            return documents, frequencies, np.asarray([len(documents)])
        starts = self.pointers[terms]
        length = self.pointers[terms + 1] - starts
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
