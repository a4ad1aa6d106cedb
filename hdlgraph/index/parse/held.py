"""The facts of a large repository as its stages hold them: outlines, and where the rest stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from sys import intern
from typing import Any, NamedTuple

import msgspec

from hdlgraph.errors import IndexDamagedError
from hdlgraph.index.discover.source_file import SourceFile
from hdlgraph.index.parse.late import OUTLINE, held_in, read_late, unread
from hdlgraph.index.parse.shared import Shared
from hdlgraph.index.parse.syntax import counts_of, errors_of
from hdlgraph.model import FileRecord
from hdlgraph.store.cache import Cache
from hdlgraph.store.design.facts import FILE, map_facts
from hdlgraph.store.packed.pieces import Pieces
from hdlgraph.store.packed.values import Views

LARGE = 48_000_000
"""Bytes of facts from which on they are not all held decoded."""
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


class _Outline(NamedTuple):
    """What is held of a file whose facts stand in the cache: see `late.unread`."""

    told: tuple[object, ...]
    units: int
    errors: int


class Held:
    """The facts of files as they are read: few decoded, of many the outlines.

    Args:
        key: gives the key under which the cache has the facts of a path.
        sources: the files by path.
        cache: where the facts are.
        most: bytes of facts that are held decoded.
    """

    def __init__(
        self,
        key: Callable[[str], str],
        sources: dict[str, SourceFile],
        cache: Cache,
        most: float,
    ) -> None:
        self._key, self._sources, self._cache, self._most = key, sources, cache, most
        self._decoded: dict[str, FileRecord] = {}
        self._passing: dict[str, FileRecord] = {}
        self._outlines: dict[str, _Outline] = {}
        self._size = 0
        self._shared = Shared()

    def share(self, record: FileRecord) -> FileRecord:
        """Returns a record with the texts of the others in it."""
        return self._shared.share(record)

    def pass_by(self, record: FileRecord) -> None:
        """Takes the facts of a file that the cache does not keep."""
        self._passing[record.path] = self.share(record)

    def add(self, record: FileRecord, size: int) -> None:
        """Takes the facts of a file, of which the cache has so many bytes, or has them soon."""
        self._size += size
        if self._size <= self._most:
            self._decoded[record.path] = self.share(record)
            return
        for one in (*self._decoded.values(), record):
            self._outlines[one.path] = self._outline(one)
        self._decoded.clear()
        self._shared.clear()

    def paths(self) -> Iterator[str]:
        """Yields the paths of the files whose facts there are."""
        return chain(self._decoded, self._passing, self._outlines)

    def _outline(self, record: FileRecord) -> _Outline:
        source = self._sources[record.path]
        told = [getattr(record, name) for name in OUTLINE]
        # The texts that are there anyway, instead of equal ones.
        same = {source.path: source.path, source.sha256: source.sha256, "": ""}
        told[:3] = same.get(told[0], told[0]), same.get(told[1], told[1]), intern(str(told[2]))
        return _Outline(tuple(told), *counts_of(record))

    def records(self) -> dict[str, FileRecord]:
        """Returns the facts by path; those that are not held decoded are read from the cache."""
        self._shared.clear()
        found = {**self._decoded, **self._passing}
        if self._outlines:
            self._cache.pack(("facts",))
            keys = [self._key(path) for path in self._outlines]
            views = self._cache.views("facts", keys, copied=True)
            for path, one in self._outlines.items():
                read = partial(_kept, views, self._key(path), path)
                found[path] = unread(read, one.told, one.units, one.errors)
        return found


def _kept(views: Views, key: str, path: str) -> bytes | memoryview:
    """Returns the facts of a file that the cache keeps.

    Raises:
        IndexDamagedError: they are gone.
    """
    blob = views.get(key)
    if blob is None:
        raise IndexDamagedError(
            f"the kept facts of {path} were lost during the run: run `hdlgraph index` again"
        )
    return blob
