"""The index folder: generations, and which of them is valid.

    CACHEDIR.TAG      says that hdlgraph made the folder, and to backups to pass it over
    lock              held by the one writer
    manifest.json     written last; names the valid generation
    gen-N/            facts.msgpack, *.parquet, explanations.jsonl, lexical/, surfaces/,
                      structures/, and `lease`, which readers lock
    cache.sqlite      see `hdlgraph.store.cache`
    imported.jsonl    explanations that a team shares
    explanations-first.jsonl, explanations-second.jsonl, concepts.jsonl
                      what language models wrote, see `index/explain/by_model/kept.py`
    answers.sqlite    every answer of a model that was paid; kept for good
    graphrag/         GraphRAG's own tables

A generation is never changed once the manifest names it; a run writes the next one beside it.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from pathlib import Path

import msgspec

from hdlgraph.errors import (
    HdlgraphError,
    IndexMissingError,
    IndexUnsafeError,
    IndexVersionError,
    UsageError,
)
from hdlgraph.store.cache import Cache
from hdlgraph.store.checksums import (
    LEASE,
    Ahead,
    Aside,
    check_files,
    check_sizes,
    checksums_of,
    damaged,
)
from hdlgraph.store.full_disk import FULL, full_disk_explained
from hdlgraph.store.guard import TAG, TAG_TEXT, check_readable, check_writable
from hdlgraph.store.lease import Lease, make_lease, remove
from hdlgraph.store.lock import NAME as LOCK
from hdlgraph.store.lock import index_lock
from hdlgraph.store.manifest import NAME as MANIFEST
from hdlgraph.store.manifest import Manifest, read_manifest, write_manifest

NOWHERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG})
"""What making a folder fails with where none can be."""
ATTEMPTS = 20
"""How often a generation that is not there is looked for again, in some 0.4 s."""
MAX_NOTES = 5
"""Damaged files that a report names."""
TABLES = "graphrag"
IGNORE = ".gitignore"
FORMER_NAMES = {
    "written.jsonl": "explanations-first.jsonl",
    "rewritten.jsonl": "explanations-second.jsonl",
    "distilled.jsonl": "concepts.jsonl",
}
"""How the files that models wrote were called by index version 3."""
_GENERATION = re.compile(r"gen-\d+")


class Generation:
    """A generation that is being read; it stays on disk as long as this object lives.

    Args:
        folder: the folder of the generation.
        manifest: the manifest that names it.
        lease: the hold on it.
    """

    def __init__(self, folder: Path, manifest: Manifest, lease: Lease) -> None:
        self.folder = folder
        self.manifest = manifest
        self.id = lease.id
        self.key = (str(folder), manifest.digest, *lease.id)
        """What tells it from every other one, of any folder, as long as it is held."""
        self.close = lease.close
        self._lease = lease

    def check(self, *names: str) -> None:
        """Checks the content of files, or of all files below folders, of the generation.

        Raises:
            IndexDamagedError: one is not as it was written.
        """
        check_files(self.folder, self.manifest.checksums, names)


class Store:
    """Read access to an index folder; `write()` opens it for a run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def manifest(self) -> Manifest:
        """Returns the valid manifest; raises IndexMissingError or IndexVersionError."""
        return read_manifest(self.folder)

    def generation(self, manifest: Manifest) -> Path:
        """Returns the folder of the generation that `manifest` names."""
        return self.folder / f"gen-{manifest.generation}"

    def hold(self) -> Generation:
        """Returns the valid generation, held: a run that replaces it does not remove it.

        Raises:
            IndexMissingError, IndexVersionError: there is no valid one.
            IndexDamagedError: a file of it is missing or has another size.
            IndexUnsafeError: something in it is a link.
        """
        attempt, last = 0, -1
        while attempt < ATTEMPTS:
            manifest = self.manifest()
            folder = self.generation(manifest)
            try:
                held = Generation(folder, manifest, Lease(folder))
            except OSError:
                # A run has put another generation in its place since the manifest was read.
                attempt = attempt + 1 if manifest.generation == last else 0
                last = manifest.generation
                time.sleep(0.002 * attempt)
                continue
            check_readable(self.folder, folder)
            check_sizes(folder, manifest.checksums)
            return held
        raise IndexMissingError(
            f"index {self.folder}: {folder.name} is gone; rebuild it with `hdlgraph index REPO`"
        )

    @property
    def imported(self) -> Path:
        """Returns the path of the imported explanations (the file may not exist)."""
        return self.folder / "imported.jsonl"

    @contextmanager
    def write(self) -> Iterator[Run]:
        """Opens the folder for one run: locks it and removes what killed runs left.

        Raises:
            IndexLockedError: another run is writing.
            IndexUnsafeError: the folder is not one that hdlgraph may write to.
            HdlgraphError: the folder cannot be written or its disk is full; the former
                generation stays valid.
        """
        is_new = not self.folder.exists()
        with full_disk_explained(self.folder):
            make_folder(self.folder)
            try:
                with index_lock(self.folder):
                    told, notes = self._told()
                    self._sweep(told)
                    self._rename_former()
                    run = Run(self, told, notes)
                    try:
                        yield run
                    finally:
                        run.close()
            except BaseException:
                if is_new:
                    self._remove_empty()
                raise

    def _remove_empty(self) -> None:
        """Removes a folder that a run made and left without anything of use in it."""
        empty = {TAG, IGNORE, LOCK}
        if {path.name for path in self.folder.iterdir()} <= empty:
            for name in sorted(empty):
                (self.folder / name).unlink(missing_ok=True)
            with suppress(OSError):
                self.folder.rmdir()

    def _rename_former(self) -> None:
        """Gives files that models wrote for an earlier version the names they have now."""
        for former, present in FORMER_NAMES.items():
            if (self.folder / former).is_file() and not (self.folder / present).exists():
                (self.folder / former).rename(self.folder / present)

    def _told(self) -> tuple[Manifest | None, tuple[str, ...]]:
        """Returns the valid manifest, None where a run must start anew, and notes saying why.

        The content of the files that it names is not looked at: see `sound`.
        """
        try:
            manifest = self.manifest()
        except IndexVersionError:
            return None, ()
        except UsageError as error:
            there = (self.folder / MANIFEST).exists()
            return None, (f"rebuilt: {error}",) if there else ()
        folder = self.generation(manifest)
        if not folder.is_dir():
            return None, (f"rebuilt: {folder.name} was gone",)
        try:
            check_readable(self.folder, folder)
        except IndexUnsafeError as error:
            return None, (f"rebuilt: {error}",)
        return manifest, ()

    def sound(self, manifest: Manifest) -> tuple[Manifest | None, tuple[str, ...]]:
        """Returns the manifest of a generation that is as it was written, else None and notes."""
        folder = self.generation(manifest)
        found = damaged(folder, manifest.checksums)
        if not (folder / LEASE).is_file():
            found.append(f"{LEASE}: is missing")
        if found:
            return None, tuple(f"rebuilt: {folder.name}/{one}" for one in found[:MAX_NOTES])
        if damaged(self.folder / TABLES, manifest.tables):
            shutil.rmtree(self.folder / TABLES, ignore_errors=True)
            lost = {"state": "absent", "behind": 0}
            return msgspec.structs.replace(manifest, graphrag=lost, tables={}), (
                "GraphRAG tables: were damaged",
            )
        return manifest, ()

    def _sweep(self, keep: Manifest | None) -> None:
        """Removes the generations that are not valid, but those that a reader still holds."""
        valid = self.generation(keep).name if keep else ""
        for path in self.generations():
            if path.name != valid:
                remove(path)

    def generations(self) -> list[Path]:
        """Returns the folders of all generations there are, valid or not."""
        named = (path for path in self.folder.iterdir() if _GENERATION.fullmatch(path.name))
        return sorted(path for path in named if path.is_dir())


