"""Writes and reads the lexical index: the folder `lexical/` of a generation.

Numpy arrays that the reader maps into memory; n = files, t = terms, p = postings, o = occurrences:

    paths.json       n x [path, role, lines, 1 if its explanation was written by a model or person,
                     1 if comments introduce it]
    summaries.txt    n lines, what each file does in one sentence; read when first asked for
    vocab.txt        t terms, sorted, one a line
    occ_ptr.npy      int64 (t+1)                occ_pos.npy    uint32 (o,) positions, sorted by term
    file_start.npy   int64 (n+1) first position of each file; files are FILE_GAP apart
    line_ptr.npy     int64 (n+1)                line_pos.npy   uint32 first position of each line
    NAME_ptr.npy     int64 (t+1)                NAME_doc/tf    int32/uint16 (p,) of each field
    NAME_len.npy     int32 (n,) terms of each file in a field (file_len.npy of the whole text)
    names.msgpack    lower-case declared name or file name -> [(file, line, kind, name), ...]
    abbreviations.json                          mined word -> [[fragment, probability]]
    near_copies.json groups of files that are nearly the same, each at least two numbers, sorted

A position counts the terms of all files one after the other; the fields have one vocabulary. The
field `post` is the whole text. Rows of a term x are those from ptr[x] to ptr[x + 1].
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

FOLDER = "lexical"
FILE_GAP = 16
"""Positions between two files, so that no phrase spans both."""
TEXT = "post"
"""The field of the whole text."""

Place = tuple[int, int, str, str]
"""Where a name is declared: file number, line (1-based), kind, the name as written."""


class FileRow(NamedTuple):
    """What the lexical index knows of a file.

    `written`: a model or a person explained it; `introduced`: comments say what it
    or its units are.
    """

    path: str
    role: str
    lines: int
    written: bool
    introduced: bool = True


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


def make_folder(generation: Path) -> Path:
    """Creates the folder of the lexical index in a generation's folder and returns it."""
    folder = generation / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_files(folder: Path, rows: Sequence[FileRow]) -> None:
    """Writes what is known of each file, in the order of the files' numbers."""
    meta = [[row.path, row.role, row.lines, int(row.written), int(row.introduced)] for row in rows]
    (folder / "paths.json").write_text(json.dumps(meta), encoding="utf-8")


def write_summaries(folder: Path, sentences: Sequence[str]) -> None:
    """Writes what each file does in one sentence ("" where unknown), in the files' order."""
    text = "\n".join(" ".join(sentence.split()) for sentence in sentences)
    (folder / "summaries.txt").write_text(text, encoding="utf-8")


def read_summaries(folder: Path, files: int) -> list[str]:
    """Returns what each of so many files does; "" for those of an index that does not say."""
    file = folder / "summaries.txt"
    found = file.read_text(encoding="utf-8").split("\n") if file.is_file() else []
    return found if len(found) == files else [""] * files


def write_vocabulary(folder: Path, terms: Sequence[str]) -> None:
    """Writes the terms in the order of their numbers."""
    (folder / "vocab.txt").write_text("\n".join(terms), encoding="utf-8")


def write_occurrences(folder: Path, found: Occurrences) -> None:
    """Writes the positions of all terms, files and lines."""
    np.save(folder / "occ_ptr.npy", found.pointers.astype(np.int64))
    np.save(folder / "occ_pos.npy", found.positions.astype(np.uint32))
    np.save(folder / "file_start.npy", found.file_start.astype(np.int64))
    np.save(folder / "line_ptr.npy", found.line_pointers.astype(np.int64))
    np.save(folder / "line_pos.npy", found.line_starts.astype(np.uint32))


def write_postings(folder: Path, field: str, found: Postings) -> None:
    """Writes the postings of one field; a frequency above 65,535 is written as that."""
    np.save(folder / f"{field}_ptr.npy", found.pointers.astype(np.int64))
    np.save(folder / f"{field}_doc.npy", found.documents.astype(np.int32))
    np.save(folder / f"{field}_tf.npy", np.minimum(found.frequencies, 65535).astype(np.uint16))
    np.save(folder / _lengths(field), found.lengths.astype(np.int32))


