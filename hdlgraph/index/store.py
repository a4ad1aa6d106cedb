"""The index folder: generations, and which of them is valid.

    lock              held by the one writer
    manifest.json     written last; names the valid generation
    gen-N/            facts.msgpack, *.parquet, explanations.jsonl, lexical/, surfaces/,
                      structures/, report.json
    cache.sqlite      see `hdlgraph.cache`
    imported.jsonl    explanations that a team shares
    written.jsonl, rewritten.jsonl, distilled.jsonl
                      what language models wrote, see `hdlgraph.index.written`, `.distilled`
    answers.sqlite    every answer of a model that was paid; kept for good
    graphrag/         GraphRAG's own tables

A generation is never changed once the manifest names it; a run writes the next one beside it.
"""

from __future__ import annotations

import errno
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from hdlgraph.cache import Cache
from hdlgraph.errors import HdlgraphError, IndexMissingError, UsageError
from hdlgraph.index.lock import index_lock
from hdlgraph.index.manifest import Manifest, read_manifest, write_manifest
from hdlgraph.model import FileRecord

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class Store:
    """Read access to an index folder; `write()` opens it for a run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def manifest(self) -> Manifest:
        """Returns the valid manifest; raises IndexMissingError or IndexVersionError."""
        return read_manifest(self.folder)

    def former(self) -> Manifest | None:
        """Returns the valid manifest, or None where a run must start from nothing."""
        try:
            manifest = self.manifest()
        except UsageError:
            return None
        return manifest if self.generation(manifest).is_dir() else None

    def generation(self, manifest: Manifest) -> Path:
        """Returns the folder of the generation that `manifest` names."""
        return self.folder / f"gen-{manifest.generation}"

    def current(self, manifest: Manifest | None = None) -> Path:
        """Returns the valid generation's folder; `manifest` is the present one where it is read."""
        folder = self.generation(manifest or self.manifest())
        if not folder.is_dir():
            raise IndexMissingError(
                f"index {self.folder}: {folder.name} is gone; rebuild it with `hdlgraph index REPO`"
            )
        return folder

    @property
    def imported(self) -> Path:
        """Returns the path of the imported explanations (the file may not exist)."""
        return self.folder / "imported.jsonl"

    @contextmanager
    def write(self) -> Iterator[Run]:
        """Opens the folder for one run: locked, leftovers of killed runs removed.

        Raises:
            IndexLockedError: another run is writing.
            HdlgraphError: the folder cannot be written or its disk is full; the former
                generation stays valid.
        """
        with full_disk_explained(self.folder):
            make_folder(self.folder)
            with index_lock(self.folder):
                former = self.former()
                self._sweep(former)
                run = Run(self, former)
                try:
                    yield run
                finally:
                    run.close()

    def _sweep(self, keep: Manifest | None) -> None:
        valid = self.generation(keep).name if keep else ""
        for path in self.folder.glob("gen-*"):
            if path.name != valid:
                shutil.rmtree(path, ignore_errors=True)


class Run:
    """One writer's view: the former generation, the caches, and the generation being written."""

    def __init__(self, store: Store, former: Manifest | None) -> None:
        self.store = store
        self.former = former
        self._cache: Cache | None = None
        self._committed = False
        self.number = former.generation + 1 if former else 1
        self.folder = store.folder / f"gen-{self.number}"

    @property
    def cache(self) -> Cache:
        """Returns the cache, opened at first use (a run without changes never needs it)."""
        if self._cache is None:
            self._cache = Cache(self.store.folder / "cache.sqlite")
        return self._cache

    def forget(self) -> None:
        """Drops all that earlier runs cached."""
        self.cache.delete()
        self._cache = None

    def begin(self) -> Path:
        """Creates the new generation's folder and returns it."""
        self.folder.mkdir()
        return self.folder

    def commit(self, manifest: Manifest) -> None:
        """Makes the new generation the valid one and removes the former."""
        write_manifest(self.store.folder, manifest)
        self._committed = True
        self.store._sweep(manifest)

    def close(self) -> None:
        """Closes the caches; an uncommitted generation is removed."""
        if self._cache is not None:
            self._cache.close()
        if not self._committed:
            shutil.rmtree(self.folder, ignore_errors=True)


def make_folder(folder: Path) -> None:
    """Creates an index folder that git ignores by itself."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="ascii")
    except OSError as error:
        if error.errno in FULL:
            raise
        raise HdlgraphError(
            f"index {folder}: cannot create it ({error.strerror}); choose another folder"
            " with --index"
        ) from error


@contextmanager
def full_disk_explained(folder: Path) -> Iterator[None]:
    """Turns "no space left" of any library into one message."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        if not _is_full(error):
            raise
        raise HdlgraphError(
            f"index {folder}: no space left to write it (disk full or quota reached); free some "
            "and run again: finished work is kept and the former index is still valid"
        ) from error


def _is_full(error: Exception) -> bool:
    if isinstance(error, OSError) and error.errno in FULL:
        return True
    text = str(error).lower()
    signs = ("no space left", "disk is full", "disk i/o error", "file too large", "quota")
    return any(sign in text for sign in signs)


def write_facts(folder: Path, records: Sequence[FileRecord]) -> None:
    """Writes the facts of all files (`facts.msgpack`, sorted by path)."""
    (folder / "facts.msgpack").write_bytes(msgspec.msgpack.encode(list(records)))


def read_facts(folder: Path) -> list[FileRecord]:
    """Returns the facts of all files of a generation, sorted by path."""
    data = (folder / "facts.msgpack").read_bytes()
    return msgspec.msgpack.decode(data, type=list[FileRecord])
