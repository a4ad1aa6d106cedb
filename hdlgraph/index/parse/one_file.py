"""Reads one file with its reader; whatever goes wrong is recorded, so every file has a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from hdlgraph.errors import UnsafeFileError
from hdlgraph.model import FileRecord
from hdlgraph.parsers import limits
from hdlgraph.parsers.bound import bounded
from hdlgraph.parsers.includes import IncludeIndex
from hdlgraph.parsers.macros.table import Borrowed
from hdlgraph.parsers.reader import WHOLE, Read, Reader, Repository, Source
from hdlgraph.parsers.registry import reader_of
from hdlgraph.safety.safe_files import SOURCE_BYTES, read_head

_SAID = 200
"""Characters that are kept of what a failed reader says."""


class Extractor:
    """Reads files of one repository into records."""

    def __init__(
        self,
        root: Path,
        index: IncludeIndex,
        *,
        defines: tuple[str, ...] = (),
        deep_bytes: int = limits.DEEP_BYTES,
        witness: bool = True,
        borrowed: Mapping[str, Sequence[Borrowed]] | None = None,
    ) -> None:
        self._root = root.resolve()
        self._most = max(deep_bytes, limits.SCAN_BYTES)
        lent = borrowed or {}
        self._repository = Repository(self._read, index, defines, deep_bytes, witness, lent)
        self._opened: dict[str, Read] = {}

    def _read(self, path: str) -> bytes:
        return self._head(path)[0]

    def _head(self, path: str) -> tuple[bytes, int]:
        """Returns the bytes of a file that are read, and how many it has."""
        return read_head(self._root, path, self._most)

    def extract(
        self, path: str, sha256: str, role: str, *, level: str = WHOLE, reason: str = ""
    ) -> FileRecord:
        """Returns the record of a file; whatever goes wrong is in its `degraded`.

        Args:
            path: relative to the root.
            sha256: of the file's bytes, as discovered.
            role: as discovered.
            level: the strongest of the reader's levels to try.
            reason: why that is weaker than the reader's strongest.
        """
        reader = reader_of(path)
        try:
            data, size = self._head(path)
            if size > SOURCE_BYTES:
                raise UnsafeFileError(f"{size} bytes, more than {SOURCE_BYTES} are not read")
        except OSError as error:
            why = f"unreadable: {error.strerror or error}"
            empty = reader.bare(Source(path, sha256, role, b"", 0))
            return msgspec.structs.replace(empty, degraded=why)
        source = Source(path, sha256, role, data, size)
        record, failed = self._strongest(reader, source, level)
        record = bounded(record)
        why = "; ".join(filter(None, (reason, record.degraded, *failed)))
        return msgspec.structs.replace(record, path=path, sha256=sha256, role=role, degraded=why)

    def _strongest(
        self, reader: Reader, source: Source, level: str
    ) -> tuple[FileRecord, list[str]]:
        """Returns the record of the strongest level that works, and what failed before."""
        failed: list[str] = []
        levels = list(reader.levels)
        for one in levels[levels.index(level) :]:
            try:
                return self._by(reader, source, one), failed
            except Exception as error:  # the boundary of one file: recorded, never lost
                said = f"{reader.levels[one]}: {type(error).__name__}: {error}"
                if isinstance(error, RecursionError):
                    said = f"{reader.levels[one]}: nested too deep"
                failed.append(said[:_SAID])
        return reader.bare(source), failed

    def _by(self, reader: Reader, source: Source, level: str) -> FileRecord:
        read = self._opened.get(reader.name)
        if read is None:
            read = self._opened[reader.name] = reader.open(self._repository)
        record = read(source, level)
        if not isinstance(record, FileRecord):
            raise TypeError(f"the reader returned a {type(record).__name__}, not a FileRecord")
        return record
