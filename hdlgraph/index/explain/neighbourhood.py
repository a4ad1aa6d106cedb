"""What surrounds a file: who instantiates, imports, includes and extends what it defines."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from hdlgraph.index.explain.by_rules.behaviour import state_type_names
from hdlgraph.index.link.copies import ancestors
from hdlgraph.model import FileRecord, Instance, Role, Unit
from hdlgraph.model.paths import shared_folders

MAX_NEIGHBOURS = 8
NEAREST = 4  # files of one name that count for a use
MAX_COPIES = 4  # a comment in this many files is boilerplate
_BENCH = (Role.TESTBENCH, Role.FORMAL)


class Neighbour(msgspec.Struct, frozen=True, order=True):
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


class Neighbourhood(msgspec.Struct, frozen=True):
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
    records = sorted(records, key=lambda record: record.path)
    users = _Users(records)
    for record in records:
        users.add(record)
    return {record.path: users.around(record) for record in records}


class _Users:
    """Who uses the units of each file; tables are by the path of the used file."""

    def __init__(self, records: Sequence[FileRecord]) -> None:
        names: dict[str, list[str]] = defaultdict(list)
        for record in records:
            names[record.path.rpartition("/")[2]].append(record.path)
        self.roles = {record.path: record.role for record in records}
        self.homes, self.files = _Nearest(_homes(records)), _Nearest(names)
        self.enums = _enums(records)
        self._beside: dict[int, set[int]] = {}
        self.shared = Counter(text for r in records for text in {c.text for c in r.comments})
        self.parents: dict[str, list[Neighbour]] = defaultdict(list)
        self.importers: dict[str, set[str]] = defaultdict(set)
        self.includers: dict[str, set[str]] = defaultdict(set)
        self.extenders: dict[str, set[str]] = defaultdict(set)
        self.binders: dict[str, set[tuple[str, str]]] = defaultdict(set)

    def add(self, record: FileRecord) -> None:
        """Records what one file uses."""
        path, homes = record.path, self.homes
        for unit in record.units:
            shared = self._beside[id(unit)] = _shared(record, unit)
            for inst in unit.instances:
                for home in homes.of(path, inst.unit):
                    if home != path:
                        self.parents[home].append(_neighbour(path, unit.name, inst, shared))
            for package, _ in unit.imports:
                _add(self.importers, homes, package, path, path)
            if unit.extends:
                base = unit.extends.partition("#")[0].strip()
                _add(self.extenders, homes, base, path, unit.name)
        for package, _ in record.imports:
            _add(self.importers, homes, package, path, path)
        for included, _ in record.includes:
            for home in self.files.of(path, included.rpartition("/")[2]):
                self.includers[home].add(path)
        for bind in record.binds:
            _add(self.binders, homes, bind.unit, path, (bind.target, path), own=True)

    def around(self, record: FileRecord) -> Neighbourhood:
        """Returns the surroundings of a file, bounded."""
        path = record.path
        return Neighbourhood(
            parents=_bounded(path, self.parents[path], self.roles),
            children=_children(record, self.homes, self._beside),
            importers=tuple(sorted(self.importers[path])[:MAX_NEIGHBOURS]),
            includers=tuple(sorted(self.includers[path])[:MAX_NEIGHBOURS]),
            extenders=tuple(sorted(self.extenders[path])[:MAX_NEIGHBOURS]),
            binders=tuple(sorted(self.binders[path])[:MAX_NEIGHBOURS]),
            n_parents=len(self.parents[path]),
            n_importers=len(self.importers[path]),
            n_includers=len(self.includers[path]),
            n_extenders=len(self.extenders[path]),
            machines=_machines(record, self.enums),
            repeated=tuple(c.line for c in record.comments if self.shared[c.text] >= MAX_COPIES),
        )


def _neighbour(path: str, parent: str, inst: Instance, shared: Collection[int]) -> Neighbour:
    alone = inst.line not in shared
    return Neighbour(path, inst.line, parent, inst.name, inst.unit, inst.comment, not alone)


def _shared(record: FileRecord, unit: Unit) -> set[int]:
    """Returns the lines of instances whose comments may be of something else, too."""
    beside = {comment.line for comment in record.comments}
    known = sorted((one for one in unit.instances if one.comment), key=lambda one: one.line)
    found = {one.line for one in known if one.line in beside and one.end_line > one.line}
    bare = {one.line: one.unit for one in unit.instances if not one.comment}
    for one in known:
        below = (bare.get(line) for line in (one.end_line + 1, one.end_line + 2))
        if any(other and other != one.unit for other in below):
            found.add(one.line)
    return found


def _homes(records: Sequence[FileRecord]) -> dict[str, tuple[str, ...]]:
    found: dict[str, set[str]] = defaultdict(set)
    for record in records:
        for unit in record.units:
            found[unit.name].add(record.path)
    return {name: tuple(sorted(paths)) for name, paths in found.items()}


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


def _bounded(path: str, found: list[Neighbour], roles: dict[str, str]) -> tuple[Neighbour, ...]:
    """Returns the most telling neighbours: of those that say the same only one, near ones first."""
    ordered = sorted(
        found,
        key=lambda n: (roles[n.path] in _BENCH, not n.comment, -shared_folders(path, n.path), n),
    )
    seen: dict[str, Neighbour] = {}
    for neighbour in ordered:
        seen.setdefault(neighbour.parent, neighbour)
    chosen = list(seen.values())[:MAX_NEIGHBOURS]
    chosen += [n for n in ordered if n not in chosen][: MAX_NEIGHBOURS - len(chosen)]
    return tuple(chosen)


def _children(
    record: FileRecord, homes: _Nearest, beside: Mapping[int, set[int]]
) -> tuple[Neighbour, ...]:
    """Returns the first instance of every unit this file instantiates, in line order.

    `beside` has the lines of each unit, by its identity, whose comments may be of something else.
    """
    seen: dict[str, Neighbour] = {}
    for unit in record.units:
        shared = beside[id(unit)]
        for inst in unit.instances:
            home = next(iter(homes.of(record.path, inst.unit)), "")
            seen.setdefault(inst.unit, _neighbour(home, unit.name, inst, shared))
    ordered = sorted(seen.values(), key=lambda n: (n.line, n.unit))
    return tuple(ordered[: 3 * MAX_NEIGHBOURS])


def _enums(records: Sequence[FileRecord]) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """Returns (path, members) of every enum, by its name."""
    found: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    for record in records:
        for kind in (*record.types, *(kind for unit in record.units for kind in unit.types)):
            if kind.kind == "enum":
                found[kind.name].append((record.path, kind.members))
    return found


def _machines(
    record: FileRecord, enums: dict[str, list[tuple[str, tuple[str, ...]]]]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Returns the enums of other files that are the types of this file's state registers."""
    out = []
    for name in sorted(state_type_names(record)):
        homes = enums.get(name, ())
        if homes and not any(path == record.path for path, _ in homes):
            members = dict(homes)
            nearest = min(members, key=lambda path: (-shared_folders(record.path, path), path))
            out.append((name, members[nearest]))
    return tuple(out[:4])
