"""Numbers of each file, such as those of its sentences, and which of them an edit touched.

In how many files of a repository each of a million numbers stands is a count that an edit changes
for a handful: what the last run counted holds for all others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hdlgraph.index.kept.functions import former_content, last, note, use_contents
from hdlgraph.index.kept.unchanged import by_segment, cut
from hdlgraph.model import FileRecord

MOST = 64
"""Touched numbers up to which each is looked for among all."""
_WIDTH = 8
_Kept = list[bytes]


class Column(NamedTuple):
    """Numbers of files: how many each has (int64), and what they are, one file after the other.

    `numbers` are uint64, `beside` has an int64 beside each where there is one, and is empty where
    not.
    """

    lengths: np.ndarray
    numbers: np.ndarray
    beside: np.ndarray

    @property
    def owners(self) -> np.ndarray:
        """Returns the place of the file of each number."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)


class Touched(NamedTuple):
    """What an edit touched since the last run, and what that one noted.

    `numbers` are those that some file gained or lost, `segments` those that were others.
    """

    noted: bytes
    numbers: list[int]
    segments: list[int]


class _Noted(NamedTuple):
    """What a run noted: what stands for its paths, the keys of its segments, and its result."""

    paths: bytes
    keys: list[str]
    result: bytes


class Columns:
    """The numbers of all files, by segment.

    Args:
        name: of what they are.
        records: the facts of all files, sorted by path.
        own: gives the numbers of a file, uint64, and the int64 beside each or b"".
    """

    def __init__(
        self,
        name: str,
        records: Sequence[FileRecord],
        own: Callable[[FileRecord], tuple[bytes, bytes]],
    ) -> None:
        self._name, self._records, self._own = name, records, own
        self.cuts = cut(records)
        paths = "\0".join(one.path for one in records).encode(errors="surrogateescape")
        self._paths = hashlib.blake2b(paths, digest_size=16).digest()
        self._parts: dict[int, Column] = {}
        noted: _Noted | None = last(name, _Noted)
        fits = noted and noted.paths == self._paths and len(noted.keys) == len(self.cuts)
        self._noted = noted if fits else None

    def part(self, number: int) -> Column:
        """Returns the numbers of the files of a segment."""
        found = self._parts.get(number)
        if found is None:
            found = self._parts[number] = self._read(number)
        return found

    def _read(self, number: int) -> Column:
        def made(records: Sequence[FileRecord]) -> _Kept:
            own = [self._own(record) for record in records]
            lengths = np.asarray([len(one) // _WIDTH for one, _ in own], np.int64)
            numbers, beside = (b"".join(parts) for parts in zip(*own, strict=True))
            return [lengths.tobytes(), numbers, beside]

        one = self.cuts[number]
        if one.begin == one.end:
            return _column([b"", b"", b""], 0)
        kept = by_segment(self._name, self._records, [one], _Kept, made)[0]
        try:
            return _column(kept, one.end - one.begin)
        except ValueError:  # noted by somebody else
            return _column(made(self._records[one.begin : one.end]), one.end - one.begin)

    @cached_property
    def whole(self) -> Column:
        """Returns the numbers of all files."""
        parts = [self.part(number) for number in range(len(self.cuts))]
        joined = (np.concatenate(some) for some in zip(*parts, strict=True))
        return Column(*joined)

    def since(self) -> Touched | None:
        """Returns what the last run noted and what was touched since; None where that is unknown.

        It is unknown where there are other files than then, and where too many were touched.
        """
        if self._noted is None:
            return None
        use_contents(self._name, (_place(one.key) for one in self.cuts))
        found: set[int] = set()
        changed = [at for at, key in enumerate(self._noted.keys) if key != self.cuts[at].key]
        for number in changed:
            touched = self._touched(number, self._noted.keys[number])
            if touched is None or len(found | touched) > MOST:
                return None
            found |= touched
        return Touched(self._noted.result, sorted(found), changed)

    def _touched(self, number: int, key: str) -> set[int] | None:
        """Returns the numbers that files of a segment gained or lost, None where unknown."""
        one = self.cuts[number]
        kept = former_content(self._name, _place(key), _Kept)
        try:
            return _differing(_column(kept or [], one.end - one.begin), self.part(number))
        except ValueError:
            return None

    def note(self, result: bytes) -> None:
        """Notes the result of this run for the next one."""
        keys = [one.key for one in self.cuts]
        now = _Noted(self._paths, keys, result)
        if all(keys) and now != self._noted:
            note(self._name, now)


def _place(key: str) -> bytes:
    """Returns the key under which `by_segment` keeps what it makes of a segment."""
    return key.encode() + b"\0"


def _column(kept: _Kept, files: int) -> Column:
    """Returns numbers of files as they are kept.

    Raises:
        ValueError: they are not those of so many files.
    """
    lengths, numbers, beside = kept
    found = Column(
        np.frombuffer(lengths, np.int64),
        np.frombuffer(numbers, np.uint64),
        np.frombuffer(beside, np.int64),
    )
    count = len(found.numbers)
    fits = len(found.lengths) == files and found.lengths.sum() == count
    if not fits or len(found.beside) not in (0, count) or (found.lengths < 0).any():
        raise ValueError("numbers of files do not fit")
    return found


def _differing(old: Column, new: Column) -> set[int]:
    """Returns the numbers that a file has in one of two columns of the same files alone."""
    found: set[int] = set()
    ends = [np.cumsum(one.lengths).tolist() for one in (old, new)]
    begins = [[0, *some[:-1]] for some in ends]
    for old_begin, old_end, begin, end in zip(begins[0], ends[0], begins[1], ends[1], strict=True):
        was, now = old.numbers[old_begin:old_end], new.numbers[begin:end]
        if len(was) != len(now) or (was != now).any():
            found |= set(was.tolist()) ^ set(now.tolist())
    return found
