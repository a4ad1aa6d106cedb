"""Keeps the outlines of facts, so that a run after an edit decodes those facts that it looks into.

Of most files an edit's run asks no more than their size, how many lines and units they have and how
many syntax errors. That is noted for blocks of neighbouring files, under the keys of their facts,
which name all that the facts depend on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

import msgspec

from hdlgraph.index.discover.source_file import SourceFile
from hdlgraph.index.parse.late import read_late, unread
from hdlgraph.index.parse.syntax import counts_of
from hdlgraph.model import FileRecord
from hdlgraph.store.cache import Cache
from hdlgraph.store.packed.values import Blob

BLOCK = 256
"""Files whose outlines are kept in one piece."""
_SPACE = "outlines"


class _Outline(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """What is told of a file without its facts."""

    size: int
    n_lines: int
    degraded: str
    units: int
    errors: int


class _Block(msgspec.Struct, array_like=True):
    """The keys of the facts of neighbouring files, and the outline of each."""

    keys: list[str]
    outlines: list[_Outline]


class Outlines:
    """The outlines that the last run noted.

    Args:
        store: where they are.
        files: how many files there are.
    """

    def __init__(self, store: Cache, files: int) -> None:
        self._store = store
        names = [str(at) for at in range(-(-files // BLOCK))]
        self._blocks: dict[str, list[str]] = {}
        self._known: dict[str, _Outline] = {}
        decode = msgspec.msgpack.Decoder(_Block).decode
        for name, data in store.get_many(_SPACE, names).items():
            with suppress(msgspec.MsgspecError, UnicodeError, RecursionError):
                block = decode(data)
                self._known.update(zip(block.keys, block.outlines, strict=False))
                self._blocks[name] = block.keys

    def read(
        self, keys: Iterable[str], source: Callable[[str], SourceFile]
    ) -> dict[str, FileRecord]:
        """Returns the facts that the cache has under some keys, not decoded where that can wait.

        Args:
            keys: of facts.
            source: gives the file that a key is of.
        """
        wanted = list(keys)
        blobs = self._store.views("facts", wanted)
        return {
            key: self._record(key, blob, source(key))
            for key in wanted
            if (blob := blobs.get(key)) is not None
        }

    def _record(self, key: str, blob: Blob, source: SourceFile) -> FileRecord:
        known = self._known.get(key)
        if known is None:
            return read_late(blob)
        told = (source.path, source.sha256, source.role, known.size, known.n_lines, known.degraded)
        return unread(blob, told, known.units, known.errors)

    def note(
        self,
        key: Callable[[str], str],
        sources: Mapping[str, SourceFile],
        records: Sequence[FileRecord],
    ) -> None:
        """Notes the outlines of all files for the next run.

        Args:
            key: gives the key of a file's facts.
            sources: the files by path.
            records: their facts, sorted by path.
        """
        fresh = {}
        for at in range(0, len(records), BLOCK):
            some, name = records[at : at + BLOCK], str(at // BLOCK)
            keys = [key(record.path) for record in some]
            if keys == self._blocks.get(name) and self._known.keys() >= set(keys):
                continue
            told = {
                key: _outline(record)
                for key, record in zip(keys, some, strict=True)
                if _is_of(record, sources[record.path])
            }
            fresh[name] = msgspec.msgpack.encode(_Block([*told], [*told.values()]))
        if fresh:
            self._store.put_many(_SPACE, fresh)


def _outline(record: FileRecord) -> _Outline:
    units, errors = counts_of(record)
    return _Outline(record.size, record.n_lines, record.degraded, units, errors)


def _is_of(record: FileRecord, source: SourceFile) -> bool:
    now = record.path, record.sha256, record.role
    return now == (source.path, source.sha256, source.role)
