"""What changed files reach: the units and files that depend on them, up to tops and testbenches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.model import NodeKind
from hdlgraph.model.file import Role
from hdlgraph.model.kinds import relation
from hdlgraph.query.design.affected_walk import BINDS, DEFINES, INSTANTIATES, Reach, Step
from hdlgraph.query.design.names import is_unit, place
from hdlgraph.query.design.since import Change, Lost

SCHEMA = 1
LIMIT = 1000
"""Units, files and instances listed unless the caller says more; all are counted."""

FILE, INSTANCE = NodeKind.FILE.value, NodeKind.INSTANCE.value
HOLDING = frozenset({NodeKind.MODULE.value, NodeKind.PROGRAM.value})
"""Kinds of units that can be the top of a hierarchy."""
TESTING = frozenset({Role.TESTBENCH.value, Role.FORMAL.value})


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
    reach = Reach(graph, changes, lost)
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


class _Records:
    """Makes the records of an answer."""

    def __init__(self, graph: Graph, reach: Reach, changed: set[str]) -> None:
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
