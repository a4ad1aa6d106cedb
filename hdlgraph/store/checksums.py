"""Checksums of the files of a generation: damage is noticed before a file is used.

They tell what a disk, a copy or an editor spoiled. They are no protection against somebody who
writes into the index folder on purpose: the readers themselves must stand whatever they find.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any, BinaryIO, Generic, TypeVar

from hdlgraph.errors import IndexDamagedError
from hdlgraph.safety.safe_files import open_regular

Checksums = Mapping[str, tuple[int, str]]
"""Bytes and sha256 (hexadecimal) of each file, by path relative to the generation, POSIX."""

S = TypeVar("S")
T = TypeVar("T")
THREADS = 2
LATER = 5
"""By how much the niceness of a thread is greater that does something aside."""
LEASE = "lease"  # see `hdlgraph.store.lease`; empty, and not part of the content


def checksums_of(generation: Path, known: Checksums | None = None) -> dict[str, tuple[int, str]]:
    """Returns the checksums of all files of a generation, sorted by path.

    Args:
        generation: the generation's folder.
        known: checksums of files that need no reading, as another generation shares them.
    """
    files = sorted(path for path in generation.rglob("*") if path.is_file())
    names = [file.relative_to(generation).as_posix() for file in files]
    known = known or {}
    new = [name for name in names if name != LEASE and name not in known]
    found = dict(zip(new, at_once(_sum_of, [generation / name for name in new]), strict=True))
    return {name: known.get(name) or found[name] for name in names if name != LEASE}


def _sum_of(file: Path) -> tuple[int, str]:
    with file.open("rb") as stream:
        return file.stat().st_size, _sha256(stream)


class Ahead:
    """Checksums of finished files of a generation, taken beside what its run goes on to do.

    Args:
        generation: the generation's folder.
        names: paths of files that are not written to any more.
    """

    def __init__(self, generation: Path, names: Sequence[str]) -> None:
        self._generation, self._names = generation, list(names)
        self._work = Aside(self._sums)

    def _sums(self) -> dict[str, tuple[tuple[int, ...], tuple[int, str]]]:
        paths = {name: self._generation / name for name in self._names}
        return {name: (_state(path), _sum_of(path)) for name, path in paths.items()}

    def wait(self) -> None:
        """Waits for the end of the work."""
        self._work.wait()

    def result(self) -> dict[str, tuple[int, str]]:
        """Returns the checksums of those that are what they were."""
        found = self._work.result()
        return {
            name: one
            for name, (state, one) in found.items()
            if state == _state(self._generation / name)
        }


def _state(path: Path) -> tuple[int, ...]:
    """Returns what distinguishes a file from what was written into it or put in its place later."""
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def damaged(generation: Path, sums: Checksums) -> list[str]:
    """Returns what is wrong with a generation's files, "PATH: why", sorted; empty when sound."""
    files = sorted(sums.items())
    whys = at_once(lambda one: _why(generation / one[0], *one[1]), files)
    return [f"{name}: {why}" for (name, _), why in zip(files, whys, strict=True) if why]


def at_once(work: Callable[[S], T], given: Sequence[S]) -> list[T]:
    """Returns the results of work on each thing given, which THREADS threads do at once.

    It is for reading and hashing files, which lets other threads run. All have ended then.
    """
    found: list[Any] = [None] * len(given)
    failed: list[BaseException] = []
    left = iter(range(len(given)))

    def some() -> None:
        try:
            for at in left:
                found[at] = work(given[at])
        except BaseException as error:  # told below, by the thread that waits
            failed.append(error)

    threads = [Thread(target=some) for _ in range(min(THREADS, len(given)) - 1)]
    for thread in threads:
        thread.start()
    some()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return found


class Aside(Generic[T]):
    """Does work in a thread of its own, beside what its process does until it asks for the result.

    Args:
        work: reads and hashes files, which lets other threads run.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._found: list[T] = []
        self._failed: list[BaseException] = []
        self._thread = Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        _give_way()
        try:
            self._found.append(self._work())
        except BaseException as error:  # told by `result`
            self._failed.append(error)

    def wait(self) -> None:
        """Waits for the end of the work."""
        self._thread.join()

    def result(self) -> T:
        """Returns what the work gave, or raises what it failed with."""
        self.wait()
        if self._failed:
            raise self._failed[0]
        return self._found[0]


def _give_way() -> None:
    """Lets other threads go before this one, and those that it starts, where a system can do that.

    Hashing takes all the time of a core. While others want both of two, what this process does
    beside would else be late by as much.
    """
    if sys.platform == "linux":
        me = threading.get_native_id()
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, me, os.getpriority(os.PRIO_PROCESS, me) + LATER)


def check_sizes(generation: Path, sums: Checksums) -> None:
    """Checks that every file is there with its size, which costs no reading.

    Raises:
        IndexDamagedError: one is not.
    """
    for name, (size, _) in sorted(sums.items()):
        try:
            found = os.lstat(generation / name).st_size
        except OSError:
            raise damage(generation, name, "is missing") from None
        if found != size:
            raise damage(generation, name, f"has {found} bytes instead of {size}")


def check_files(generation: Path, sums: Checksums, names: Iterable[str]) -> None:
    """Checks the content of some files.

    Args:
        generation: the generation's folder.
        sums: its checksums.
        names: paths of files, or of folders for all files below them.

    Raises:
        IndexDamagedError: one is not as it was written.
    """
    wanted = tuple(names)
    folders = tuple(f"{name}/" for name in wanted)
    for name, (size, digest) in sorted(sums.items()):
        if name in wanted or name.startswith(folders):
            why = _why(generation / name, size, digest)
            if why:
                raise damage(generation, name, why)


def damage(generation: Path, name: str, why: str) -> IndexDamagedError:
    """Returns the error of a damaged file, with the remedy."""
    return IndexDamagedError(
        f"index {generation.parent}: {generation.name}/{name} {why}; it was damaged after it was "
        "written, rebuild it with `hdlgraph index REPO`"
    )


def _why(file: Path, size: int, digest: str) -> str:
    try:
        with open_regular(file, follow=False) as stream:
            found = os.fstat(stream.fileno()).st_size
            if found != size:
                return f"has {found} bytes instead of {size}"
            same = _sha256(stream) == digest
        return "" if same else "has another content"
    except OSError as error:
        return "is missing" if isinstance(error, FileNotFoundError) else "cannot be read"


def _sha256(stream: BinaryIO) -> str:
    digest = hashlib.sha256()
    while block := stream.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()
