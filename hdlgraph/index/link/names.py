"""Finds what a name may mean where several files define it: all definitions, nearest first.

Which of several `prim_clock_gating` a design takes, project files say for some users: definitions
in a file that the user includes come first, then those of its own fileset, of its core or package,
and of what that needs (see `hdlgraph.index.filesets`). Without them nothing says it. So every
definition stays a candidate; first those of the same top-level tree, then those that are no test
code (unless the user is), then those fewer folders away. Only a file's own
definition leaves no choice. Two things bound the candidates: a file in a copied tree means that
copy's own definitions (see `copies`), and of very many only the nearest count (see `candidates`).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from hdlgraph.index.filesets.evidence import Evidence
from hdlgraph.index.filesets.fileset import Fileset
from hdlgraph.index.kept.functions import kept
from hdlgraph.index.link.candidates import MOST, TEST_ROLES, Definitions
from hdlgraph.index.link.copies import Copies
from hdlgraph.index.link.kin import Kin
from hdlgraph.index.link.nodes import FileEntry, UnitEntry, instance_name
from hdlgraph.index.link.parts.asked import Asked, Space
from hdlgraph.index.link.parts.builder import Builder
from hdlgraph.index.link.parts.outline import Outline
from hdlgraph.index.link.parts.pack import STUB
from hdlgraph.index.link.ranked import (
    ONLY,
    OWN_COPY,
    OWN_FILE,
    Joined,
    Target,
    rank,
    restricted,
)
from hdlgraph.index.link.trust import UNSEEN, Seen
from hdlgraph.index.parse.late import forget
from hdlgraph.model import FileRecord, Instance
from hdlgraph.model.kinds import is_declared_elsewhere

EXTERNAL_CONFIDENCE = 0.3
INNER_WORDS = 24
"""Of longer names only so many words are tried as the one that a wrapper's name adds."""


class Alias(NamedTuple):
    """A `typedef base name;`, where `base` may be a class."""

    row: int
    path: str
    role: str
    base: str


class Placed(NamedTuple):
    """An instance as a definition of its name: bind directives may name one instead of a unit.

    `name` is that of its node, with the unit around it.
    """

    row: int
    path: str
    role: str
    instance: Instance
    name: str


class Missing(NamedTuple):
    """A use of a name that nothing defines; of equal ones only the first line is kept."""

    kind: str
    name: str
    path: str
    user: str


class Placements(Space):
    """All instances by name; their rows are looked up when somebody asks for the name."""

    def __init__(self, asked: Asked, files: Sequence[FileEntry]) -> None:
        super().__init__("i", asked)
        self.places: dict[str, list[FileEntry]] = {}
        """The files that have instances of a name."""
        for file in files:
            for name in instance_names(file.record):
                self.places.setdefault(name, []).append(file)

    def get(self, key: str, default: Any = None) -> Any:
        """Returns the instances of a name."""
        if self.quietly(key) is None and key in self.places:
            self[key] = [
                Placed(row, entry.path, entry.role, one, instance_name(entry.unit, one))
                for file in self.places[key]
                for entry in file.units
                if any(one.name == key for one in entry.unit.instances)
                for row, one in entry.instances
                if one.name == key
            ]
        return super().get(key, default)


@kept
def instance_names(record: FileRecord) -> list[str]:
    """Returns the names of the instances of a file, sorted, each once."""
    return sorted({one.name for unit in record.units for one in unit.instances})


