"""Which testbenches exercise a unit, and what belongs to each: tests, environment, agents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import Location
from hdlgraph.model.paths import shared_folders
from hdlgraph.query.verification.components import made, tree
from hdlgraph.query.verification.hierarchy import BINDS, Step, Units, started
from hdlgraph.query.verification.library import Class, Library
from hdlgraph.store.design.verification import Act, Code, ListedTest, TestList

DEFAULT_LIMIT = 20
"""Testbenches of a unit, and entries of each list, unless the caller says more."""


class Bench(NamedTuple):
    """A testbench that holds a unit: its module, its kind, and the way down to the unit."""

    row: int
    kind: str
    way: tuple[Step, ...]


class Parts(NamedTuple):
    """The classes of a testbench by what they are for, and the lists of its tests."""

    tests: tuple[Class, ...]
    envs: tuple[Class, ...]
    agents: tuple[Class, ...]
    coverage: tuple[Class, ...]
    sequences: tuple[Class, ...]
    lists: tuple[TestList, ...]


class Benches:
    """All testbenches of a design."""

    def __init__(self, graph: Graph, code: Code, library: Library | None = None) -> None:
        self.code = code
        self.library = library or Library(code)
        self.units = Units(graph, started(code.files))
        self._rows: dict[str, list[int]] = {}
        for row, name in enumerate(self.units.names):
            if self.units.kinds[row] in ("module", "interface", "program", "checker"):
                self._rows.setdefault(name, []).append(row)
        self._lists: dict[int, list[TestList]] | None = None
        self._parts: dict[int, Parts] = {}

    def rows(self, name: str) -> list[int]:
        """Returns the modules, interfaces and programs of a name."""
        return self._rows.get(name, [])

    def by_name(self) -> dict[str, list[int]]:
        """Returns the modules, interfaces and programs of each name."""
        return self._rows

    def of(self, row: int) -> list[Bench]:
        """Returns the testbenches that exercise a unit, those nearest to it first."""
        return [Bench(one, kind, tuple(way)) for one, kind, way in self.units.climb(row)]

    def programs(self, row: int) -> Iterator[dict[str, Any]]:
        """Yields the programs in other languages and targets that exercise a unit."""
        ways, _ = self.units.ancestors(row)
        by_name: dict[str, tuple[int, list[Step]]] = {}
        for one, way in sorted(ways.items(), key=lambda item: len(item[1])):
            by_name.setdefault(self.units.names[one], (one, way))
        for program in self.code.programs:
            found = by_name.get(program.unit)
            if found is not None and not (program.kind == "core" and self._is_bench(found[0])):
                yield {
                    "kind": program.kind,
                    "name": program.name,
                    "top": program.unit,
                    "path": program.path,
                    "line": program.line,
                    "location": str(Location(program.path, program.line)),
                    "depth": len(found[1]),
                    "instance": _instance(program.unit, found[1]),
                }

    def _is_bench(self, row: int) -> bool:
        return bool(self.units.bench(row, list(self.units.parents(row))))

    def lists_of(self, row: int) -> list[TestList]:
        """Returns the lists of the tests of a testbench, by its module."""
        if self._lists is None:
            self._lists = {}
            for one in self.code.lists:
                best = self._bench_of(one) if one.tests else -1
                if best >= 0:
                    self._lists.setdefault(best, []).append(one)
            for lists in self._lists.values():
                lists.sort(key=lambda one: (-_runs(one), one.path))
        return self._lists.get(row, [])

    def running(self, one: TestList) -> list[int]:
        """Returns the module of the testbench that runs the tests of a list, [] for unknown."""
        best = self._bench_of(one) if one.tests else -1
        return [best] if best >= 0 else []

    def _bench_of(self, one: TestList) -> int:
        """Returns the module of the testbench that runs a list, -1 where nothing states it.

        A list that names no module is run by the nearest one that imports its tests.
        """
        if one.top:
            rows = self.rows(one.top)
            return min(rows, key=lambda top: self._far(top, one)) if rows else -1
        wanted = {test.test for test in one.tests if test.test}
        count = {row: len(wanted & names) for row, names in self._run_by.items()}
        found = [row for row, number in count.items() if number]
        paths = self.units.paths
        return min(
            found,
            key=lambda row: (-count[row], -shared_folders(paths[row], one.path), paths[row]),
            default=-1,
        )

    @cached_property
    def _run_by(self) -> dict[int, set[str]]:
        """Returns the names of the classes that each module with `run_test` may run."""
        every = sorted(row for rows in self._rows.values() for row in rows)
        return {
            row: {one.name for one in self._imported(row)} for row in every if self.units.runs(row)
        }

    def _far(self, top: int, one: TestList) -> tuple[bool, int, str]:
        names = {self.units.names[child] for child, _, _ in self.units.children(top)}
        return one.unit not in names, -shared_folders(self.units.paths[top], one.path), one.path

    def parts(self, row: int) -> Parts:
        """Returns the classes and test lists that belong to a testbench."""
        found = self._parts.get(row)
        if found is None:
            found = self._parts[row] = self._find_parts(row)
        return found

    def _find_parts(self, row: int) -> Parts:
        """Returns the tests, environments, sequences and agents of a testbench."""
        library, path = self.library, self.units.paths[row]
        lists = self.lists_of(row)
        near = self._imported(row)
        tests = [library.meant(name, path) for name in self._started(row, lists)]
        tests += [one for one in near if library.role(one)[0] == "test"]
        if not any(one.known for one in tests):
            tests += self._beside(row)
        named = {one.row for one in tests[: len(self._started(row, lists))]}
        tests = self._own(row, unique(one for one in tests if one.known), named)
        envs = unique(
            item.of
            for test in tests
            for item in made(library, test)
            if library.role(item.of)[0] == "env"
        )
        envs = self._own(row, envs or [e for e in near if library.role(e)[0] == "env"], set())
        below = unique(one for env in envs for one in self._below(tree(library, env)))
        starts = [library.meant(t.sequence, path) for one in lists for t in one.tests if t.sequence]
        sequences = unique(one for one in starts if one.known)
        sequences += [
            one
            for one in near
            if library.role(one)[0] == "sequence"
            and one not in sequences
            and shared_folders(one.path, path) >= len(path.split("/")) - 2 - ("/tb/" in path)
        ]
        role = library.role
        return Parts(
            tuple(tests),
            tuple(envs),
            tuple(one for one in below if role(one)[0] == "agent"),
            tuple(one for one in below if role(one)[0] == "coverage"),
            tuple(sequences),
            tuple(lists),
        )

    def _started(self, row: int, lists: Sequence[TestList]) -> list[str]:
        units = self.units
        names = [test.test for one in lists for test in one.tests if test.test]
        for path, act in self.library.outside:
            inside = units.lines[row] <= act.line <= units.ends[row]
            if act.kind == "run" and path == units.paths[row] and inside and act.left:
                names.append(act.left)
        return list(dict.fromkeys(names))

    def _imported(self, row: int) -> list[Class]:
        """Returns the classes of the packages that a testbench imports, and of its own file."""
        packages = self.units.imports(row)
        further = [two for one in packages for two in self.units.imports(one)]
        files = {self.units.paths[row]}
        for one in dict.fromkeys([*packages, *further]):
            files |= self.units.files_of(one)
        return [one for one in self.library.all() if one.path in files]

    def _own(self, row: int, classes: Sequence[Class], kept: set[int]) -> list[Class]:
        """Returns the classes less those from elsewhere that others of them extend."""
        path = self.units.paths[row]
        extended = {link.row for one in classes for link in self.library.chain(one)[1:]}
        least = len(path.split("/")) - 2
        return [
            one
            for one in classes
            if one.row in kept or one.row not in extended or shared_folders(one.path, path) >= least
        ]

    def _beside(self, row: int) -> list[Class]:
        """Returns the tests in the folders around a testbench that starts some test by name."""
        if not self.units.runs(row):
            return []
        path = self.units.paths[row]
        folders = path.split("/")[:-1]
        base = "/".join(folders[:-1] if len(folders) > 2 else folders)
        role = self.library.role
        inside = (one for one in self.library.all() if one.path.startswith(f"{base}/"))
        return [one for one in inside if role(one)[0] == "test"] if base else []

    def _below(self, node: dict[str, Any]) -> Iterator[Class]:
        for child in node["children"]:
            yield self.library.meant(child["class"], child["location"].rpartition(":")[0])
            yield from self._below(child)

    def to_dict(self, bench: Bench, limit: int) -> dict[str, Any]:
        """Returns a testbench as JSON has it."""
        units, parts = self.units, self.parts(bench.row)
        listed = [test for one in parts.lists for test in one.tests]
        return {
            **units.place(bench.row),
            "bench": bench.kind,
            "depth": len(bench.way),
            "instance": _instance(units.names[bench.row], bench.way),
            "through": [
                {"unit": units.names[step.child], "instance": step.name, "location": step.location}
                for step in bench.way
            ],
            "interfaces": self._interfaces(bench.row)[:limit],
            "envs": self.brief(parts.envs, limit),
            "agents": self.brief(parts.agents, limit),
            "coverage": self.brief(parts.coverage, limit),
            "test_classes": self.brief(parts.tests, limit),
            "sequences": self.brief(parts.sequences, limit),
            "n_sequences": len(parts.sequences),
            "lists": [
                {"name": one.name, "path": one.path, "plan": one.plan, "n_tests": len(one.tests)}
                for one in parts.lists
            ],
            "tests": [test_dict(one) for one in listed[:limit]],
            "n_tests": len(listed),
        }

    def brief(self, classes: Iterable[Class], limit: int) -> list[dict[str, Any]]:
        """Returns the names and places of classes."""
        return [class_dict(self.library, one) for one in classes][:limit]

    def _interfaces(self, row: int) -> list[dict[str, str]]:
        units = self.units
        return [
            {"unit": units.names[child], "instance": name, "location": location}
            for child, name, location in units.children(row)
            if units.kinds[child] == "interface"
        ]

    def bound(self, row: int) -> list[dict[str, Any]]:
        """Returns what `bind` adds to a unit, and to units below it, those of the unit first."""
        units = self.units
        found = []
        rows = (row, *sorted(set(units.below(row))))
        names = {units.names[one] for one in rows}
        for one in rows:
            for child, name, location in units.children(one, BINDS):
                only = units.bound_instances(child, location)
                own = [path for path in only if path.rpartition(".")[0].partition(".")[0] in names]
                if only and not own and one != row:
                    continue  # into instances elsewhere
                place = {key: units.place(child)[key] for key in ("kind", "name")}
                into = ", ".join(own or only) or units.names[one]
                record = {"instance": name, "into": into, "location": location}
                groups = [act.left for _, act in self.groups(child)]
                at = units.place(child)["location"]
                found.append({**place, **record, "defined": at, "covergroups": groups})
        return found

    def bound_below(self, row: int) -> list[tuple[int, str]]:
        """Returns what is bound to a unit and to units below it, each with the name of the unit."""
        units = self.units
        rows = (row, *sorted(set(units.below(row))))
        return [
            (child, units.names[one]) for one in rows for child, _, _ in units.children(one, BINDS)
        ]

    def groups(self, row: int) -> list[tuple[str, Act]]:
        """Returns the covergroups of a module or interface, each with its path, by line."""
        units = self.units
        path, first, last = units.paths[row], units.lines[row], units.ends[row]
        return [one for one in self._groups.get(path, ()) if first <= one[1].line <= last]

    @cached_property
    def _groups(self) -> dict[str, list[tuple[str, Act]]]:
        found: dict[str, list[tuple[str, Act]]] = {}
        for path, act in self.library.outside:
            if act.kind == "group":
                found.setdefault(path, []).append((path, act))
        return found


def benches_of(benches: Benches, name: str, limit: int = DEFAULT_LIMIT) -> list[dict[str, Any]]:
    """Returns the testbenches of all units of a name, the nearest first; [] for an unknown name.

    This is what other questions call: each has `name`, `path`, `line`, `location`, `depth` (levels
    between the testbench and the unit), `instance` and `through`.

    Args:
        benches: the testbenches of the design.
        name: of a module, interface or program.
        limit: the greatest number of testbenches, and of entries of each list.
    """
    return [benches.to_dict(one, limit) for one in every(benches, name)[:limit]]


def every(benches: Benches, name: str) -> list[Bench]:
    """Returns the testbenches of all units of a name, the nearest first, each instance once."""
    found = sorted(
        (one for row in benches.rows(name) for one in benches.of(row)), key=lambda one: len(one.way)
    )
    return list({(one.row, *(step.name for step in one.way)): one for one in found}.values())


def unique(classes: Iterable[Class]) -> list[Class]:
    """Returns classes, each definition once, in their order."""
    return list({(one.path, one.name, one.line): one for one in reversed(list(classes))}.values())[
        ::-1
    ]


def class_dict(library: Library, one: Class) -> dict[str, Any]:
    """Returns what an answer says of a class."""
    role, by = library.role(one)
    place = {"path": one.path, "line": one.line}
    at = str(Location(one.path, one.line)) if one.known else ""
    return {"name": one.name, "role": role, "role_by": by, **place, "location": at}


def test_dict(one: ListedTest) -> dict[str, Any]:
    """Returns what an answer says of a test of a list."""
    return {
        "name": one.name,
        "test": one.test,
        "sequence": one.sequence,
        "path": one.path,
        "line": one.line,
        "location": str(Location(one.path, one.line)),
        "about": one.about,
        "options": dict(one.more),
    }


def _runs(one: TestList) -> int:
    """Returns how many different things the tests of a list run."""
    return len({(test.test, test.sequence) for test in one.tests})


def _instance(top: str, way: Sequence[Step]) -> str:
    return ".".join([top, *(step.name for step in way)])
