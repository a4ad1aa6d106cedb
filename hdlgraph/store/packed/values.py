"""Many values of one namespace of the cache in one file, which is mapped into memory.

    values, one behind the other
    head: MessagePack [keys, where each value ends (int64), CRC-32 of each (uint32)]
    its length (8 bytes), its CRC-32 (4 bytes), MAGIC

What a run reads of the files that nobody edited are tens of thousands of values: as rows of a
database each is copied page by page. Like the database the file may be deleted at any time, and a
value that is damaged counts as missing. It is never changed, only replaced by another one.
"""

from __future__ import annotations

import mmap
import os
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from hdlgraph.errors import IndexDamagedError, UnsafeFileError
from hdlgraph.safety.safe_files import create_file, open_regular
from hdlgraph.store.packed.pieces import OpenFile

MAGIC = b"hdlgpack"
_TAIL = 8 + 4 + len(MAGIC)

Blob = bytes | memoryview
"""A value: bytes, or a view of a file."""


class Packed:
    """The values of a file; none where it is missing, damaged or no such file.

    Args:
        path: the file, if there may be one.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._rows: dict[str, int] = {}
        self._ends, self._sums = array("q", [0]), array("I")
        self._data = memoryview(b"")
        if path is None:
            return
        with suppress(OSError, ValueError, UnsafeFileError, RecursionError):
            with open_regular(path, follow=False) as stream:
                size = os.fstat(stream.fileno()).st_size
                data = mmap.mmap(stream.fileno(), size, access=mmap.ACCESS_READ)
                file = OpenFile(stream, str(path))
            self._rows, self._ends, self._sums = _read(memoryview(data))
            self._data, self._file = memoryview(data), file

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: str) -> bool:
        return key in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def get(self, key: str) -> memoryview | None:
        """Returns a value as a view of the file, None where there is no sound one."""
        row = self._rows.get(key)
        if row is None:
            return None
        found = self._data[self._ends[row] : self._ends[row + 1]]
        return found if zlib.crc32(found) == self._sums[row] else None

    def read(self, key: str) -> bytes | None:
        """Returns a copy of a value, None where there is no sound one.

        The file is then no memory of this process; a view makes its part of the file that.
        """
        row = self._rows.get(key)
        if row is None:
            return None
        begin, end = self._ends[row : row + 2]
        with suppress(IndexDamagedError):
            found = self._file.read(begin, end - begin)
            return found if zlib.crc32(found) == self._sums[row] else None
        return None


class Views:
    """Values of a namespace, each found and checked when it is asked for.

    Args:
        rows: those that stand by themselves.
        packed: holds others.
        keys: those of all that may be asked for.
        copied: whether values of the file are copied when they are asked for.
    """

    def __init__(
        self, rows: Mapping[str, bytes], packed: Packed, keys: Iterable[str], copied: bool = False
    ) -> None:
        self._rows, self._keys = rows, keys
        self._packed: Callable[[str], Blob | None] = packed.read if copied else packed.get

    def get(self, key: str) -> Blob | None:
        """Returns a value, None where there is no sound one."""
        found = self._rows.get(key)
        return self._packed(key) if found is None else found

    def __reduce__(self) -> tuple[Any, ...]:
        """Lets another process have the values: a map of memory cannot be sent."""
        found = {key: bytes(value) for key in self._keys if (value := self.get(key)) is not None}
        return dict, (found,)


def _read(data: memoryview) -> tuple[dict[str, int], array[int], array[int]]:
    """Returns the number of each value, where each begins and the last ends, and their checksums.

    Raises:
        ValueError: it is no such file.
    """
    if len(data) < _TAIL or data[-len(MAGIC) :] != MAGIC:
        raise ValueError("is no file of packed values")
    tail = data[-_TAIL:]
    begin = len(data) - _TAIL - int.from_bytes(tail[:8], "little")
    head = data[max(begin, 0) : len(data) - _TAIL]
    if begin < 0 or zlib.crc32(head) != int.from_bytes(tail[8:12], "little"):
        raise ValueError("its head is damaged")
    keys, ends, sums = msgspec.msgpack.decode(head, type=tuple[list[str], bytes, bytes])
    lasts, crcs = array("q", ends), array("I", sums)
    firsts = [0, *lasts[:-1]]
    if not len(keys) == len(lasts) == len(crcs) or any(map(int.__gt__, firsts, lasts)):
        raise ValueError("its head does not fit")
    if lasts and not 0 <= lasts[0] <= lasts[-1] == begin:
        raise ValueError("its values do not fit")
    return {key: row for row, key in enumerate(keys)}, array("q", [0, *lasts]), crcs


def write_packed(path: Path, values: Iterable[tuple[str, Blob]]) -> None:
    """Writes a file of values, all or nothing."""
    temporary = path.with_name(path.name + ".new")
    temporary.unlink(missing_ok=True)
    keys: list[str] = []
    ends, sums = array("q"), array("I")
    at = 0
    try:
        with create_file(temporary) as stream:
            for key, value in values:
                stream.write(value)
                at += len(value)
                keys.append(key)
                ends.append(at)
                sums.append(zlib.crc32(value))
            head = msgspec.msgpack.encode((keys, ends.tobytes(), sums.tobytes()))
            stream.write(head + len(head).to_bytes(8, "little"))
            stream.write(zlib.crc32(head).to_bytes(4, "little") + MAGIC)
        temporary.replace(path)  # a power cut may leave it without its end: then it is none
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise
