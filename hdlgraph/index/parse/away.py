"""Parses files on other machines, which get the bytes that a file needs and no more.

A machine of a cluster need not see the repository: with each batch go its files and the headers
that they include at any depth, which lie in a private folder as long as the batch takes. There the
same worker processes with the same limits of time and memory read them as here. What cannot be
sent so is parsed here: very large files, files of readers that other packages added, and files
with an include that only a preprocessor finds.
"""

from __future__ import annotations

import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import msgspec

from hdlgraph.index.discover.source_file import SourceFile
from hdlgraph.index.engine.engine import Engine
from hdlgraph.index.parse.cache import INCLUDE, FactKeys, OnDone
from hdlgraph.index.parse.pool import Pool
from hdlgraph.index.parse.worker import Setup
from hdlgraph.model import FileRecord
from hdlgraph.parsers.registry import reader_of, rtl
from hdlgraph.safety.safe_files import read_inside

BATCH_BYTES = 400_000
BATCH_FILES = 32
MOST_BYTES = 4_000_000
"""Larger files, and files that need more than so many bytes of headers, are parsed here."""
_ANY_INCLUDE = re.compile(rb"`[ \t]*include")


@dataclass(frozen=True, slots=True)
class Parcel:
    """Files to parse, and the bytes of these and of the headers that they include, by path."""

    sources: list[SourceFile] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)


class ParseWork:
    """Parses parcels; a process that gets several keeps its workers.

    Args:
        setup: what the workers are told; its root is another one on each machine.
        deadline_s: seconds for one file.
    """

    def __init__(self, setup: Setup, deadline_s: float) -> None:
        self.setup, self.deadline_s = setup, deadline_s
        self._lasting: dict[str, bool] = {}

    def __reduce__(self) -> tuple[type[ParseWork], tuple[Setup, float]]:
        return ParseWork, (self.setup, self.deadline_s)

    def __call__(self, parcel: Parcel) -> list[tuple[bytes, bool]]:
        """Returns the record of each file, encoded, and whether it lasts."""
        self._lasting.clear()
        try:
            self._root.mkdir(0o700)
            for path, data in parcel.files.items():
                place = self._root / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
            records = self._pool.run(parcel.sources, 1)
        finally:  # at once: a process of a cluster is ended without a word
            shutil.rmtree(self._root, ignore_errors=True)
        encode = msgspec.msgpack.Encoder().encode
        return [(encode(record), self._lasting[record.path]) for record in records]

    @cached_property
    def _root(self) -> Path:
        return Path(tempfile.gettempdir()).resolve() / f"hdlgraph-parse-{secrets.token_hex(8)}"

    @cached_property
    def _pool(self) -> Pool:
        setup = msgspec.structs.replace(self.setup, root=str(self._root))
        return Pool(setup, self.deadline_s, self._done)

    def _done(self, record: FileRecord, lasting: bool) -> None:
        self._lasting[record.path] = lasting

    def close(self) -> None:
        """Ends the workers."""
        self._pool.close()


def parse_away(
    engine: Engine,
    root: Path,
    sources: Sequence[SourceFile],
    keys: FactKeys,
    work: ParseWork,
    on_done: OnDone,
) -> tuple[list[FileRecord], list[SourceFile]]:
    """Returns the records of the files that were sent, and the files to parse here.

    Args:
        engine: where the work is done.
        root: the repository.
        sources: the files to parse.
        keys: which files each includes.
        work: parses them.
        on_done: as of `parse_all`.
    """
    here: list[SourceFile] = []
    decoder = msgspec.msgpack.Decoder(FileRecord)
    records = []
    for _, answers in engine.map("parse", work, _parcels(root.resolve(), sources, keys, here)):
        for blob, lasting in answers:
            record = decoder.decode(blob)
            records.append(record)
            on_done(record, lasting)
    return records, here


def _parcels(
    root: Path, sources: Sequence[SourceFile], keys: FactKeys, here: list[SourceFile]
) -> Iterator[Parcel]:
    """Yields parcels of files that lie together: those share headers. Others go to `here`."""
    parcel, held = Parcel(), 0
    for source in sorted(sources, key=lambda one: one.path):
        needed = _needed(root, source, keys, parcel.files)
        if needed is None:
            here.append(source)
            continue
        if parcel.sources and (
            held + source.size > BATCH_BYTES or len(parcel.sources) >= BATCH_FILES
        ):
            yield parcel
            needed |= {path: parcel.files[path] for path in keys.whole(source.path) - {*needed}}
            parcel, held = Parcel(), 0
        parcel.sources.append(source)
        parcel.files.update(needed)
        held += source.size
    if parcel.sources:
        yield parcel


def _needed(
    root: Path, source: SourceFile, keys: FactKeys, sent: dict[str, bytes]
) -> dict[str, bytes] | None:
    """Returns the bytes that a file needs besides those `sent`; None for a file to parse here."""
    if not source.sha256 or reader_of(source.path) is not rtl():
        return None
    paths = keys.whole(source.path)
    if sum(keys.sources[path].size for path in paths) > MOST_BYTES:
        return None
    found = {}
    for path in sorted(paths - {*sent}):
        try:
            data = read_inside(root, path, MOST_BYTES)
        except OSError:  # here the reader says so
            return None
        if len(_ANY_INCLUDE.findall(data)) != len(INCLUDE.findall(data)):
            return None
        found[path] = data
    return found
