"""Writes what the files of a repository say of its verification; unchanged ones from the cache."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from hdlgraph.index.discover.files import C_ENDINGS, FOREIGN, is_test_list
from hdlgraph.index.kept.memory import decoded
from hdlgraph.index.kept.unchanged import cut, while_same
from hdlgraph.index.registers.hjson import read_hjson
from hdlgraph.index.request import verification_digest
from hdlgraph.index.verification.dvsim import CONFIGURED, Settings, place_of, settings, test_list
from hdlgraph.index.verification.foreign import functions, programs
from hdlgraph.index.verification.riscv_dv import listed_tests
from hdlgraph.index.verification.scan import scan
from hdlgraph.model import FileRecord
from hdlgraph.parsers.limits import SCAN_BYTES
from hdlgraph.safety.safe_files import read_inside
from hdlgraph.store.cache import Cache
from hdlgraph.store.design.verification import (
    CFunction,
    Code,
    CodeFile,
    Program,
    TestList,
    write_code,
)

BYTES, ALL_BYTES = 1_000_000, 200_000_000
"""Files of other languages that are larger are not read, nor more than so much of them."""
SECONDS = 60.0
"""Files of other languages are read for no longer."""
T = TypeVar("T")


def write_verification(
    folder: Path,
    root: Path,
    places: Iterable[str],
    records: Sequence[FileRecord],
    cache: Cache | None,
) -> None:
    """Writes the verification code of a repository into the folder of a generation.

    Args:
        folder: of the generation.
        root: the repository.
        places: the paths of its project files and of files in other languages.
        records: the facts of all files, sorted by path.
        cache: keeps what files say for the next run.
    """
    reader = _Reader(root.resolve(), cache)
    files = reader.code(records)
    names = frozenset(
        act.right for _, file in files for act in file.acts if act.kind in ("import", "export")
    )
    wanted = sorted(set(places))
    found, tops = reader.foreign(wanted, names)
    write_code(folder, Code(files, found, tops, reader.lists(wanted)))


class _Reader:
    """Reads files of one repository, each once for as long as it stays the same."""

    def __init__(self, root: Path, cache: Cache | None) -> None:
        self.root, self.cache = root, cache
        self.how = verification_digest()
        self.left, self.until = ALL_BYTES, time.monotonic() + SECONDS

    def code(self, records: Sequence[FileRecord]) -> tuple[tuple[str, CodeFile], ...]:
        """Returns what each SystemVerilog file says, without those that say nothing."""
        blocks = {
            f"{self.how}\n{one.key or _stamp(block)}": [each for each in block if each.sha256]
            for one in cut(records)
            for block in (records[one.begin : one.end],)
        }
        decode = msgspec.msgpack.Decoder(_CodeFiles).decode
        known = decoded(self.cache, "verification-blocks", blocks, decode)
        fresh: dict[str, bytes] = {}
        for key, block in blocks.items():
            if key not in known:
                known[key], is_whole = self._code(block)
                if is_whole:
                    fresh[key] = msgspec.msgpack.encode(known[key])
        if self.cache is not None:
            # Whichever file is edited next: its block is made of what the others say.
            self.cache.use("verification", (self._key(one) for one in records if one.sha256))
            self.cache.put_many("verification-blocks", fresh)
        return tuple(one for key in blocks for one in known[key])

    def _key(self, record: FileRecord) -> str:
        return f"{self.how}\n{record.sha256}"

    def _code(self, records: Sequence[FileRecord]) -> tuple[_CodeFiles, bool]:
        """Returns what files say, and whether all of them were read as they were indexed."""
        hashes = {one.path: one.sha256 for one in records}
        keys = {one.path: self._key(one) for one in records}

        def read(path: str) -> CodeFile | None:
            data = self._bytes(path, SCAN_BYTES)
            same = hashlib.sha256(data).hexdigest() == hashes[path]
            return scan(data) if same else None  # one that changes now is read by the next run

        found = self._kept("verification", keys, CodeFile, read)
        told = tuple((path, found[path]) for path in sorted(found) if any(found[path]))
        return told, len(found) == len(hashes)

    def foreign(
        self, places: Sequence[str], names: frozenset[str]
    ) -> tuple[tuple[CFunction, ...], tuple[Program, ...]]:
        """Returns the functions of some names, and the programs that exercise units."""
        asked = hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()[:16]
        listed = [one for one in places if one.endswith((*FOREIGN, ".core"))]
        make = partial(self._foreign, listed, names, asked)
        more = f"{self.how}\n{asked}".encode()
        return while_same(
            "foreign", self.root, listed, _Foreign, make, more, lambda _: self._has_time
        )

    def _foreign(self, listed: Sequence[str], names: frozenset[str], asked: str) -> _Foreign:
        """Returns what `foreign` does of some files."""

        def read(path: str) -> _Foreign:
            data = self._bytes(path, BYTES)
            self.left -= len(data)
            text = data.decode("utf-8", errors="replace")
            is_c = path.endswith(C_ENDINGS) and names
            return functions(path, data, names) if is_c else (), tuple(programs(path, text))

        keys = {path: f"{self.how}\n{asked}\n{self._state(path)}\n{path}" for path in listed}
        found = self._kept("verification-foreign", keys, _Foreign, read)
        return (
            tuple(one for path in sorted(found) for one in found[path][0]),
            tuple(one for path in sorted(found) for one in found[path][1]),
        )

    @property
    def _has_time(self) -> bool:
        """Returns whether all that was asked for was read."""
        return self.left > 0 and time.monotonic() <= self.until

    def lists(self, places: Sequence[str]) -> tuple[TestList, ...]:
        """Returns the lists of tests: settings of simulations, then those of riscv-dv's form."""
        return (*self._configured(places), *self._listed(places))

    def _listed(self, places: Sequence[str]) -> Iterator[TestList]:
        listed = filter(is_test_list, places)
        keys = {path: f"{self.how}\n{self._state(path)}\n{path}" for path in listed}
        found = self._kept("verification-testlists", keys, TestList, self._testlist)
        return (found[path] for path in sorted(found) if found[path].tests)

    def _testlist(self, path: str) -> TestList:
        data = self._bytes(path, BYTES)
        self.left -= len(data)
        return listed_tests(path, data.decode("utf-8-sig", errors="replace"))

    def _configured(self, places: Sequence[str]) -> tuple[TestList, ...]:
        heads = [one for one in places if one.endswith(CONFIGURED)]
        if not heads:
            return ()
        known = {one for one in places if one.endswith(".hjson")}
        opened: dict[str, Settings | None] = {}

        def find(written: str) -> Settings | None:
            path = place_of(written)
            if path not in known:
                return None
            if path not in opened:
                key = {path: f"{self.how}\n{self._state(path)}\n{path}"}
                opened[path] = self._kept("verification-lists", key, Settings, self._settings)[path]
            return opened[path]

        found = [one for path in heads if (one := find(path)) and (one.tests or one.imports)]
        parts = {place_of(path) for one in found for path in one.imports}
        return tuple(test_list(one, find) for one in found if one.path not in parts)

    def _settings(self, path: str) -> Settings:
        try:
            data = self._bytes(path, BYTES)
            return settings(path, read_hjson(data.decode("utf-8-sig", errors="replace")))
        except ValueError:
            return Settings(path)

    def _state(self, path: str) -> str:
        try:
            stat = os.stat(f"{self.root}/{path}")  # noqa: PTH116  half the time
        except OSError:
            return ""
        return f"{stat.st_size} {stat.st_mtime_ns}"

    def _bytes(self, path: str, most: int) -> bytes:
        if not self._has_time:
            return b""
        try:
            return read_inside(self.root, path, most)
        except (OSError, ValueError):
            return b""

    def _kept(
        self,
        namespace: str,
        keys: Mapping[str, str],
        kind: Any,
        read: Callable[[str], T | None],
    ) -> dict[str, T]:
        decode = msgspec.msgpack.Decoder(kind).decode
        known = decoded(self.cache, namespace, keys.values(), decode)
        fresh: dict[str, bytes] = {}
        found: dict[str, T] = {}
        for path, key in keys.items():
            if key not in known and (one := read(path)) is not None:
                known[key] = one
                fresh[key] = msgspec.msgpack.encode(one)
            if key in known:
                found[path] = known[key]
        if self.cache is not None and fresh:
            self.cache.put_many(namespace, fresh)
        return found


def _stamp(records: Iterable[FileRecord]) -> str:
    """Returns what stands for the paths and the contents of files."""
    said = "\0".join(f"{one.path}\0{one.sha256}" for one in records)
    return hashlib.sha256(said.encode(errors="surrogateescape")).hexdigest()


_CodeFiles = tuple[tuple[str, CodeFile], ...]
_Foreign = tuple[tuple[CFunction, ...], tuple[Program, ...]]
