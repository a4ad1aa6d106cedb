"""Values that a process puts aside in a file of its own until it asks for them again."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Hashable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)

_SIZE_BITS = 32
_folder: Path | None = None


@contextmanager
def aside_in(folder: Path) -> Iterator[None]:
    """Puts values aside on the disk of a folder; that of temporary files may be memory."""
    global _folder
    before, _folder = _folder, folder
    try:
        yield
    finally:
        _folder = before


class Spilled(Generic[K]):
    """Values by key, on the disk; the file has no name and goes with the process.

    A copy of the process reads what was put aside before it was made, and puts nothing aside
    itself: both would write to the same place. A value that cannot be put aside, as the disk is
    full, is missing.
    """

    def __init__(self) -> None:
        self._file = -1
        self._process = 0
        self._places: dict[K, int] = {}
        self._end = 0

    def __contains__(self, key: K) -> bool:
        return key in self._places

    def put(self, key: K, value: bytes) -> None:
        """Puts a value aside in place of an earlier one."""
        self._places.pop(key, None)
        with suppress(OSError):
            if self._file < 0:
                self._open()
            if os.getpid() != self._process:
                return
            written = 0
            while written < len(value):
                some = memoryview(value)[written:]
                written += os.pwrite(self._file, some, self._end + written)
            self._places[key] = self._end << _SIZE_BITS | len(value)
            self._end += len(value)

    def _open(self) -> None:
        with tempfile.TemporaryFile(dir=_folder) as stream:
            self._file, self._process = os.dup(stream.fileno()), os.getpid()
        weakref.finalize(self, os.close, self._file)

    def get(self, key: K) -> bytes | None:
        """Returns a value, None where there is none."""
        place = self._places.get(key)
        if place is None:
            return None
        size = place & (1 << _SIZE_BITS) - 1
        with suppress(OSError):
            found = os.pread(self._file, size, place >> _SIZE_BITS)
            return found if len(found) == size else None
        return None

    def drop(self, key: K) -> None:
        """Holds a value no longer."""
        self._places.pop(key, None)
