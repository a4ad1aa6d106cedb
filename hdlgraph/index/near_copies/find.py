"""Finds the files of a repository that are nearly the same, which a search shows as one hit.

Such are files vendored twice, made from one template, or kept once for each board. Two files are
of one group when

1. their content is the same; or
2. their code is the same but for comments, white space and their own names, and is at least LONG
   tokens long (a short file says by its name what it is); or
3. their names without suffix are the same, and so are nine tenths (ALIKE) of their code, in which
   all numbers count as alike.

Files of another name whose numbers differ, such as the coders of several widths, stay apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence

import msgspec

from hdlgraph.index.kept.functions import last, note
from hdlgraph.index.kept.memory import decoded, once
from hdlgraph.index.near_copies.former import Former
from hdlgraph.index.near_copies.outline import is_readable, outline_of
from hdlgraph.index.near_copies.shape import Shape, likeness, most_likeness, shape_of
from hdlgraph.index.request import shapes_digest
from hdlgraph.index.shares import ALONE, Shares
from hdlgraph.model import FileRecord
from hdlgraph.store.cache import Cache

ALIKE = 0.9
"""Least share of code that two files of one name have in common."""
LONG = 100
"""Least tokens of files of different names whose code is the same."""
SHORT = 30
"""A file of fewer tokens is compared as a whole only."""
LOOKED_AT = 32
"""Files of one name that a further one is compared with, so that many cost no more than that."""


def near_copies(
    records: Sequence[FileRecord],
    read_text: Callable[[str], str],
    cache: Cache | None = None,
    shares: Shares = ALONE,
) -> list[list[int]]:
    """Returns the groups of nearly equal files, each of at least two numbers, all sorted.

    A file's number is its place in `records`.

    Args:
        records: facts of all files, sorted by path.
        read_text: gives a file's decoded text ("" where it cannot be read).
        cache: keeps the shapes of files for the next run.
        shares: who reads the files.
    """
    former = Former(records)
    found = former.groups(lambda some: _shapes(some, read_text, cache, shares))
    if found is None:
        shapes = _shapes(_promising(records), read_text, cache, shares)
        found = _grouped(records, shapes)
        former.note(found, shapes)
    return found


def _grouped(records: Sequence[FileRecord], shapes: Mapping[str, Shape]) -> list[list[int]]:
    """Returns the groups of files, whose shapes are known by path where they may be alike."""
    likenesses = _Likenesses()
    first: dict[Hashable, str] = {}
    named: dict[str, list[tuple[Shape, str]]] = defaultdict(list)
    groups: dict[str, list[int]] = defaultdict(list)
    for number, record in enumerate(records):
        path, name, shape = record.path, _name(record), shapes.get(record.path)
        keys = _keys(record, name, shape)
        group = next((first[key] for key in keys if key in first), "")
        if shape is not None and shape.tokens >= SHORT:
            group = group or _alike(shape, named[name], likenesses)
            if len(named[name]) < LOOKED_AT:
                named[name].append((shape, group or path))
        for key in keys:
            first.setdefault(key, group or path)
        groups[group or path].append(number)
    likenesses.note()
    return sorted(numbers for numbers in groups.values() if len(numbers) > 1)


def _keys(record: FileRecord, name: str, shape: Shape | None) -> list[Hashable]:
    """Returns what is the same in files of one group."""
    keys: list[Hashable] = [("content", record.sha256)] if record.sha256 and record.size else []
    if shape is not None and shape.tokens:
        keys.append(("code", shape.digest, "" if shape.tokens >= LONG else name))
    return keys


class _Likenesses:
    """How alike two shapes are; of those that the last run compared it is known."""

    def __init__(self) -> None:
        self._last: dict[bytes, float] = last("likenesses", dict[bytes, float]) or {}
        self._now: dict[bytes, float] = {}

    def of(self, one: Shape, other: Shape) -> float:
        """Returns the `likeness` of two shapes."""
        key = one.digest + other.digest  # of the tokens, which the runs are made of
        found = self._last.get(key)
        if found is None:
            found = likeness(one, other)
        self._now[key] = found
        return found

    def note(self) -> None:
        """Notes what was compared, for the next run."""
        if self._now != self._last:
            note("likenesses", self._now)


def _alike(shape: Shape, others: Sequence[tuple[Shape, str]], likenesses: _Likenesses) -> str:
    """Returns the group of the file most like a shape, "" where none is ALIKE."""
    best, group = ALIKE, ""
    for other, of in others:
        if most_likeness(shape, other) < ALIKE:
            continue
        found = likenesses.of(shape, other)
        if found > best or (found == best and not group):
            best, group = found, of
    return group


def _promising(records: Sequence[FileRecord]) -> list[FileRecord]:
    """Returns the files worth reading: another one has their name or the same outline."""
    names = Counter(map(_name, records))
    own = [outline_of(record) for record in records]
    outlines = Counter(filter(None, own))
    return [
        record
        for record, own_outline in zip(records, own, strict=True)
        if is_readable(record) and (names[_name(record)] > 1 or outlines[own_outline] > 1)
    ]


def _name(record: FileRecord) -> str:
    name = record.path.rpartition("/")[2]
    dot = name.rfind(".")
    return (name[:dot] if 0 < dot < len(name) - 1 else name).lower()


def _shapes(
    records: Sequence[FileRecord],
    read_text: Callable[[str], str],
    cache: Cache | None,
    shares: Shares,
) -> Mapping[str, Shape]:
    """Returns the shape of each file by path, from the cache where it is known."""
    how, own = shapes_digest(), {r.path: _own_names(r) for r in records}
    keys = {r.path: "\n".join((how, r.sha256, *own[r.path])) for r in records}
    known = decoded(cache, "shapes", keys.values(), msgspec.msgpack.Decoder(Shape).decode)

    def read(paths: Sequence[str]) -> list[Shape]:
        return [shape_of(read_text(path), own[path]) for path in paths]

    missing = [path for path, key in keys.items() if key not in known]
    fresh = dict(zip(missing, shares.map("near copies", read, missing), strict=True))
    if cache and fresh:
        encode = msgspec.msgpack.encode
        cache.put_many("shapes", {keys[path]: encode(shape) for path, shape in fresh.items()})
    return {path: known[key] if key in known else fresh[path] for path, key in keys.items()}


@once
def _own_names(record: FileRecord) -> list[str]:
    return sorted({_name(record), *(unit.name for unit in record.units)})
