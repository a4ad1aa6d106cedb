"""Returns the facts of all files: those of unchanged files from the cache, the others parsed."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cached_property
from math import inf
from operator import attrgetter
from pathlib import Path

import msgspec

from hdlgraph.index.discover.source_file import SourceFile
from hdlgraph.index.kept.memory import decoded, is_remembering
from hdlgraph.index.parse.held import LARGE, Held
from hdlgraph.index.parse.outlines import Outlines
from hdlgraph.index.shares import ALONE, Shares
from hdlgraph.model import FileRecord
from hdlgraph.parsers.includes import IncludeIndex
from hdlgraph.parsers.macros.table import Borrowed
from hdlgraph.safety.safe_files import open_inside
from hdlgraph.store.cache import Cache

BATCH_S = 1.0
"""Seconds after which parsed facts are written to the disk, so that a killed run keeps them."""

EDIT = 1 / 8
"""Share of the files up to which a run reads some anew after an edit; it reads the others late."""

OnDone = Callable[[FileRecord, bool], None]

_READ = 512
"""Facts of earlier runs that are read at once."""
path_of = attrgetter("path")

_BLOCK_BYTES = 8_000_000
_OVERLAP_BYTES = 4_000
"""Bytes of a block that are searched again with the next, for an include that lies across."""
INCLUDE = re.compile(rb"`\s{0,80}include\s{1,80}[\"<]([^\">\r\n`]{1,1000}+)[\">]")


class FactKeys:
    """Cache keys of facts: content, role, headers at any depth, macros of others, how it is read.

    Args:
        sources: all files of the repository.
        includes: the names that each path includes, as written.
        incdirs: include folders.
        how: a digest of all else that facts depend on: readers, settings, defines.
        direct: the files that each path includes, where that is known; `includes` and `incdirs`
            are not looked at then.
        known: keys that are known, by path.
    """

    def __init__(
        self,
        sources: Sequence[SourceFile],
        includes: Mapping[str, Sequence[str]],
        incdirs: Sequence[str],
        how: str,
        direct: dict[str, set[str]] | None = None,
        known: dict[str, str] | None = None,
    ) -> None:
        self.how = how
        self.passing: dict[str, str] = {}
        """Paths whose facts are weak only because the machine ended a worker, and why."""
        self.lend: Callable[[str], tuple[Borrowed, ...]] = lambda path: ()
        """Tells which macros a file takes from files that it does not include."""
        self.sources = {source.path: source for source in sources}
        self._known = {} if known is None else known
        self._is_settled = False
        self.direct = _resolved(self.sources, includes, incdirs) if direct is None else direct

    def whole(self, path: str) -> set[str]:
        """Returns a file and the headers that it includes at any depth."""
        seen, front = {path}, [path]
        while front:
            fresh = self.direct.get(front.pop(), set()) - seen
            seen |= fresh
            front += fresh
        return seen

    def settle(self) -> None:
        """Records that all is read: what keys are found by is held no longer."""
        self._known |= {path: self._key(path) for path in self.passing}
        self._is_settled = True
        self.lend = lambda path: ()

    def key(self, path: str) -> str:
        """Returns the key of a file's facts."""
        if path in self.passing and not self._is_settled:
            return self._key(path)
        found = self._known.get(path)
        if found is None:
            found = self._known[path] = self._key(path)
        return found

    def _key(self, path: str) -> str:
        source = self.sources[path]
        text = "\n".join(f"{p} {self.sources[p].sha256}" for p in sorted(self.whole(path)))
        parts = f"{self.how}\n{source.path}\n{source.role}\n{text}"
        for one in self.lend(path):
            parts += f"\n\0{one.name}\n{one.path}\n{one.text}"
        if path in self.passing:  # what is derived from weak facts has another key
            parts += f"\n\0{self.passing[path]}"
        return hashlib.sha256(parts.encode()).hexdigest()[:32]


def _resolved(
    paths: Iterable[str], includes: Mapping[str, Sequence[str]], incdirs: Sequence[str]
) -> dict[str, set[str]]:
    """Returns the files that each path includes."""
    index = IncludeIndex(paths, incdirs)
    return {
        path: {found for name in names if (found := index.resolve(path, name))}
        for path, names in includes.items()
    }


def included_names(
    root: Path, sources: Sequence[SourceFile], store: Cache, shares: Shares = ALONE
) -> dict[str, tuple[str, ...]]:
    """Returns the names each file includes as written (those by macro excepted), by path.

    Args:
        root: the repository.
        sources: its files.
        store: where the names of unchanged files are kept.
        shares: who reads the others.
    """
    known = store.get_many("includes", {source.sha256 for source in sources})
    root = root.resolve()

    def read(some: Sequence[SourceFile]) -> list[bytes]:
        names = (_included(root, one.path) if one.sha256 else set() for one in some)
        return [b"\n".join(sorted(found)) + b"\n" for found in names]

    missing = {one.sha256: one for one in reversed(sources) if one.sha256 not in known}
    fresh = dict(zip(missing, shares.map("includes", read, list(missing.values())), strict=True))
    out: dict[str, tuple[str, ...]] = {}
    for source in sources:
        blob = known.get(source.sha256) or fresh[source.sha256]
        text = blob.decode("utf-8", "replace")
        out[source.path] = tuple(name for name in text.split("\n") if name)
    if fresh:
        store.put_many("includes", fresh)
    return out


