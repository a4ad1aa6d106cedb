"""The facts of a large repository as its stages hold them: outlines, and where the rest stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from hdlgraph.index.parse.late import OUTLINE, held_in, read_late, unread
from hdlgraph.index.parse.syntax import errors_of
from hdlgraph.model import FileRecord
from hdlgraph.store.design.facts import FILE, map_facts
from hdlgraph.store.packed.pieces import Pieces

HEAD = 5
"""Bytes before the facts of the first file: an array of MessagePack, its length in 32 bits."""


def stored_records(folder: Path) -> list[FileRecord]:
    """Returns the facts of all files that a generation holds, sorted by path.

    Of each the outline is held; the rest is read from the file when it is looked at.

    Raises:
        IndexVersionError: the file is missing.
    """
    pieces = Pieces(folder / FILE, HEAD)
    raws = msgspec.msgpack.decode(map_facts(folder), type=list[msgspec.Raw])
    return [_outlined(raw, pieces) for raw in raws]


def _outlined(raw: msgspec.Raw, pieces: Pieces) -> FileRecord:
    record = read_late(raw)
    told = [getattr(record, name) for name in OUTLINE]
    units = _count(held_in(record, "units"))
    errors = len(errors_of(record)) if _count(held_in(record, "diagnostics")) else 0
    return unread(pieces.add(len(raw)), told, units, errors)


def _count(held: Any) -> int:
    """Returns how many items a list has that is decoded, or still the bytes of one."""
    if type(held) is not msgspec.Raw:
        return len(held)
    head = memoryview(held)
    if head[0] >> 4 == 9:
        return head[0] & 15
    return int.from_bytes(head[1 : 3 if head[0] == 0xDC else 5], "big")
