"""One level of the instance hierarchy, in pages: what a page opens where a whole tree is too large.

`tree` tells the levels below a unit at once; here each is asked for by itself.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from hdlgraph.errors import UsageError
from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.design.names import find, is_unit, place, witnessed
from hdlgraph.query.design.tree import tops

SCHEMA = 1
LIMIT = 100
"""Instances listed of a level unless the caller says more."""
PARENTS = 12
"""So many different units instantiate a library cell, at least."""
SMALL = 4
"""So many instances a library cell has below it, at most."""
COUNTED = 10_000_000
"""Instances below a unit are counted up to here."""


class Hierarchy:
    """The instances of every unit of a graph, counted once: which lie below, which are cells.

    Args:
        graph: the design graph.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def instances(self) -> dict[int, list[tuple[int, int]]]:
        """Returns (edge, row of the instance) of every unit in the order of its source."""
        nodes, edges = self.graph.nodes, self.graph.edges
        kinds, instance = nodes.column("kind"), NodeKind.INSTANCE.value
        defines = EdgeKind.DEFINES.value
        found: dict[int, list[tuple[int, int]]] = {}
        columns = (edges.column(name) for name in ("kind", "source", "target"))
        for edge, (kind, source, target) in enumerate(zip(*columns, strict=True)):
            if kind == defines and kinds[target] == instance:
                found.setdefault(source, []).append((edge, target))
        return found

    @cached_property
    def unit_of(self) -> dict[int, int]:
        """Returns the likeliest unit of every instance, by rows."""
        return self._instantiated[0]

    @cached_property
    def parents(self) -> dict[int, int]:
        """Returns how many different units instantiate each unit, by row."""
        return {row: len(users) for row, users in self._instantiated[1].items()}

    @cached_property
    def _instantiated(self) -> tuple[dict[int, int], dict[int, set[int]]]:
        nodes, edges = self.graph.nodes, self.graph.edges
        kinds, instance = nodes.column("kind"), NodeKind.INSTANCE.value
        unit_of: dict[int, int] = {}
        users: dict[int, set[int]] = {}
        columns = (edges.column(name) for name in ("kind", "source", "target"))
        for kind, source, target in zip(*columns, strict=True):
            if kind != EdgeKind.INSTANTIATES.value:
                continue
            if kinds[source] == instance:
                unit_of.setdefault(source, target)
            else:
                users.setdefault(target, set()).add(source)
        return unit_of, users

    @cached_property
    def below(self) -> dict[int, int]:
        """Returns how many instances lie below each unit that has any, on all levels."""
        counted: dict[int, int] = {}
        for top in sorted(self.instances):
            self._count(top, counted)
        return counted

    def _count(self, top: int, counted: dict[int, int]) -> None:
        """Counts below a unit, its parts first; a cycle counts once, without calling itself."""
        waiting, begun = [top], set()
        while waiting:
            row = waiting[-1]
            if row in counted:
                waiting.pop()
                continue
            units = [self.unit_of.get(one, -1) for _, one in self.instances.get(row, ())]
            later = [u for u in units if u in self.instances and u not in counted]
            later = [u for u in later if u not in begun and u != row]
            if row not in begun and later:
                begun.add(row)
                waiting += later
                continue
            counted[row] = min(len(units) + sum(counted.get(u, 0) for u in units), COUNTED)
            waiting.pop()

    def is_cell(self, unit: int) -> bool:
        """Returns whether a unit is a library cell: small, and used throughout the design."""
        return self.parents.get(unit, 0) >= PARENTS and self.below.get(unit, 0) <= SMALL


def level(
    hierarchy: Hierarchy, unit: str = "", start: int = 0, limit: int = LIMIT, cells: bool = False
) -> dict[str, Any]:
    """Returns one level of the hierarchy: `{schema, unit, entries, start, total, cells}`.

    Args:
        hierarchy: that of the design graph.
        unit: a unit's name or id; "" for the units that nothing instantiates, large ones first.
        start: how many entries are passed over, from 0.
        limit: the greatest number of entries.
        cells: whether the library cells are the entries, and not what remains without them.

    Returns:
        An entry has its place, the `unit` of the instance with its id, how many instances lie
        `below` it, `condition`, `comment` and `note` as of `tree`. `cells` counts the library
        cells of this level by unit, which are no entries unless asked for.

    Raises:
        UsageError: nothing has that name, or it is no unit.
    """
    if not unit:
        found = sorted(tops(hierarchy.graph), key=lambda row: (-hierarchy.below.get(row, 0), row))
        listed = [_top(hierarchy, row) for row in found[start : start + limit]]
        return _page("", None, listed, start, len(found), [])
    graph = hierarchy.graph
    row = _unit(graph, unit)
    own = hierarchy.instances.get(row, [])
    is_cell = [hierarchy.is_cell(hierarchy.unit_of.get(one, -1)) for _, one in own]
    members = [one for one, cell in zip(own, is_cell, strict=True) if cell == cells]
    page = members[start : start + limit]
    entries = [_entry(hierarchy, row, edge, one) for edge, one in page]
    folded = [one for (_, one), cell in zip(own, is_cell, strict=True) if cell]
    return _page(unit, place(graph, row), entries, start, len(members), _cells(hierarchy, folded))


def _page(
    asked: str,
    unit: dict[str, Any] | None,
    entries: list[dict[str, Any]],
    start: int,
    total: int,
    cells: list[dict[str, Any]],
) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "name": asked,
        "unit": unit,
        "entries": entries,
        "start": start,
        "total": total,
        "cells": cells,
    }


def _unit(graph: Graph, name: str) -> int:
    kinds = graph.nodes.column("kind")
    found = find(graph, name)
    units = [row for row in found if is_unit(kinds[row])]
    if not units:
        raise UsageError(f"{name!r} is a {kinds[found[0]]}, not a module: try `show`")
    return units[0]


def _top(hierarchy: Hierarchy, row: int) -> dict[str, Any]:
    entry = place(hierarchy.graph, row)
    doc = hierarchy.graph.nodes.column("text")[row]
    return {
        **entry,
        "unit": entry["name"],
        "unit_id": entry["id"],
        "defined_at": entry["location"],
        "below": hierarchy.below.get(row, 0),
        "condition": "",
        "comment": doc,
        "note": "",
    }


def _entry(hierarchy: Hierarchy, above: int, edge: int, row: int) -> dict[str, Any]:
    graph = hierarchy.graph
    entry = place(graph, row)
    entry["name"] = entry["name"].partition(".")[2] or entry["name"]
    entry["condition"] = graph.nodes.column("detail")[row]
    entry["comment"] = graph.nodes.column("text")[row]
    unit = hierarchy.unit_of.get(row, -1)
    meant = place(graph, unit) if unit >= 0 else {"name": "", "id": "", "location": "", "path": ""}
    external = not meant["path"]
    return {
        **entry,
        "unit": meant["name"],
        "unit_id": meant["id"],
        "defined_at": meant["location"],
        "below": 0 if unit == above else hierarchy.below.get(unit, 0),
        "note": "external" if external else "cycle" if unit == above else "",
        **witnessed(graph, edge),
    }


def _cells(hierarchy: Hierarchy, rows: list[int]) -> list[dict[str, Any]]:
    """Returns the library cells of a level by unit, the most frequent first."""
    counts: dict[int, int] = {}
    for row in rows:
        unit = hierarchy.unit_of[row]
        counts[unit] = counts.get(unit, 0) + 1
    found = [{**place(hierarchy.graph, unit), "count": count} for unit, count in counts.items()]
    return sorted(found, key=lambda one: (-one["count"], one["name"], one["path"]))
