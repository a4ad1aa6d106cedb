"""Writes and reads the lexical index: the folder `lexical/` of a generation.

    paths.json       n x [path, role, lines, 1 if its explanation was written by a model or person,
                     1 if comments introduce it]
    summaries.txt    n lines, what each file does in one sentence; read when first asked for
    abbreviations.json                          mined word -> [[fragment, probability]]
    near_copies.json groups of files that are nearly the same, each at least two numbers, sorted
    segments.json    s x [folder, files, key], in the order of the files

The words stand in segments (`hdlgraph.store.words.segment`), each of neighbouring files: those of
a small repository in one, `lexical/` itself, others in the folders that segments.json names by
their key. A key names all that its segment depends on, so that a run takes over what has its key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from hdlgraph.store.packed.slices import Slices
from hdlgraph.store.words.segment import FILE_GAP, TEXT, Occurrences, Place, Postings, Segment
from hdlgraph.store.words.words import Words

__all__ = ["FILE_GAP", "TEXT", "FileRow", "Occurrences", "Place", "Postings", "StoredLexicon"]

FOLDER = "lexical"
SEGMENTS, SUMMARIES = "segments.json", "summaries.txt"
_FOLDER = re.compile(r"[0-9a-f]{16}")


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


def make_folder(generation: Path) -> Path:
    """Creates the folder of the lexical index in a generation's folder and returns it."""
    folder = generation / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_files(folder: Path, rows: Iterable[str]) -> None:
    """Writes what is known of each file, in the order of the files' numbers.

    Args:
        folder: that of the lexical index.
        rows: those of some files each, see `encoded_rows`.
    """
    text = ", ".join(filter(None, rows))
    (folder / "paths.json").write_text(f"[{text}]", encoding="utf-8")


def encoded_rows(rows: Sequence[FileRow]) -> str:
    """Returns rows as JSON, with commas between them."""
    meta = [[row.path, row.role, row.lines, int(row.written), int(row.introduced)] for row in rows]
    return json.dumps(meta)[1:-1]


def write_summaries(slices: Slices, sentence: Callable[[int], str]) -> None:
    """Writes what each file does in one sentence.

    Args:
        slices: of the generation, in the order of the files.
        sentence: gives that of a file by its number, "" where it is unknown.
    """

    def made(number: int) -> tuple[bytes]:
        return (f"{' '.join(sentence(number).split())}\n".encode(),)

    slices.write(f"{FOLDER}/{SUMMARIES}", made, is_array=False)


def read_summaries(folder: Path, files: int) -> list[str]:
    """Returns what each of so many files does; "" for those of an index that does not say."""
    file = folder / SUMMARIES
    found = file.read_text(encoding="utf-8").split("\n") if file.is_file() else []
    if len(found) == files + 1 and not found[-1]:  # an earlier version ended no line with a sign
        del found[-1]
    return found if len(found) == files else [""] * files


def write_abbreviations(folder: Path, mined: Mapping[str, Sequence[Sequence[object]]]) -> None:
    """Writes the mined abbreviations: word -> [(fragment, probability), ...]."""
    text = json.dumps(mined, sort_keys=True)
    (folder / "abbreviations.json").write_text(text, encoding="utf-8")


def write_near_copies(folder: Path, groups: Sequence[Sequence[int]]) -> None:
    """Writes which files are nearly the same: groups of their numbers."""
    text = json.dumps([list(group) for group in groups])
    (folder / "near_copies.json").write_text(text, encoding="utf-8")


class SegmentRow(NamedTuple):
    """A segment: its folder below `lexical/` ("" for that itself), its files, its key."""

    folder: str
    files: int
    key: str


def write_segments(folder: Path, rows: Sequence[SegmentRow]) -> None:
    """Writes which segments there are, in the order of their files."""
    text = json.dumps([list(row) for row in rows])
    (folder / SEGMENTS).write_text(text, encoding="utf-8")


def read_segments(folder: Path, files: int | None = None) -> list[SegmentRow]:
    """Returns the segments of so many files; an index of an earlier version has one without a key.

    Without a number of files they may be those of any.

    Raises:
        ValueError: the file is damaged, or its segments are those of other files.
    """
    path = folder / SEGMENTS
    if not path.is_file():
        return [SegmentRow("", files or 0, "")]
    try:
        rows = msgspec.json.decode(path.read_bytes(), type=list[SegmentRow])
    except msgspec.MsgspecError as error:
        raise ValueError(f"{path}: {error}") from error
    if any(row.folder and not _FOLDER.fullmatch(row.folder) for row in rows):
        raise ValueError(f"{path}: names a folder that is none of a segment")
    total = sum(row.files for row in rows)
    if any(row.files < 0 for row in rows) or files not in (None, total):
        raise ValueError(f"{path}: has the segments of other files")
    return rows


class StoredLexicon:
    """The lexical index of one generation; its large arrays are mapped into memory.

    Args:
        generation: the generation's folder.
    """

    def __init__(self, generation: Path) -> None:
        self.generation = generation
        self._folder = folder = generation / FOLDER
        self.files = _file_rows((folder / "paths.json").read_bytes())
        self.segments = read_segments(folder, len(self.files))

    @cached_property
    def words(self) -> Words:
        """Returns the words of all files."""
        folders = (self._folder / row.folder for row in self.segments)
        return Words([Segment(folder) for folder in folders])

    def summaries(self) -> list[str]:
        """Returns what each file does in one sentence, "" where that is not known."""
        return read_summaries(self._folder, len(self.files))

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


class _Row(msgspec.Struct, array_like=True, gc=False):
    path: str
    role: str
    lines: int
    written: int
    introduced: int = 1


def _file_rows(data: bytes) -> list[FileRow]:
    """Returns the rows of paths.json.

    Raises:
        ValueError: one is none of a file.
    """
    try:
        rows = msgspec.json.decode(data, type=list[_Row])
    except msgspec.MsgspecError:  # names of files may hold what is no letter, which it refuses
        return [_file_row(row) for row in json.loads(data.decode("utf-8"))]
    return [
        FileRow(row.path, row.role, row.lines, bool(row.written), bool(row.introduced))
        for row in rows
    ]


def _file_row(row: Any) -> FileRow:
    """Returns a row of paths.json as a record.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(row, list) or list(map(type, row[:3])) != [str, str, int] or len(row) < 4:
        raise ValueError("paths.json: an entry is none of a file")
    return FileRow(row[0], row[1], row[2], bool(row[3]), all(row[4:5]))
