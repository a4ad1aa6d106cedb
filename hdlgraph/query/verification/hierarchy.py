"""Climbs from a unit to the testbenches that hold it, through as many levels as there are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, Location, NodeKind
from hdlgraph.model.file import Role
from hdlgraph.query.design.names import is_unit

UP = 40
"""Levels of a hierarchy."""
INSTANTIATES, BINDS = EdgeKind.INSTANTIATES.value, EdgeKind.BINDS.value
INCLUDES, IMPORTS = EdgeKind.INCLUDES.value, EdgeKind.IMPORTS.value
DEFINES = EdgeKind.DEFINES.value
HOLDING = frozenset({NodeKind.MODULE.value, NodeKind.PROGRAM.value})
TESTING = {Role.TESTBENCH.value: "testbench", Role.FORMAL.value: "formal"}


class Step(NamedTuple):
    """One level: the unit `parent` has an instance of the unit below it; rows are of the graph."""

    parent: int
    child: int
    name: str
    location: str


class Units:
    """The units of a design and who instantiates them."""

    def __init__(self, graph: Graph, started: dict[str, list[int]]) -> None:
        """Takes a graph, and the lines in each file where `run_test` stands."""
        self.graph = graph
        self._started = started
        nodes = graph.nodes
        self.ids, self.names, self.kinds, self.paths, self.lines, self.ends, self.details = (
            nodes.column(name)
            for name in ("id", "name", "kind", "path", "line", "end_line", "detail")
        )
        self._files = {
            path: row
            for row, (path, kind) in enumerate(zip(self.paths, self.kinds, strict=True))
            if kind == NodeKind.FILE.value
        }

    def place(self, row: int) -> dict[str, object]:
        """Returns what an answer says of a unit."""
        return {
            "id": self.ids[row],
            "kind": self.kinds[row],
            "name": self.names[row],
            "path": self.paths[row],
            "line": self.lines[row],
            "location": str(Location(self.paths[row], self.lines[row])),
        }

    def parents(self, row: int) -> Iterator[Step]:
        """Yields the units that hold a unit, by path and line."""
        edges = self.graph.edges
        kinds, sources, texts, paths, lines = (
            edges.column(name) for name in ("kind", "source", "text", "path", "line")
        )
        found: dict[tuple[int, str], Step] = {}
        for edge in self.graph.in_edges(row).tolist():
            parent = sources[edge]
            if kinds[edge] in (INSTANTIATES, BINDS) and self.kinds[parent] in HOLDING | {
                NodeKind.INTERFACE.value
            }:
                at = str(Location(paths[edge], lines[edge]))
                name = texts[edge].partition(" ")[0]
                found.setdefault((parent, name), Step(parent, row, name, at))
        return iter(sorted(found.values(), key=lambda one: (self.paths[one.parent], one.location)))

    def children(self, row: int, kind: str = INSTANTIATES) -> Iterator[tuple[int, str, str]]:
        """Yields (unit, instance, location) of what a unit instantiates, or what is bound to it."""
        edges = self.graph.edges
        for edge in self.graph.out_edges(row).tolist():
            target = edges.column("target")[edge]
            if edges.column("kind")[edge] == kind and is_unit(self.kinds[target]):
                at = Location(edges.column("path")[edge], edges.column("line")[edge])
                yield target, edges.column("text")[edge].partition(" ")[0], str(at)

    def bound_instances(self, bound: int, location: str) -> list[str]:
        """Returns the instances that a `bind` at a place names, [] where it means all of a unit."""
        edges = self.graph.edges
        found = set()
        for edge in self.graph.in_edges(bound).tolist():
            source = edges.column("source")[edge]
            at = Location(edges.column("path")[edge], edges.column("line")[edge])
            is_one = self.kinds[source] == NodeKind.INSTANCE.value
            if edges.column("kind")[edge] == BINDS and is_one and str(at) == location:
                found.add(self.names[source])
        return sorted(found)

    def files_of(self, package: int) -> set[str]:
        """Returns the file of a package and those that it includes, through others too."""
        start = self._files.get(self.paths[package], -1)
        found: set[int] = {start} - {-1}
        front = list(found)
        edges = self.graph.edges
        while front:
            row = front.pop()
            for edge in self.graph.out_edges(row).tolist():
                target = edges.column("target")[edge]
                if edges.column("kind")[edge] == INCLUDES and target not in found:
                    found.add(target)
                    front.append(target)
        return {self.paths[row] for row in found}

    def imports(self, row: int) -> list[int]:
        """Returns the packages of the repository that a unit imports, in order of the graph."""
        edges = self.graph.edges
        of_file = self._files.get(self.paths[row], -1)
        found = {
            edges.column("target")[edge]
            for one in (row, of_file)
            if one >= 0
            for edge in self.graph.out_edges(one).tolist()
            if edges.column("kind")[edge] == IMPORTS
        }
        return sorted(one for one in found if self.paths[one])

    def file_role(self, row: int) -> str:
        """Returns what the file of a unit is for."""
        file = self._files.get(self.paths[row], -1)
        return str(self.details[file]) if file >= 0 else ""

    def runs(self, row: int) -> bool:
        """Returns whether `run_test` stands in a unit."""
        lines = self._started.get(self.paths[row], ())
        return any(self.lines[row] <= line <= self.ends[row] for line in lines)

    def bench(self, row: int, parents: list[Step]) -> str:
        """Returns what kind of testbench a unit is: uvm, testbench, formal, or "" for none."""
        if self.kinds[row] not in HOLDING:
            return ""
        if self.runs(row):
            return "uvm"
        if parents:
            return ""
        role = TESTING.get(self.file_role(row), "")
        return role or ("testbench" if not self._has_ports(row) else "")

    def _has_ports(self, row: int) -> bool:
        edges = self.graph.edges
        return any(
            self.kinds[edges.column("target")[edge]] == NodeKind.PORT.value
            for edge in self.graph.out_edges(row).tolist()
            if edges.column("kind")[edge] == DEFINES
        )

    def climb(self, row: int) -> list[tuple[int, str, list[Step]]]:
        """Returns the testbenches above a unit: (row, kind, the way down), the nearest first.

        A unit that is a testbench itself has an empty way. Others above a testbench do not count.
        """
        above, _ = self.ancestors(row)
        found = []
        for one, way in above.items():
            kind = self.bench(one, list(self.parents(one)))
            if kind and (way or self.runs(one) or self.file_role(one) in TESTING):
                found.append((one, kind, way))
        order = {"uvm": 0, "testbench": 1, "formal": 2}
        found.sort(key=lambda one: (len(one[2]), order[one[1]], self.paths[one[0]], one[0]))
        return found

    def ancestors(self, row: int) -> tuple[dict[int, list[Step]], int]:
        """Returns the units above one with the shortest way down to it, and how many levels."""
        ways: dict[int, list[Step]] = {row: []}
        front, level = [row], 0
        while front and level < UP:
            level += 1
            reached = []
            for one in front:
                for step in self.parents(one):
                    if step.parent not in ways:
                        ways[step.parent] = [step, *ways[one]]
                        reached.append(step.parent)
            front = reached
        return ways, level

    def below(self, row: int) -> Iterator[int]:
        """Yields the units below a unit, each once."""
        seen, front = {row}, [row]
        while front:
            for child, _, _ in self.children(front.pop()):
                if child not in seen:
                    seen.add(child)
                    front.append(child)
                    yield child


def started(files: tuple[tuple[str, object], ...]) -> dict[str, list[int]]:
    """Returns the lines of each file where `run_test` stands outside of classes."""
    found: dict[str, list[int]] = defaultdict(list)
    for path, file in files:
        for act in file.acts:  # type: ignore[attr-defined]
            if act.kind == "run":
                found[path].append(act.line)
    return found
