"""What changed files reach: the units and files that depend on them, up to tops and testbenches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.model.file import Role
from hdlgraph.model.kinds import relation, relations
from hdlgraph.query.design.names import is_unit, place, spot
from hdlgraph.query.design.since import Change, Lost

SCHEMA = 1
LIMIT = 1000
"""Units, files and instances listed unless the caller says more; all are counted."""

FILE, INSTANCE = NodeKind.FILE.value, NodeKind.INSTANCE.value
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
HOLDING = frozenset({NodeKind.MODULE.value, NodeKind.PROGRAM.value})
"""Kinds of units that can be the top of a hierarchy."""
TESTING = frozenset({Role.TESTBENCH.value, Role.FORMAL.value})


class Step(NamedTuple):
    """How a node was reached: from which row (-1: a changed file), by which edge, and what it says.

    `ends` where the node is affected and its users are not.
    """

    row: int
    before: int
    edge: dict[str, Any]
    ends: bool = False


def affected(
    graph: Graph,
    changes: Sequence[Change],
    lost: Sequence[Lost] = (),
    limit: int = LIMIT,
) -> dict[str, Any]:
    """Returns what depends on changed files, at any distance, each with how it is reached.

    What includes a changed header, imports a changed package, instantiates, extends or uses
    something that a changed file declares is affected with all that it declares, and so are its
    users in turn. So is what names something that a changed file declared before and that is gone.
    What is bound to an affected unit is affected, and nothing by way of that.

    Args:
        graph: the design graph.
        changes: the changed files; one without a `status` counts where a file includes it.
        lost: the names that they declared before.
        limit: the greatest number of units, files and instances that are listed, each.

    Returns:
        `{schema, changed, units, files, instances, tops, testbenches, counts}` of docs/json.md.
    """
    reach = _Reach(graph, changes, lost)
    reach.spread()
    changed = {one.path for one in changes if one.status} | reach.included
    records = _Records(graph, reach, changed)
    rows = reach.rows()
    held = [row for row in rows if is_unit(records.kinds[row])]
    units = [records.unit(row) for row in held]
    files, instances = records.files(rows), records.instances(held)
    tops = [one for one in units if one["top"]]
    testing = [one for one in units if one["role"] in TESTING and one["kind"] in HOLDING]
    lists = {"units": units, "files": files, "instances": instances}
    found = [_change(one) for one in changes if one.path in changed]
    return {
        "schema": SCHEMA,
        "changed": found,
        **{name: many[:limit] for name, many in lists.items()},
        "tops": [one["id"] for one in tops][:limit],
        "testbenches": [one["id"] for one in testing][:limit],
        "counts": {
            "changed": len(found),
            **{name: len(many) for name, many in lists.items()},
            "tops": len(tops),
            "testbenches": len(testing),
        },
    }


def _change(one: Change) -> dict[str, str]:
    return {"path": one.path, "status": one.status or "changed", "former": one.former}


class _Reach:
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


class _Records:
    """Makes the records of an answer."""

    def __init__(self, graph: Graph, reach: _Reach, changed: set[str]) -> None:
        self._graph, self._reach, self._changed = graph, reach, changed
        self.kinds = graph.nodes.column("kind")
        self._names = graph.nodes.column("name")
        self._edge_kinds = graph.edges.column("kind")
        self._sources = graph.edges.column("source")

    def one(self, row: int) -> dict[str, Any]:
        """Returns the record of a unit or file: what it is, where, and the chain to it."""
        found = place(self._graph, row)
        file = self._graph.row(f"file:{found['path']}")
        chain = self._chain(row)
        return {
            **found,
            "role": self._graph.nodes.column("detail")[file] if file >= 0 else "",
            "changed": found["path"] in self._changed,
            "distance": sum(step["kind"] != DEFINES for step in chain),
            "chain": chain,
        }

    def unit(self, row: int) -> dict[str, Any]:
        """Returns the record of a unit, with whether it is a top."""
        return {**self.one(row), "top": self._is_top(row)}

    def files(self, rows: Sequence[int]) -> list[dict[str, Any]]:
        """Returns the files that are affected, or that hold an affected unit, by path."""
        found: dict[str, int] = {}
        for row in sorted(rows, key=lambda row: self.kinds[row] != FILE):
            found.setdefault(self._graph.nodes.column("path")[row], row)
        keys = ("path", "role", "changed", "distance", "chain")
        records = ((path, self.one(row)) for path, row in sorted(found.items()))
        return [{key: one[key] for key in keys} for _, one in records]

    def _is_top(self, row: int) -> bool:
        """Returns whether a unit is one that could stand in a hierarchy and that nothing holds."""
        if self.kinds[row] not in HOLDING:
            return False
        below = (self._edge_kinds[edge] for edge in self._graph.in_edges(row).tolist())
        return not any(kind in (INSTANTIATES, BINDS) for kind in below)

    def _chain(self, row: int) -> list[dict[str, Any]]:
        steps: list[dict[str, Any]] = []
        while row >= 0:
            step = self._reach.steps[row]
            if step.edge:
                steps.append(self._link(step))
            row = step.before
        return steps[::-1]

    def _link(self, step: Step) -> dict[str, Any]:
        edge = step.edge
        about = relation(edge["kind"])
        backward = step.ends or edge["kind"] == DEFINES
        return {
            "id": self._graph.nodes.column("id")[step.row],
            "name": self._names[step.row],
            "words": about.backward if backward else about.forward,
            "of": self._names[step.before] if step.before >= 0 else edge["text"],
            **{key: edge[key] for key in ("kind", "path", "line", "location", "text")},
            **{key: edge[key] for key in ("confidence", "resolved")},
        }

    def instances(self, units: Sequence[int]) -> list[dict[str, Any]]:
        """Returns the instances of units, by place."""
        found: dict[int, dict[str, Any]] = {}
        for unit in units:
            for edge in self._graph.in_edges(unit).tolist():
                row = self._sources[edge]
                if self._edge_kinds[edge] == INSTANTIATES and self.kinds[row] == INSTANCE:
                    found.setdefault(row, {**place(self._graph, row), "unit": self._names[unit]})
        return sorted(found.values(), key=lambda one: (one["path"], one["line"], one["id"]))


def declared_by(graph: Graph) -> Callable[[str], frozenset[str]]:
    """Returns what gives the names of the units and macros that a file declares, by its path."""
    held: dict[str, set[str]] = {}
    columns = (graph.nodes.column(name) for name in ("path", "kind", "name"))
    for path, kind, name in zip(*columns, strict=True):
        if is_unit(kind) or kind == NodeKind.MACRO:
            held.setdefault(path, set()).add(name.rpartition(".")[2])
    return lambda path: frozenset(held.get(path, ()))
