"""Reads pieces of a file when they are asked for.

What is mapped into memory counts as memory of each process that looked at it, for as long as it is
mapped; a piece that was read goes with whoever asked for it.
"""

from __future__ import annotations

import os
import weakref
from array import array
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO

from hdlgraph.errors import IndexDamagedError


class OpenFile:
    """A file that may be read by copies of this process as well, as no place in it is kept."""

    def __init__(self, stream: IO[bytes], name: str = "") -> None:
        self._file, self._name = os.dup(stream.fileno()), name
        weakref.finalize(self, os.close, self._file)

    def read(self, begin: int, size: int) -> bytes:
        """Returns so many bytes.

        Raises:
            IndexDamagedError: there are not so many, or they cannot be read.
        """
        try:
            found = os.pread(self._file, size, begin)
        except OSError as error:
            raise IndexDamagedError(f"{self._name}: cannot be read ({error})") from error
        if len(found) != size:
            raise IndexDamagedError(f"{self._name}: became shorter while it was read")
        return found


class Pieces:
    """The pieces of a file that lie one behind the other, by number.

    Args:
        path: the file.
        begin: where the first piece begins.
    """

    def __init__(self, path: Path, begin: int = 0) -> None:
        with path.open("rb") as stream:
            self._file = OpenFile(stream, str(path))
        self._ends = array("q", [begin])

    def add(self, size: int) -> Callable[[], bytes]:
        """Notes that the next piece has so many bytes; returns what reads it."""
        self._ends.append(self._ends[-1] + size)
        return partial(self._read, len(self._ends) - 2)

    def _read(self, number: int) -> bytes:
        begin, end = self._ends[number : number + 2]
        return self._file.read(begin, end - begin)