class Names:
    """All that the repository defines, by name, and the names that it uses without a definition.

    Args:
        files: the entries of all files, sorted by path.
        outlines: what each file has, in short.
        rows: how many nodes all files have.
        filesets: which files belong together.
    """

    def __init__(
        self,
        files: list[FileEntry],
        outlines: Sequence[Outline],
        rows: int,
        filesets: Sequence[Fileset] = (),
    ) -> None:
        self.builder = Builder(rows)
        self.asked = Asked()
        self.evidence = Evidence(filesets)
        self._included: dict[int, frozenset[str]] = {}
        self.files = files
        self.by_path = {file.path: file for file in files}
        self.file_of: dict[int, FileEntry] = {}
        self.modules, self.packages, self.classes = (Space(sign, self.asked) for sign in "mpc")
        self.kin = Kin(files, self.modules)
        self.added = Space("a", self.asked)
        """Units of kinds that other packages declared."""
        self.aliases, self.macros = (Space(sign, self.asked) for sign in "ld")
        self.stubs: dict[str, int] = {}
        """The rows of the stubs so far, by place; see `parts/pack.py`."""
        self.copies = Copies((file.path, file.record.sha256) for file in files)
        self._ranked: dict[Hashable, list[Target]] = {}
        self._definitions: dict[tuple[int, str], Definitions] = {}
        self._imports: dict[int, dict[str, int]] = {}
        self._reach: dict[tuple[int, ...], frozenset[str]] = {}
        self._shared: dict[tuple[int, int], list[tuple[str, int, int]]] = {}
        spaces = {"package": self.packages, "class": self.classes}
        for file, own in zip(files, outlines, strict=True):
            for entry, (_, kind, name) in zip(file.units, own.units, strict=True):
                self.file_of[entry.row] = file
                if kind not in spaces:
                    spaces[kind] = self.added if is_declared_elsewhere(kind) else self.modules
                spaces[kind].setdefault(name, []).append(entry)
            for name, row, base in own.aliases:
                alias = Alias(file.row + row, file.path, file.role, base)
                self.aliases.setdefault(name, []).append(alias)
            for name in own.macros:
                self.macros.setdefault(name, []).append(file)
        self.begin()

    def begin(self) -> None:
        """Begins with a file: what it asks, misses and finds too much of is noted anew."""
        self.asked.begin()
        self.missing: dict[Missing, int] = {}
        self.many: dict[str, int] = {}
        """Names with more than `MOST` definitions that were used, and how many there are."""
        self.star_limited: dict[int, UnitEntry] = {}
        """The units with more connections by `.*` than are kept, by row."""
        self.implicit: dict[int, int] = {}
        """Connections that `.*` states, by the row of the unit."""
        self.stubs_asked: dict[str, None] = {}

    def clear(self) -> None:
        """Drops what was looked up, as all files are linked; it can be asked again."""
        for found in (self._ranked, self._definitions, self._imports, self._reach, self._shared):
            found.clear()
        self.__dict__.pop("instances", None)
        for file in self.files:
            file.clear()
        forget()

    @cached_property
    def instances(self) -> Placements:
        """All instances by name."""
        return Placements(self.asked, self.files)

    @cached_property
    def shortened(self) -> Space:
        """Modules by their name without one inner word: `prim_generic_flop` under `prim_flop`."""
        found = Space("s", self.asked)
        for name, entries in self.modules.items():
            words = name.split("_")
            for at in range(1, min(len(words) - 1, INNER_WORDS)):
                short = "_".join(words[:at] + words[at + 1 :])
                found.setdefault(short, []).extend(entries)
        return found

    @cached_property
    def type_homes(self) -> Space:
        """The names of the packages that declare a type, by its name."""
        found = Space("t", self.asked)
        for package, entries in self.packages.items():
            for entry in entries:
                for one in entry.unit.types:
                    found.setdefault(one.name, set()).add(package)
        return found

    def file(self, path: str) -> FileEntry | None:
        """Returns the file of a path."""
        self.asked.all.add(f"f{path}")
        return self.by_path.get(path)

    def visible(self, files: Sequence[FileEntry]) -> set[str]:
        """Returns the paths of the given files and of all they include, directly or not."""
        self.asked.all.update(f"v{file.path}" for file in files)
        return visible(files)

    def imports_of(self, file: FileEntry, entry: UnitEntry) -> dict[str, int]:
        """Returns the packages that a unit or its file imports, with their order."""
        found = self._imports.get(entry.row)
        if found is None:
            order = dict.fromkeys(name for name, _ in (*entry.unit.imports, *file.record.imports))
            found = self._imports[entry.row] = {name: at for at, name in enumerate(order)}
        return found

    def targets(self, space: Space, name: str, file: FileEntry, told: bool = False) -> list[Target]:
        """Returns the candidates for a name used in `file`, nearest first; [] if unknown.

        Args:
            space: the definitions by name.
            name: the name.
            file: where it is used.
            told: whether `many` lists the name when there are more than `MOST`; for uses that
                are linked to all candidates, not to the nearest alone.
        """
        entries = space.get(name)
        if not entries:
            return []
        if len(entries) == 1:
            return [Target(entries[0], 1.0, "unique", 0, ONLY)]
        known = self._definitions_of(space, name)
        own = known.by_path.get(file.path)
        if own and len(own) == 1:
            return [Target(own[0], 1.0, "unique", 0, OWN_FILE)]
        # A file that defines the name means itself; another file with it would be an error.
        folder = file.path if own else file.path.rpartition("/")[0]
        joined = self._joined_to(file, known)
        key = (id(space), name, folder, file.role in TEST_ROLES, joined)
        found = self._ranked.get(key)
        if found is None:
            choice = own or known.choice(folder, file.role in TEST_ROLES)
            found = rank(file.path, file.role, choice, joined)
            if len(found) == 1:
                found = [found[0]._replace(reason=OWN_COPY)]
            self._ranked[key] = found
        if told and len(found) == MOST < len(entries):
            self.many[name] = max(len(entries), self.many.get(name, 0))
        return found

    def _joined_to(self, file: FileEntry, known: Definitions) -> Joined:
        """Returns what joins a file to the definitions of a name."""
        sets = self.evidence.sets_of(file.path)
        seen = self._seen_by(file) if file.included else frozenset()
        included = frozenset(known.by_path.keys() & seen)
        return Joined(self.kin, self.evidence, sets, included)

    def _seen_by(self, file: FileEntry) -> frozenset[str]:
        """Returns the paths of the files that a file includes, directly or not."""
        self.asked.all.add(f"v{file.path}")
        found = self._included.get(file.row)
        if found is None:
            found = self._included[file.row] = frozenset(visible([file]) - {file.path})
        return found

    def _definitions_of(self, space: Space, name: str) -> Definitions:
        found = self._definitions.get((id(space), name))
        if found is None:
            found = self._definitions[id(space), name] = Definitions(space[name], self.copies)
        return found

    def others(self, space: Space, name: str, file: FileEntry) -> list[Target]:
        """Returns what has a name and is not `file` itself, such as the files it may include.

        The nearest come first; units of the file itself count like those of others.
        """
        entries = space.get(name)
        if not entries:
            return []
        tested = file.role in TEST_ROLES
        choice = self._definitions_of(space, name).choice(file.path.rpartition("/")[0], tested)
        found = [one for one in choice if one is not file]
        if len(found) > MOST:
            self.many[name] = max(len(entries), self.many.get(name, 0))
        return rank(file.path, file.role, found) if found else []

    def within(
        self, space: Space, name: str, file: FileEntry, targets: Sequence[Target],
        paths: Collection[str], package: str = "",
    ) -> list[Target]:  # fmt: skip
        """Returns the targets that lie in `paths` or in a package, all if none does.

        Where the targets are only the nearest of many definitions, all of them are looked at.
        """

        def fits(entry: Any) -> bool:
            return entry.path in paths or (package != "" and entry.unit.parent == package)

        if len(space[name]) <= MOST:
            return restricted(targets, [target for target in targets if fits(target.entry)])
        known = self._definitions_of(space, name)
        kept = known.among(paths) or (known.inside(package) if package else [])
        return rank(file.path, file.role, kept) if kept else list(targets)

    def reach(self, homes: Iterable[Target]) -> frozenset[str]:
        """Returns the paths of the files that define the targets, and of all that these include."""
        rows = tuple(home.entry.row for home in homes)
        files = [self.file_of[row] for row in rows]
        self.asked.all.update(f"v{file.path}" for file in files)
        found = self._reach.get(rows)
        if found is None:
            found = self._reach[rows] = frozenset(visible(files))
        return found

    def shared(self, parent: UnitEntry, entry: UnitEntry) -> list[tuple[str, int, int]]:
        """Returns (name, row in `parent`, row of the port) of the ports that `parent` declares."""
        found = self._shared.get((parent.row, entry.row))
        if found is None:
            known = parent.names
            found = [(name, known[name], at) for name, at in entry.ports.items() if name in known]
            self._shared[parent.row, entry.row] = found
        return found

    def external(self, kind: str, name: str) -> int:
        """Returns a row for the stub of something defined elsewhere, until it has its own."""
        place = f"{STUB}{kind}{STUB}{name}"
        self.stubs_asked[place] = None
        return self.stubs.setdefault(place, self.builder.first + len(self.stubs))

    def miss(self, kind: str, name: str, path: str, line: int, user: str) -> int:
        """Lists a name that nothing defines; returns the row of its stub."""
        key = Missing(kind, name, path, user)
        self.missing[key] = min(line, self.missing.get(key, line))
        return self.external(kind, name)

    def link(
        self, kind: str, source: int, targets: Iterable[Target], path: str, line: int,
        text: str = "", confidence: float = 1.0, seen: Seen = UNSEEN, instance: int = -1,
    ) -> None:  # fmt: skip
        """Adds an edge from `source` to each candidate; `seen` says which readers saw it."""
        for target in targets:
            sure = round(confidence * target.confidence, 4)
            self.builder.edge(
                kind, source, target.entry.row, path, line, text, sure, target.resolved,
                seen=seen, instance=instance, reason=target.reason,
            )  # fmt: skip

    def link_missing(
        self, kind: str, source: int, what: tuple[str, str], path: str, line: int,
        user: str, text: str = "", confidence: float = 1.0, seen: Seen = UNSEEN, instance: int = -1,
    ) -> None:  # fmt: skip
        """Adds an edge to the stub of `what`, a (kind, name), and lists it as unresolved."""
        row = self.miss(*what, path, line, user)
        sure = min(confidence, EXTERNAL_CONFIDENCE)
        self.builder.edge(
            kind, source, row, path, line, text, sure, "external", seen=seen, instance=instance
        )


def visible(files: Iterable[FileEntry], limit: int = 4000) -> set[str]:
    """Returns the paths of the given files and of all they include, directly or not."""
    seen: set[str] = set()
    waiting = list(files)
    while waiting and len(seen) < limit:
        file = waiting.pop()
        if file.path not in seen:
            seen.add(file.path)
            waiting.extend(one for one in file.included if one.path not in seen)
    return seen
