"""What surrounds a file: who instantiates, imports, includes and extends what it defines."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from hdlgraph.index.explain.uses import Used, Uses, uses_of
from hdlgraph.index.fork import trim
from hdlgraph.index.kept.functions import last, note
from hdlgraph.index.kept.unchanged import stamp_of
from hdlgraph.index.link.copies import ancestors
from hdlgraph.model import FileRecord, Role
from hdlgraph.model.paths import shared_folders

MAX_NEIGHBOURS = 8
NEAREST = 4  # files of one name that count for a use
MAX_COPIES = 4  # a comment in this many files is boilerplate
_BENCH = (Role.TESTBENCH, Role.FORMAL)


class Neighbour(msgspec.Struct, frozen=True, order=True, array_like=True):
    """An instance that ties two files: `name` of `unit` inside `parent`, at `path`:`line`.

    `path` is the file at the other end: the parent's for parents, the child's for children
    ("" when no file defines the unit). `shared` is whether its comment may be of something else:
    of several instances below it, or of what stands on the same line behind the name.
    """

    path: str
    line: int
    parent: str
    name: str
    unit: str
    comment: str = ""
    shared: bool = False


class Neighbourhood(msgspec.Struct, frozen=True, array_like=True):
    """Bounded surroundings of one file; the `n_` fields count all, also those left out."""

    parents: tuple[Neighbour, ...] = ()
    children: tuple[Neighbour, ...] = ()
    importers: tuple[str, ...] = ()
    includers: tuple[str, ...] = ()
    extenders: tuple[str, ...] = ()  # names of the classes
    binders: tuple[tuple[str, str], ...] = ()  # (target unit, path) this file's units are bound to
    n_parents: int = 0
    n_importers: int = 0
    n_includers: int = 0
    n_extenders: int = 0
    machines: tuple[tuple[str, tuple[str, ...]], ...] = ()  # state enums declared elsewhere
    repeated: tuple[int, ...] = ()  # lines of comments that three or more other files hold too


def neighbourhoods(records: Sequence[FileRecord]) -> dict[str, Neighbourhood]:
    """Returns the surroundings of every file, keyed by path.

    A unit with several definitions counts for each of them; the nearest files (longest common
    directory) come first, design files before testbenches.
    """
    from hdlgraph.index.explain.repeated import repeated_comments  # with numpy

    records = sorted(records, key=lambda record: record.path)
    return _all_around(records, repeated_comments(records, MAX_COPIES))


def _all_around(
    records: Sequence[FileRecord], repeated: Mapping[str, tuple[int, ...]]
) -> dict[str, Neighbourhood]:
    users = _Users(records, repeated)
    for record in records:
        users.add(record.path)
    return {record.path: users.around(record.path) for record in records}


_Noted = tuple[bytes, dict[str, bytes]]
"""What stands for all that the surroundings of files depend on, and these as MessagePack."""


class Surroundings(Mapping[str, Neighbourhood]):
    """The surroundings of every file by path, as `neighbourhoods` returns them.

    They are those of the last run where each file uses what it did, where it did.

    Args:
        records: facts of all files, sorted by path.
    """

    def __init__(self, records: Sequence[FileRecord]) -> None:
        from hdlgraph.index.explain.repeated import RepeatedComments  # with numpy

        self._records = records
        self._repeated = RepeatedComments(records, MAX_COPIES)
        known = [(record.path, record.role) for record in records]
        said = (stamp_of(uses_of, records), known, self._repeated.stamp)
        key = hashlib.blake2b(msgspec.msgpack.encode(said), digest_size=16).digest()
        self._encoded: dict[str, bytes]
        noted, self._encoded = last("neighbourhoods", _Noted) or (b"", {})
        if noted != key:
            self._make()
            note("neighbourhoods", (key, self._encoded))
            trim()  # of what all files use

    def _make(self) -> None:
        encode = msgspec.msgpack.encode
        found = _all_around(self._records, self._repeated.lines())
        self._encoded = {path: encode(one) for path, one in found.items()}

    def encoded(self, path: str) -> bytes:
        """Returns the surroundings of a file as MessagePack."""
        if path not in self._encoded:  # noted by somebody else
            self._make()
        return self._encoded[path]

    def joined(self, paths: Sequence[str]) -> bytes:
        """Returns what `encoded` does for some files, with what tells where each ends."""
        found = list(map(self._encoded.get, paths))
        known = [self.encoded(paths[at]) if one is None else one for at, one in enumerate(found)]
        return msgspec.msgpack.encode(known)

    def __getitem__(self, path: str) -> Neighbourhood:
        try:
            return msgspec.msgpack.decode(self.encoded(path), type=Neighbourhood)
        except msgspec.MsgspecError:  # as above
            self._make()
            return msgspec.msgpack.decode(self._encoded[path], type=Neighbourhood)

    def __iter__(self) -> Iterator[str]:
        return (record.path for record in self._records)

    def __len__(self) -> int:
        return len(self._records)


class _Users:
    """Who uses the units of each file; tables are by the path of the used file."""

    def __init__(
        self, records: Sequence[FileRecord], repeated: Mapping[str, tuple[int, ...]]
    ) -> None:
        names: dict[str, list[str]] = defaultdict(list)
        for record in records:
            names[record.path.rpartition("/")[2]].append(record.path)
        self.roles = {record.path: record.role for record in records}
        self.records = {record.path: record for record in records}
        homes, self.enums = _homes_and_enums(records)
        self.homes, self.files = _Nearest(homes), _Nearest(names)
        self.repeated = repeated
        self.parents: dict[str, list[Neighbour]] = defaultdict(list)
        self.importers: dict[str, set[str]] = defaultdict(set)
        self.includers: dict[str, set[str]] = defaultdict(set)
        self.extenders: dict[str, set[str]] = defaultdict(set)
        self.binders: dict[str, set[tuple[str, str]]] = defaultdict(set)

    def add(self, path: str) -> None:
        """Records what one file uses."""
        # Those of all files at once would be much of what a run holds.
        uses, homes = uses_of(self.records[path]), self.homes
        for unit in uses.units:
            for inst in unit.instances:
                for home in homes.of(path, inst.unit):
                    if home != path:
                        self.parents[home].append(_neighbour(path, unit.name, inst))
            for package in unit.imports:
                _add(self.importers, homes, package, path, path)
            if unit.extends:
                _add(self.extenders, homes, unit.extends, path, unit.name)
        for package in uses.imports:
            _add(self.importers, homes, package, path, path)
        for included in uses.includes:
            for home in self.files.of(path, included):
                self.includers[home].add(path)
        for name, target in uses.binds:
            _add(self.binders, homes, name, path, (target, path), own=True)

    def around(self, path: str) -> Neighbourhood:
        """Returns the surroundings of a file, bounded."""
        none: tuple[Any, ...] = ()
        uses = uses_of(self.records[path])
        parents = self.parents.get(path, none)
        importers, includers = self.importers.get(path, none), self.includers.get(path, none)
        extenders, binders = self.extenders.get(path, none), self.binders.get(path, none)
        return Neighbourhood(
            parents=_bounded(path, parents, self.roles) if parents else (),
            children=_children(path, uses, self.homes),
            importers=tuple(sorted(importers)[:MAX_NEIGHBOURS]),
            includers=tuple(sorted(includers)[:MAX_NEIGHBOURS]),
            extenders=tuple(sorted(extenders)[:MAX_NEIGHBOURS]),
            binders=tuple(sorted(binders)[:MAX_NEIGHBOURS]),
            n_parents=len(parents),
            n_importers=len(importers),
            n_includers=len(includers),
            n_extenders=len(extenders),
            machines=_machines(path, uses.states, self.enums),
            repeated=self.repeated.get(path, ()),
        )


def _neighbour(path: str, parent: str, inst: Used) -> Neighbour:
    return Neighbour(path, inst.line, parent, inst.name, inst.unit, inst.comment, inst.shared)


_Enums = dict[str, list[tuple[str, tuple[str, ...]]]]
"""(path, members) of every enum, by its name."""


def _homes_and_enums(records: Sequence[FileRecord]) -> tuple[dict[str, tuple[str, ...]], _Enums]:
    """Returns the sorted paths of the files that have a unit of each name, and all enums."""
    homes: dict[str, set[str]] = defaultdict(set)
    enums: _Enums = defaultdict(list)
    for record in records:
        own = uses_of(record)
        for unit in own.units:
            homes[unit.name].add(record.path)
        for name, members in own.enums:
            enums[name].append((record.path, members))
    return {name: tuple(sorted(paths)) for name, paths in homes.items()}, enums


def _add(
    table: dict[str, Any], homes: _Nearest, name: str, path: str, value: object, own: bool = False
) -> None:
    for home in homes.of(path, name.rpartition("::")[2]):
        if own or home != path:
            table[home].add(value)


class _Nearest:
    """The files of each name, and which of them are nearest to a folder.

    Those share the longest directory prefix with it: they are all that lie below the deepest
    folder around it that holds any. Comparing each user with each file would take the square.
    """

    def __init__(self, homes: Mapping[str, Sequence[str]]) -> None:
        self._homes = homes
        self._below: dict[str, dict[str, list[str]]] = {}

    def of(self, path: str, name: str) -> Sequence[str]:
        """Returns the files of a name that are nearest to `path`, at most 4."""
        homes = self._homes.get(name, ())
        if len(homes) < 2:
            return homes
        below = self._below.get(name)
        if below is None:
            below = self._below[name] = {}
            for home in homes:
                for folder in ("", *ancestors(home.rpartition("/")[0])):
                    found = below.setdefault(folder, [])
                    if len(found) < NEAREST:
                        found.append(home)
        folder = path.rpartition("/")[0]
        while folder not in below:
            folder = folder.rpartition("/")[0]
        return below[folder]


def _bounded(
    path: str, found: Sequence[Neighbour], roles: Mapping[str, str]
) -> tuple[Neighbour, ...]:
    """Returns the most telling neighbours: of those that say the same only one, near ones first."""
    ordered = sorted(
        found,
        key=lambda n: (roles[n.path] in _BENCH, not n.comment, -shared_folders(path, n.path), n),
    )
    seen: dict[str, Neighbour] = {}
    for neighbour in ordered:
        seen.setdefault(neighbour.parent, neighbour)
    chosen = list(seen.values())[:MAX_NEIGHBOURS]
    if room := MAX_NEIGHBOURS - len(chosen):
        chosen += [n for n in ordered if n not in chosen][:room]
    return tuple(chosen)


def _children(path: str, uses: Uses, homes: _Nearest) -> tuple[Neighbour, ...]:
    """Returns the first instance of every unit this file instantiates, in line order."""
    seen: dict[str, Neighbour] = {}
    for unit in uses.units:
        for inst in unit.instances:
            if inst.unit not in seen:
                home = next(iter(homes.of(path, inst.unit)), "")
                seen[inst.unit] = _neighbour(home, unit.name, inst)
    ordered = sorted(seen.values(), key=lambda n: (n.line, n.unit))
    return tuple(ordered[: 3 * MAX_NEIGHBOURS])


def _machines(
    path: str, states: Sequence[str], enums: Mapping[str, list[tuple[str, tuple[str, ...]]]]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Returns the enums of other files that are the types of this file's state registers."""
    out = []
    for name in states:
        homes = enums.get(name, ())
        if homes and not any(home == path for home, _ in homes):
            members = dict(homes)
            nearest = min(members, key=lambda home: (-shared_folders(path, home), home))
            out.append((name, members[nearest]))
    return tuple(out[:4])
