"""What may be affected when something changes: its users, their users, and so on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.model.kinds import relation, relations
from hdlgraph.query.design.names import find_all, is_unit, place, spot

SCHEMA = 1
DEPTH = 3
LIMIT = 200
"""Units and files listed unless the caller says more; all are counted."""

FILE = NodeKind.FILE.value
DEFINES, BINDS, INCLUDES = (
    kind.value for kind in (EdgeKind.DEFINES, EdgeKind.BINDS, EdgeKind.INCLUDES)
)
CONCEPT = NodeKind.CONCEPT.value


def impact(graph: Graph, name: str, depth: int = DEPTH, limit: int = LIMIT) -> dict[str, Any]:
    """Returns the units and files that may be affected when `name` changes, by distance.

    One step away is what instantiates, imports, includes, extends, uses, connects to, overrides
    or implements it or a part of it, the unit that declares it, the files that include its
    file, what it is bound into, and what is bound to it. A user is affected with all that it
    declares, and so are its users in turn. Of a unit that only declares something affected the
    other parts stay as they were, and what is bound to something affected affects nothing else.

    Args:
        graph: the design graph.
        name: what changes, a name as `who` takes it; all its definitions, with what they declare.
        depth: the greatest distance in steps, from 1.
        limit: the greatest number listed, the nearest first.

    Returns:
        `{schema, name, changed, depth, levels, total, deeper}`: each level has its `distance`,
        the `count` of what is first reached there, and the listed `users` with `via`, the edge
        that leads there; `deeper` says whether more lies beyond `depth`.

    Raises:
        UsageError: nothing has that name.
    """
    rows = find_all(graph, name)
    spread = _Spread(graph, rows)
    levels, listed = [], 0
    for distance in range(1, min(depth, len(graph.nodes)) + 1):
        reached = spread.step()
        if not reached:
            continue
        users = [_user(graph, one) for one in reached[: limit - listed]]
        levels.append({"distance": distance, "count": len(reached), "users": users})
        listed += len(users)
    return {
        "schema": SCHEMA,
        "name": name,
        "changed": [place(graph, row) for row in rows[:limit]],
        "depth": depth,
        "levels": levels,
        "total": sum(level["count"] for level in levels),
        "deeper": spread.goes_on(),
    }


class _Reached(NamedTuple):
    """A node, the edge that led to it, and whether it is that edge's source (`forward`).

    It is affected with all that it declares (`whole`) or alone; where it `ends`, its users are not.
    """

    row: int
    edge: int
    forward: bool
    whole: bool = False
    ends: bool = False


class _Spread:
    """What is affected so far; a node may be so as a whole, with all that it declares."""

    def __init__(self, graph: Graph, rows: Iterable[int]) -> None:
        self._graph = graph
        self._kinds = graph.nodes.column("kind")
        self._order = {kind.name: place for place, kind in enumerate(relations())}
        edges = graph.edges
        self._kind, self._source, self._target = map(edges.column, ("kind", "source", "target"))
        self._sure, self._paths, self._lines = map(edges.column, ("confidence", "path", "line"))
        self._is_use = {kind: relation(kind).is_use for kind in set(self._kind)}
        self._is_unit = {kind: is_unit(kind) for kind in set(self._kinds)}
        self._holders: dict[int, int] = {}
        self._whole: set[int] = set()
        self._affected: set[int] = {*rows}
        self._front = sorted(self._affected | self._parts_of(self._affected).keys())
        self._affected.update(self._front)
        self._listed = {*self._affected}

    def step(self) -> list[_Reached]:
        """Goes one step on; returns the units and files reached first there, by place."""
        best: dict[tuple[int, bool, bool], _Reached] = {}
        for row in self._front:
            for one in self._next(row):
                key = (one.row, one.whole, one.ends)
                former = best.get(key)
                if former is None or self._rank(one.edge) < self._rank(former.edge):
                    best[key] = one
        reached = sorted(best.values(), key=lambda one: self._rank(one.edge))
        parts = self._parts_of({one.row for one in reached if one.whole})
        reached += [_Reached(row, edge, forward=False) for row, edge in parts.items()]
        found: dict[int, _Reached] = {}
        for one in reached:
            found.setdefault(one.row, one)
        spreading = {one.row for one in reached if not one.ends}
        self._front = sorted(spreading - self._affected)
        self._affected |= spreading
        new = sorted((row for row in found if row not in self._listed), key=self._place)
        self._listed.update(found)
        return [found[row] for row in new if self._is_listed(row)]

    def goes_on(self) -> bool:
        """Returns whether any further step reaches a unit or file."""
        while self._front:
            if self.step():
                return True
        return False

    def _next(self, row: int) -> Iterator[_Reached]:
        """Yields what one node affects directly, but for what is affected already."""
        kinds, sources = self._kind, self._source
        for edge in self._graph.in_edges(row).tolist():
            kind, source = kinds[edge], sources[edge]
            if self._is_use[kind]:
                holder = self._holder(source)
                if not self._is_done(holder, whole=True):
                    yield _Reached(holder, edge, forward=True, whole=True)
            elif kind != DEFINES or self._is_done(source):
                continue
            elif self._is_unit[self._kinds[source]]:
                yield _Reached(source, edge, forward=True)
        for edge in self._graph.out_edges(row).tolist():
            if kinds[edge] == BINDS:  # what is bound to it looks into it
                yield _Reached(self._target[edge], edge, forward=False, ends=True)
        parent = self._parent(row)
        if parent >= 0 and self._kinds[parent] == FILE:
            for edge in self._graph.in_edges(parent).tolist():
                if kinds[edge] == INCLUDES and not self._is_done(sources[edge], whole=True):
                    yield _Reached(sources[edge], edge, forward=True, whole=True)

    def _is_done(self, row: int, whole: bool = False) -> bool:
        """Returns whether a node is affected and listed, with all that it declares if `whole`."""
        known = row in self._affected and row in self._listed
        return known and (not whole or row in self._whole)

    def _parent(self, row: int) -> int:
        """Returns the node that declares another one, -1 for none."""
        for edge in self._graph.in_edges(row).tolist():
            if self._kind[edge] == DEFINES:
                return self._source[edge]
        return -1

    def _is_listed(self, row: int) -> bool:
        in_repository = bool(self._graph.nodes.column("path")[row])
        return self._holds(row) and (in_repository or self._kinds[row] == CONCEPT)

    def _holds(self, row: int) -> bool:
        """Returns whether a node is listed; others count as what declares them."""
        kind = self._kinds[row]
        return kind in (FILE, CONCEPT) or self._is_unit[kind]

    def _place(self, row: int) -> tuple[str, int, int]:
        nodes = self._graph.nodes
        return nodes.column("path")[row], nodes.column("line")[row], row

    def _holder(self, row: int) -> int:
        """Returns the unit or file that declares a node; itself if it is one, or has none."""
        found = self._holders.get(row)
        if found is None:
            found, seen = row, {row}
            while not self._holds(found):
                parent = self._parent(found)
                found = parent if parent >= 0 else found
                if found in seen:
                    break
                seen.add(found)
            self._holders[row] = found
        return found

    def _parts_of(self, rows: Iterable[int]) -> dict[int, int]:
        """Returns the nodes that `rows` declare, at any depth, with the edges that say so.

        What was returned once, or lies below that, is left out.
        """
        found: dict[int, int] = {}
        open_rows = [row for row in sorted(rows) if row not in self._whole]
        self._whole.update(open_rows)
        while open_rows:
            for edge in self._graph.out_edges(open_rows.pop()).tolist():
                part = self._target[edge]
                if self._kind[edge] == DEFINES and part not in self._whole:
                    self._whole.add(part)
                    found[part] = edge
                    open_rows.append(part)
        return found

    def _rank(self, edge: int) -> tuple[Any, ...]:
        """Returns what edges to one node are sorted by; the first of them is shown."""
        kind = self._order.get(self._kind[edge], len(self._order))
        return kind, -self._sure[edge], self._paths[edge], self._lines[edge], edge


def _user(graph: Graph, one: _Reached) -> dict[str, Any]:
    nodes, edges = graph.nodes, graph.edges
    other = edges.column("target" if one.forward else "source")[one.edge]
    about, found = relation(edges.column("kind")[one.edge]), place(graph, one.row)
    file = graph.row(f"file:{found['path']}")
    return {
        **found,
        "role": nodes.column("detail")[file] if file >= 0 else "",
        "via": {
            "kind": about.name,
            "words": about.forward if one.forward else about.backward,
            "id": nodes.column("id")[other],
            "name": nodes.column("name")[other],
            **spot(graph, one.edge),
        },
    }