class Run:
    """A run that writes: the former generation, the caches, and the generation being written.

    The files of the former generation are checked beside what the run does until it asks for
    `former`.

    Args:
        store: the index folder.
        told: what the valid manifest says, if there is one.
        notes: say why a run starts anew.
    """

    def __init__(self, store: Store, told: Manifest | None, notes: tuple[str, ...] = ()) -> None:
        self.store = store
        self.told = told
        self.notes = notes
        self._checking = Aside(partial(store.sound, told)) if told else None
        self._cache: Cache | None = None
        self._committed = False
        self._taken: dict[str, tuple[int, str]] = {}
        self._ahead: list[Ahead] = []
        self._sweeping: Aside[None] | None = None
        # Generations that are still read may have any number when the manifest is lost.
        numbers = [int(path.name[4:]) for path in store.generations()]
        self.number = max([told.generation if told else 0, *numbers]) + 1
        self.folder = store.folder / f"gen-{self.number}"

    @cached_property
    def former(self) -> Manifest | None:
        """Returns the manifest of the former generation, None where a run must start anew."""
        if self._checking is None:
            return None
        found, notes = self._checking.result()
        self.notes = (*self.notes, *notes)
        return found

    @property
    def cache(self) -> Cache:
        """Returns the cache, opened at first use (a run without changes never needs it)."""
        if self._cache is None:
            self._cache = Cache(self.store.folder / "cache.sqlite")
        return self._cache

    def forget(self) -> None:
        """Deletes the cache of earlier runs."""
        self.cache.delete()
        self._cache = None

    def begin(self) -> Path:
        """Creates the new generation's folder and returns it."""
        if self._checking is not None:
            self._checking.wait()  # processes may be forked from here on
        self.folder.mkdir()
        make_lease(self.folder)
        return self.folder

    def take(self, names: Mapping[str, str]) -> bool:
        """Makes files of the former generation ones of the new one too; returns whether it could.

        They share the bytes on the disk, as a generation is never changed, and the checksum.

        Args:
            names: path of each in the former generation -> its path in the new one.
        """
        if self.former is None:
            return False
        sums, folder = self.former.checksums, self.store.generation(self.former)
        if not all(name in sums for name in names):
            return False
        try:
            for name, new in names.items():
                (self.folder / new).parent.mkdir(parents=True, exist_ok=True)
                os.link(folder / name, self.folder / new, follow_symlinks=False)
        except OSError:  # a file system without such links
            for new in names.values():
                (self.folder / new).unlink(missing_ok=True)
            return False
        self._taken.update((new, sums[name]) for name, new in names.items())
        return True

    def adopt(self, names: Iterable[str]) -> None:
        """Makes files of the former generation ones of the new one under the same names.

        Raises:
            OSError: one cannot be copied, where the file system has no links.
        """
        for name in names:
            if not self.take({name: name}) and self.former is not None:
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self.store.generation(self.former) / name, self.folder / name)

    def finished(self, names: Sequence[str]) -> None:
        """Says that files of the new generation are written: their checksums are taken meanwhile.

        In a thread of its own: no copy of this process is made until it has ended.
        """
        self._ahead.append(Ahead(self.folder, names))

    def commit(self, manifest: Manifest) -> Manifest:
        """Makes the new generation the valid one; returns its manifest.

        The former one is removed beside what this process does until `close`.
        """
        known = dict(self._taken)
        for one in self._ahead:
            known |= one.result()
        manifest = msgspec.structs.replace(manifest, checksums=checksums_of(self.folder, known))
        write_manifest(self.store.folder, manifest)
        self._committed = True
        self._sweeping = Aside(partial(self.store._sweep, manifest))
        return manifest

    def swept(self) -> None:
        """Waits until the former generation is gone."""
        if self._sweeping is not None:
            self._sweeping.result()

    def close(self) -> None:
        """Closes the caches; an uncommitted generation is removed."""
        for one in (self._checking, self._sweeping, *self._ahead):
            if one is not None:
                one.wait()
        if self._cache is not None:
            self._cache.close()
        if not self._committed:
            shutil.rmtree(self.folder, ignore_errors=True)


def make_folder(folder: Path) -> None:
    """Creates an index folder that git ignores by itself, or checks the one that is there.

    Raises:
        IndexUnsafeError: what is there is not a folder that hdlgraph may write to.
        UsageError: no folder can be there.
        HdlgraphError: it cannot be created.
    """
    check_readable(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        check_writable(folder)
        for name, text in ((TAG, TAG_TEXT), (IGNORE, b"*\n")):
            with suppress(FileExistsError), (folder / name).open("xb") as stream:
                stream.write(text)
    except OSError as error:
        if error.errno in FULL:
            raise
        kind = UsageError if error.errno in NOWHERE else HdlgraphError
        raise kind(
            f"index {folder}: cannot create it ({error.strerror or error}); choose another folder"
            " with --index"
        ) from error
