"""Values of kept functions for all files, kept together for neighbouring files.

What a stage asks of every file is one value of a block of files then, which is the same as long as
none of them was edited: of 25,000 files after an edit one block is put together, not 25,000 values
found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import GenericAlias
from typing import Any, TypeVar, get_type_hints

from hdlgraph.index.kept.derived import digest
from hdlgraph.index.kept.functions import of_content, stands_for
from hdlgraph.model import FileRecord

T = TypeVar("T")

FILES, MOST = 256, 1024
"""A block ends with a file whose path says so, as one in FILES does, or when it has MOST."""


def values_of(function: Callable[[FileRecord], T], records: Sequence[FileRecord]) -> list[T]:
    """Returns the values of a function of the facts of a file alone for all files.

    Args:
        function: a kept one.
        records: the facts of files, sorted by path.
    """
    name = f"{function.__module__}.{function.__qualname__}"
    kind = GenericAlias(list, (get_type_hints(function)["return"],))
    found: list[T] = []
    for block in blocks_of(records):
        stamps = list(map(stands_for, block))
        if all(stamps):
            make = _Made(function, block)
            found += of_content(f"block {name}", b"".join(stamps), kind, make)
        else:
            found += map(function, block)
    return found


class _Made:
    """Makes the values of a block."""

    def __init__(self, function: Callable[[FileRecord], T], block: Sequence[FileRecord]) -> None:
        self._function, self._block = function, block

    def __call__(self) -> list[Any]:
        return list(map(self._function, self._block))


def blocks_of(records: Sequence[FileRecord]) -> Iterator[Sequence[FileRecord]]:
    """Yields neighbouring files; where a block ends depends on the paths around alone."""
    first = 0
    for at, record in enumerate(records, 1):
        is_last = int.from_bytes(digest(record.path)[:4], "big") % FILES == 0
        if is_last or at - first == MOST:
            yield records[first:at]
            first = at
    if first < len(records):
        yield records[first:]