def write_names(folder: Path, places: Mapping[str, Sequence[Place]]) -> None:
    """Writes the places that declare each name."""
    (folder / "names.msgpack").write_bytes(msgspec.msgpack.encode(places))


def write_abbreviations(folder: Path, mined: Mapping[str, Sequence[Sequence[object]]]) -> None:
    """Writes the mined abbreviations: word -> [(fragment, probability), ...]."""
    text = json.dumps(mined, sort_keys=True)
    (folder / "abbreviations.json").write_text(text, encoding="utf-8")


def write_near_copies(folder: Path, groups: Sequence[Sequence[int]]) -> None:
    """Writes which files are nearly the same: groups of their numbers."""
    text = json.dumps([list(group) for group in groups])
    (folder / "near_copies.json").write_text(text, encoding="utf-8")


class StoredLexicon:
    """The lexical index of one generation; its large arrays are mapped into memory.

    Args:
        generation: the generation's folder.
    """

    def __init__(self, generation: Path) -> None:
        self.generation = generation
        self._folder = folder = generation / FOLDER
        rows = json.loads((folder / "paths.json").read_text(encoding="utf-8"))
        self.files = [_file_row(row) for row in rows]
        text = (folder / "vocab.txt").read_text(encoding="utf-8")
        self.terms: list[str] = text.split("\n") if text else []
        self.occurrences = Occurrences(
            pointers=mapped(folder / "occ_ptr.npy"),
            positions=mapped(folder / "occ_pos.npy"),
            file_start=mapped(folder / "file_start.npy"),
            line_pointers=np.load(folder / "line_ptr.npy"),
            line_starts=np.load(folder / "line_pos.npy"),
        )

    def summaries(self) -> list[str]:
        """Returns what each file does in one sentence, "" where that is not known."""
        return read_summaries(self._folder, len(self.files))

    def postings(self, field: str) -> Postings:
        """Returns the postings of a field; TEXT is the whole text."""
        return Postings(
            pointers=mapped(self._folder / f"{field}_ptr.npy"),
            documents=mapped(self._folder / f"{field}_doc.npy"),
            frequencies=mapped(self._folder / f"{field}_tf.npy"),
            lengths=np.load(self._folder / _lengths(field)).astype(np.float32),
        )

    def names(self) -> dict[str, list[Place]]:
        """Returns lower-case declared name -> the places that declare it."""
        data = (self._folder / "names.msgpack").read_bytes()
        return msgspec.msgpack.decode(data, type=dict[str, list[Place]])

    def abbreviations(self) -> dict[str, list[tuple[str, float]]]:
        """Returns the mined abbreviations: stemmed word -> [(fragment, probability), ...]."""
        return json.loads((self._folder / "abbreviations.json").read_text(encoding="utf-8"))

    def near_copies(self) -> list[list[int]]:
        """Returns groups of files that are nearly the same; none where none were looked for.

        Raises:
            ValueError: the file is damaged.
        """
        path = self._folder / "near_copies.json"
        if not path.is_file():
            return []  # an index of an earlier version
        try:
            return msgspec.json.decode(path.read_bytes(), type=list[list[int]])
        except msgspec.MsgspecError as error:
            raise ValueError(f"{path}: {error}") from error


def _file_row(row: Any) -> FileRow:
    """Returns a row of paths.json as a record.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(row, list) or list(map(type, row[:3])) != [str, str, int] or len(row) < 4:
        raise ValueError("paths.json: an entry is none of a file")
    return FileRow(row[0], row[1], row[2], bool(row[3]), all(row[4:5]))


def mapped(file: Path) -> np.ndarray:
    """Returns a memory-mapped array as a plain ndarray (np.memmap's own slicing is slow)."""
    return np.load(file, mmap_mode="r").view(np.ndarray)


def _lengths(field: str) -> str:
    return "file_len.npy" if field == TEXT else f"{field}_len.npy"
