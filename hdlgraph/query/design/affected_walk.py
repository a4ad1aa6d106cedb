"""Walks from changed files along the edges of the graph to all that depends on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.model.kinds import relations
from hdlgraph.query.design.names import is_unit, place, spot
from hdlgraph.query.design.since import Change, Lost

FILE = NodeKind.FILE.value
DEFINES, BINDS, INCLUDES, INSTANTIATES, IMPORTS, EXTENDS, USES = (
    kind.value
    for kind in (
        *(EdgeKind.DEFINES, EdgeKind.BINDS, EdgeKind.INCLUDES, EdgeKind.INSTANTIATES),
        *(EdgeKind.IMPORTS, EdgeKind.EXTENDS, EdgeKind.USES),
    )
)
FOLLOWED = frozenset(
    {
        *(BINDS, INCLUDES, INSTANTIATES, IMPORTS, EXTENDS, USES),
        *(EdgeKind.PARAMETERIZES.value, EdgeKind.GUARDED_BY.value),
    }
)
"""Kinds of edges whose source depends on their target. A connection goes up and down: no unit
depends on what it is connected to."""
MISSING = {
    "module": INSTANTIATES,
    "package": IMPORTS,
    "class": EXTENDS,
    "include": INCLUDES,
    "macro": USES,
}
"""What the user of an unresolved name does to it, by the kind of the name."""


class Step(NamedTuple):
    """How a node was reached: from which row (-1: a changed file), by which edge, and what it says.

    `ends` where the node is affected and its users are not.
    """

    row: int
    before: int
    edge: dict[str, Any]
    ends: bool = False


class Reach:
    """What is affected so far, and how each node was reached; nodes are rows of the graph."""

    def __init__(self, graph: Graph, changes: Sequence[Change], lost: Sequence[Lost]) -> None:
        self._graph = graph
        self.kinds, self._paths = graph.nodes.column("kind"), graph.nodes.column("path")
        edges = graph.edges
        self._kind, self._source, self._target = map(edges.column, ("kind", "source", "target"))
        self._order = {kind.name: place for place, kind in enumerate(relations())}
        self.steps: dict[int, Step] = {}
        self.included: set[str] = set()
        """Changed files that no index knows and that an indexed file includes."""
        self.parent: dict[int, int] = {}
        self._parts: dict[int, list[int]] = {}
        for edge, kind in enumerate(self._kind):
            if kind == DEFINES:
                self.parent.setdefault(self._target[edge], self._source[edge])
                self._parts.setdefault(self._source[edge], []).append(self._target[edge])
        paths = {one.path for one in changes if one.status}
        for row, path in enumerate(self._paths):
            if path in paths:
                self.steps[row] = Step(row, -1, {})
        self._front = sorted(self.steps)
        missing = [*lost, *(Lost("include", one.path, one.path) for one in changes)]
        self._take(self._users_of_missing(missing))
        self._take(self._same_names(lost))

    def spread(self) -> None:
        """Goes on until nothing more is reached, the nearest first."""
        while self._front:
            rows, self._front = self._front, []
            self._take(step for row in rows for step in self._next(row))

    def rows(self) -> list[int]:
        """Returns the affected units and files, by place."""
        nodes = self._graph.nodes
        lines = nodes.column("line")
        held = [row for row in self.steps if self._holds(row) and self._paths[row]]
        return sorted(held, key=lambda row: (self._paths[row], lines[row], row))

    def _take(self, steps: Iterable[Step]) -> None:
        """Adds what a step of the walk reached, with all that it declares."""
        for step in sorted(steps, key=self._rank):
            if step.row in self.steps and not self.steps[step.row].ends:
                continue
            self.steps[step.row] = step
            if not step.ends:
                self._front.append(step.row)
                self._front += self._declared(step.row)

    def _rank(self, step: Step) -> tuple[Any, ...]:
        """Returns what steps to one node are sorted by; the first of them is shown."""
        edge = step.edge
        kind = self._order.get(edge["kind"], len(self._order))
        return (
            step.ends,
            kind,
            -edge["confidence"],
            edge["path"],
            edge["line"],
            step.row,
            step.before,
        )

    def _declared(self, row: int) -> Iterator[int]:
        """Yields what a node declares, at any depth, and was not reached before."""
        waiting = [row]
        while waiting:
            holder = waiting.pop()
            for part in self._parts.get(holder, ()):
                if part not in self.steps or self.steps[part].ends:
                    edge = {"kind": DEFINES, **_here(self._graph, part)}
                    self.steps[part] = Step(part, holder, edge)
                    waiting.append(part)
                    yield part

    def _next(self, row: int) -> Iterator[Step]:
        """Yields what depends on one node directly."""
        for edge in self._graph.in_edges(row).tolist():
            if self._kind[edge] in FOLLOWED:
                yield self._step(self._holder(self._source[edge]), row, edge)
        for edge in self._graph.out_edges(row).tolist():
            if self._kind[edge] == BINDS:  # what is bound to it looks into it
                yield self._step(self._target[edge], row, edge, ends=True)
        parent = self.parent.get(row, -1)
        if parent >= 0 and self.kinds[parent] == FILE:
            for edge in self._graph.in_edges(parent).tolist():
                if self._kind[edge] == INCLUDES:
                    yield self._step(self._source[edge], row, edge)

    def _step(self, to: int, before: int, edge: int, ends: bool = False) -> Step:
        return Step(to, before, {"kind": self._kind[edge], **spot(self._graph, edge)}, ends)

    def _holds(self, row: int) -> bool:
        return self.kinds[row] == FILE or is_unit(self.kinds[row])

    def _holder(self, row: int) -> int:
        """Returns the unit or file that declares a node; itself if it is one, or has none."""
        seen = {row}
        while not self._holds(row):
            row = self.parent.get(row, row)
            if row in seen:
                break
            seen.add(row)
        return row

    def _users_of_missing(self, lost: Sequence[Lost]) -> Iterator[Step]:
        """Yields the files that use a name which nothing declares any more."""
        gone = {(one.kind, one.name) for one in lost}
        folders = {one.path: f"/{one.path}" for one in lost if one.kind == "include"}
        tails: dict[str, list[str]] = {}
        for path in folders:
            tails.setdefault(path.rpartition("/")[2], []).append(path)
        for use in self._graph.unresolved:
            if use.kind == "include":
                named = "/" + "/".join(p for p in use.name.split("/") if p not in (".", ".."))
                base = named.rpartition("/")[2]
                meant = [path for path in tails.get(base, ()) if folders[path].endswith(named)]
                self.included.update(meant)
                if not meant:
                    continue
            elif (use.kind, use.name) not in gone:
                continue
            row = self._graph.row(f"file:{use.path}")
            if row >= 0 and use.kind in MISSING:
                yield Step(row, -1, {"kind": MISSING[use.kind], **_use(use)})

    def _same_names(self, lost: Sequence[Lost]) -> Iterator[Step]:
        """Yields the users of what is called as something that is gone: they mean another now."""
        units = {one.name for one in lost if one.kind in ("module", "package", "class")}
        macros = {one.name for one in lost if one.kind == "macro"}
        if not units and not macros:
            return
        for row, name in enumerate(self._graph.nodes.column("name")):
            kind = self.kinds[row]
            if (name in units and is_unit(kind)) or (name in macros and kind == NodeKind.MACRO):
                for edge in self._graph.in_edges(row).tolist():
                    if self._kind[edge] in FOLLOWED:
                        yield self._step(self._holder(self._source[edge]), -1, edge)


def _here(graph: Graph, row: int) -> dict[str, Any]:
    """Returns what stands for the edge from what declares a node to the node."""
    found = place(graph, row)
    where = {key: found[key] for key in ("path", "line", "location")}
    return {**where, "text": "", "confidence": 1.0, "resolved": "unique"}


def _use(use: Any) -> dict[str, Any]:
    where = {"path": use.path, "line": use.line, "location": f"{use.path}:{use.line}"}
    return {**where, "text": use.name, "confidence": 0.3, "resolved": "external"}