def _included(root: Path, path: str) -> set[bytes]:
    """Returns the names that a file includes, of a large one a block at a time."""
    found: set[bytes] = set()
    before = b""
    try:
        with open_inside(root, path) as stream:
            while block := stream.read(_BLOCK_BYTES):
                found.update(INCLUDE.findall(before + block))
                before = block[-_OVERLAP_BYTES:]
    except OSError:
        pass  # the readers report it
    return found


class _Writer:
    """Writes facts to the cache a batch at a time, so that a killed run can resume."""

    def __init__(self, keys: FactKeys, store: Cache) -> None:
        self.keys, self.store = keys, store
        self.batch: dict[str, bytes] = {}
        self.since = time.monotonic()

    def add(self, record: FileRecord) -> int:
        """Writes facts, sooner or later; returns how many bytes they have."""
        blob = self.batch[self.keys.key(record.path)] = msgspec.msgpack.encode(record)
        if time.monotonic() - self.since > BATCH_S:
            self.flush()
        return len(blob)

    def flush(self) -> None:
        if self.batch:
            self.store.put_many("facts", self.batch)
        self.batch = {}
        self.since = time.monotonic()


class _Kept:
    """The facts of earlier runs, read once.

    Args:
        keys: of the facts.
        store: where they are.
        wanted: those keys that are there, and of which paths.
        few: whether these are most files, as after an edit.
        held: takes the others.
    """

    def __init__(
        self, keys: FactKeys, store: Cache, wanted: Mapping[str, str], few: bool, held: Held
    ) -> None:
        self._keys, self._store, self._wanted, self._few = keys, store, wanted, few
        self._found: dict[str, FileRecord] | None = None
        self._held = held

    @cached_property
    def _outlines(self) -> Outlines:
        return Outlines(self._store, len(self._keys.sources))

    def read(self) -> dict[str, FileRecord]:
        """Returns the facts that are there by path, less those that `held` took."""
        if self._found is None:
            self._found = self._read()
        return self._found

    def _read(self) -> dict[str, FileRecord]:
        # After an edit sharing would take longer than reading late, and little is looked at.
        if self._few and not is_remembering():
            sources, wanted = self._keys.sources, self._wanted
            found = self._outlines.read(wanted, lambda key: sources[wanted[key]])
            return {wanted[key]: record for key, record in found.items()}
        decode = msgspec.msgpack.Decoder(FileRecord).decode
        if is_remembering():
            share = self._held.share
            kept = decoded(self._store, "facts", self._wanted, lambda blob: share(decode(blob)))
            return {self._wanted[key]: record for key, record in kept.items()}
        keys = list(self._wanted)
        for at in range(0, len(keys), _READ):
            some = keys[at : at + _READ]
            views = self._store.views("facts", some, copied=True)
            for key in some:
                if (blob := views.get(key)) is not None:
                    self._held.add(decode(blob), len(blob))
        return {}

    def note(self, records: Sequence[FileRecord]) -> None:
        """Notes the outlines of all facts, sorted by path, for the next run."""
        if not is_remembering():  # where facts are held decoded
            self._outlines.note(self._keys.key, self._keys.sources, records)


def collect_facts(
    keys: FactKeys,
    store: Cache,
    parse: Callable[[Sequence[SourceFile], OnDone, Callable[[], object]], object],
    tick: Callable[[int], None],
) -> list[FileRecord]:
    """Returns the facts of all files, sorted by path.

    Args:
        keys: the files and how they are read.
        store: where facts of earlier runs are, and new ones go.
        parse: called with the sources to parse, a function that takes each finished record and
            whether it lasts (one that does not is not stored, and is noted in `keys`), and one to
            call while workers start, if it likes.
        tick: told how many files are done.
    """
    wanted = {keys.key(path): path for path in sorted(keys.sources)}
    known = store.known("facts", wanted)
    few = len(wanted) - len(known) <= EDIT * len(wanted)
    most = inf if is_remembering() else LARGE
    held = Held(keys.key, keys.sources, store, most)
    kept = _Kept(keys, store, {key: wanted[key] for key in known}, few, held)
    writer, done = _Writer(keys, store), len(known)

    def on_done(record: FileRecord, lasting: bool) -> None:
        nonlocal done
        done += 1
        if lasting:
            held.add(record, writer.add(record))
        else:
            keys.passing[record.path] = record.degraded
            held.pass_by(record)
        tick(done)

    def parse_others(there: Container[str]) -> None:
        if missing := [one for path, one in keys.sources.items() if path not in there]:
            parse(sorted(missing, key=path_of), on_done, kept.read if few else lambda: None)

    tick(done)
    try:
        parse_others({wanted[key] for key in known})
        read = kept.read()
        parse_others({*read, *held.paths()})  # what was there may be damaged
    finally:
        writer.flush()
    records = {**kept.read(), **held.records()}
    found = [records[path] for path in sorted(records)]
    kept.note(found)
    keys.settle()
    return found
