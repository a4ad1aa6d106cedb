"""The facts of all source files on disk: what the parsers read of each.

    facts.msgpack    one `FileRecord` for each file, sorted by path

The facts of one file are found by bisection; only these are decoded.
"""

from __future__ import annotations

import mmap
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hdlgraph.errors import IndexVersionError
from hdlgraph.model import FileRecord
from hdlgraph.model.unit import Fact

if TYPE_CHECKING:
    from hdlgraph.store.packed.slices import Slices

FILE = "facts.msgpack"
REMEDY = "run `hdlgraph index` again"


def write_facts(slices: Slices, records: Sequence[FileRecord]) -> None:
    """Writes the facts of all files.

    What has a file of its own on disk, the flows and the messages of checks, is left out.

    Args:
        slices: of the generation.
        records: the facts, sorted by path.
    """
    encode = msgspec.msgpack.Encoder().encode

    def made(number: int) -> tuple[bytes]:
        one = records[number]
        if one.flows or one.said:
            one = msgspec.structs.replace(one, flows=(), said=())
        return (encode(one),)

    slices.write(FILE, made)


def read_facts(folder: Path) -> list[FileRecord]:
    """Returns the facts of all files of a generation, sorted by path.

    Raises:
        IndexVersionError: the file is missing or damaged.
    """
    path = folder / FILE
    try:
        return msgspec.msgpack.decode(path.read_bytes(), type=list[FileRecord])
    except (OSError, msgspec.MsgspecError, RecursionError) as error:
        raise IndexVersionError(f"{path}: cannot be read ({error}): {REMEDY}") from error


def map_facts(folder: Path) -> memoryview:
    """Returns the facts of all files of a generation, encoded, as the file that is mapped.

    Raises:
        IndexVersionError: the file is missing.
    """
    path = folder / FILE
    try:
        with path.open("rb") as stream:
            return memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError) as error:
        raise IndexVersionError(f"{path}: cannot be read ({error}): {REMEDY}") from error


class _Head(Fact, frozen=True):
    """The first field of a file's facts."""

    path: str


def read_facts_of(folder: Path, path: str) -> FileRecord:
    """Returns the facts of one file, without reading those of the others.

    Raises:
        IndexVersionError: the facts are missing or damaged, or do not have the file.
    """
    whole = folder / FILE
    try:
        records = msgspec.msgpack.decode(whole.read_bytes(), type=list[msgspec.Raw])
        head = msgspec.msgpack.Decoder(_Head)
        at = bisect_left(records, path, key=lambda raw: head.decode(raw).path)
        if at < len(records) and head.decode(records[at]).path == path:
            return msgspec.msgpack.decode(records[at], type=FileRecord)
    except (OSError, msgspec.MsgspecError, RecursionError) as error:
        raise IndexVersionError(f"{whole}: cannot be read ({error}): {REMEDY}") from error
    raise IndexVersionError(f"{whole}: has nothing of {path}: {REMEDY}")
