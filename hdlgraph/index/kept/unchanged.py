"""What a run need not make again, as what it depends on is what it was in the last run.

by_segment      values of neighbouring files, whose facts stay what they were
values_of       the values of a kept function for all files, kept so
stamp_of        what stands for those values
all_stamps      what stands for the facts of each file
while_same      a value of files that are read by their paths, whose state on the disk stays
same_file       a file of the former generation
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import GenericAlias
from typing import Any, NamedTuple, TypeVar, get_type_hints

import msgspec

from hdlgraph.index.kept.derived import DIGEST, digest
from hdlgraph.index.kept.functions import (
    called_with,
    encoded,
    keys_of,
    last,
    name_of,
    note,
    of_content,
    once_of_all,
)
from hdlgraph.model import FileRecord

T = TypeVar("T")

SHARE = 2
"""Segments of facts are so many times smaller than those of words, which tell a term once each:
256 files, 512 as a rule."""
SETTLED_NS = 2_000_000_000
"""What changed so shortly before it was read may have changed once more at the same time."""


class Cut(NamedTuple):
    """A segment: its files, and what stands for their facts, "" where nothing is kept of one."""

    begin: int
    end: int
    key: str


def cut(records: Sequence[FileRecord]) -> list[Cut]:
    """Returns the segments of files that are sorted by path; of one list they are found once."""
    return once_of_all("cuts", records, lambda: _cut(records))


def _cut(records: Sequence[FileRecord]) -> list[Cut]:
    found, begin = [], 0
    known = keys_of(records)
    for end in ends_of([record.path for record in records], SHARE):
        keys = known[begin:end]
        whole = "\n".join(keys).encode(errors="surrogateescape")
        key = hashlib.blake2b(whole, digest_size=12).hexdigest() if all(keys) else ""
        found.append(Cut(begin, end, key))
        begin = end
    return found


def ends_of(paths: Sequence[str], share: int) -> list[int]:
    """Returns behind which of the sorted paths each segment ends, as noted where all are the same.

    Args:
        paths: the paths.
        share: how many times smaller than those of words the segments are.
    """
    from hdlgraph.index.lexical import segments  # with numpy, which many runs need not

    joined = "\0".join(paths).encode(errors="surrogateescape")
    key = digest(joined) + f"{share} {segments.LEAST} {segments.USUAL} {segments.MOST}".encode()
    name = f"ends of segments {share}"
    noted = last(name, tuple[bytes, list[int]])
    if noted is not None and noted[0] == key and _are_ends(noted[1], len(paths)):
        return noted[1]
    found = segments.ends(paths, share)
    note(name, (key, found))
    return found


def _are_ends(ends: Sequence[int], count: int) -> bool:
    """Returns whether segments that end so hold each of so many files once."""
    return bool(ends) and ends[-1] == count and sorted(set(ends)) == ends and ends[0] >= 0


def all_stamps(records: Sequence[FileRecord]) -> bytes:
    """Returns DIGEST bytes that stand for the facts of each file, one behind the other.

    They are zeros where nothing is kept of a file.
    """
    return once_of_all("stamps", records, lambda: _all_stamps(records))


def _all_stamps(records: Sequence[FileRecord]) -> bytes:
    told: dict[str, bytes] = last("stamps", dict[str, bytes]) or {}
    none, found, now = bytes(DIGEST), [], {}
    for one in cut(records):
        stamps = told.get(one.key, b"") if one.key else b""
        if len(stamps) != DIGEST * (one.end - one.begin):
            keys = keys_of(records[one.begin : one.end])
            stamps = b"".join(digest(key) if key else none for key in keys)
        found.append(stamps)
        if one.key:
            now[one.key] = stamps
    if now != told:
        note("stamps", now)
    return b"".join(found)


def by_segment(
    name: str,
    records: Sequence[FileRecord],
    cuts: Sequence[Cut],
    kind: Any,
    make: Callable[[Sequence[FileRecord]], T],
    more: bytes = b"",
) -> list[T]:
    """Returns what `make` makes of the files of each segment, as kept where these are the same.

    Args:
        name: of what is made.
        records: the facts of all files.
        cuts: their segments.
        kind: the type of the values.
        make: makes one.
        more: what it depends on besides the facts and the code.
    """
    found = []
    for one in cuts:
        work = partial(make, records[one.begin : one.end])
        key = one.key.encode() + b"\0" + more
        found.append(of_content(name, key, kind, work) if one.key else work())
    return found


def values_of(function: Callable[[FileRecord], T], records: Sequence[FileRecord]) -> list[T]:
    """Returns the values of a function of the facts of a file alone for all files.

    After an edit those of one segment are put together, not one value after the other found.

    Args:
        function: a kept one.
        records: the facts of files, sorted by path.
    """

    def each(some: Sequence[FileRecord]) -> list[T]:
        return list(map(function, some))

    name = f"all {name_of(function)}"
    kind = GenericAlias(list, (get_type_hints(function)["return"],))
    return [one for some in by_segment(name, records, cut(records), kind, each) for one in some]


def stamp_of(
    function: Callable[..., object],
    records: Sequence[FileRecord],
    *more: Hashable,
    **others: Any,
) -> bytes:
    """Returns what stands for the values of a kept function for all records, in their order.

    Of a segment in which nothing changed it is what it was in the last run: no value of its files
    is looked up.
    """
    name = f"stamp {called_with(function, *more)}"
    told: dict[str, bytes] = last(name, dict[str, bytes]) or {}
    found = []
    for one in cut(records):
        stamp = told.get(one.key) if one.key else None
        if stamp is None:
            values = (
                encoded(function, each, *more, **others) for each in records[one.begin : one.end]
            )
            stamp = digest(b"".join(map(digest, values)))
        found.append((one.key, stamp))
    now = {key: stamp for key, stamp in found if key}
    if now != told:
        note(name, now)
    return digest(b"".join(stamp for _, stamp in found))


_State = tuple[str, int, int, int, int]
"""Of a file: path, bytes, times of its last changes of content and of itself, and number."""


def while_same(
    name: str,
    root: Path,
    paths: Sequence[str],
    kind: Any,
    make: Callable[[], T],
    more: bytes = b"",
    lasts: Callable[[T], bool] = lambda _: True,
) -> T:
    """Returns what `make` makes of some files, as kept while their state on the disk is the same.

    Args:
        name: of what is made.
        root: the repository.
        paths: of the files below it.
        kind: the type of the value.
        make: makes it.
        more: what it depends on besides the files and the code.
        lasts: tells whether it is to be kept.
    """
    before = time.time_ns()
    states = [_state(f"{root}/{path}", path) for path in paths]
    key = hashlib.blake2b(msgspec.msgpack.encode((states, more)), digest_size=16).digest()
    newest = max((max(one[2:4]) for one in states), default=0)
    noted = last(name, tuple[bytes, int, kind])
    if noted is not None and noted[0] == key and newest < noted[1] - SETTLED_NS:
        kept: T = noted[2]
        return kept
    value = make()
    if lasts(value):
        note(name, (key, before, value))
    return value


def _state(place: str, path: str) -> _State:
    try:
        found = os.stat(place)  # noqa: PTH116  a `Path` takes as long again
    except OSError:
        return path, -1, 0, 0, 0
    return path, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


class Former(NamedTuple):
    """The former generation: its folder, and (bytes, sha256) of each of its files."""

    folder: Path
    sums: Mapping[str, tuple[int, str]]


def same_file(
    name: str,
    folder: Path,
    former: Former | None,
    key: bytes,
    write: Callable[[], tuple[str, ...]],
) -> tuple[tuple[str, ...], bool]:
    """Returns what is said of a file, and whether the former generation has it as it must be.

    Otherwise it is written.

    Args:
        name: its path in a generation.
        folder: of the new generation.
        former: the former one.
        key: all that the file depends on besides the code.
        write: writes it, or writes none, and returns what is said of it.
    """
    noted = last(f"file {name}", tuple[bytes, str, tuple[str, ...]])
    if noted is not None and noted[0] == key and former is not None:
        there = former.sums.get(name, (0, ""))[1]
        if there == noted[1]:
            return noted[2], bool(there)
    said = write()
    path = folder / name
    digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
    note(f"file {name}", (key, digest, said))
    return said, False
