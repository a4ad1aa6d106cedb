"""What may be affected when something changes: its users, their users, and so on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from hdlgraph.graph.graph import Graph
from hdlgraph.model.kinds import relation
from hdlgraph.query.design.members.find import find_or_member
from hdlgraph.query.design.names import place, spot
from hdlgraph.query.design.ways import ways_of

SCHEMA = 1
DEPTH = 3
LIMIT = 200
"""Units and files listed unless the caller says more; all are counted."""

CHECKS = frozenset({"testbench", "formal"})
"""Roles of files that check a design: what stands in them comes after the design itself."""
FEW = 8
"""Nodes of which each is looked at by itself."""
ENDING = 2
"""The last of the three lists of `Spread._next`: what is affected and passes nothing on."""
Best = list[tuple[int, int, int]]
"""(rank, row, edge) of each node, as `Ways.best` returns them."""


def impact(
    graph: Graph,
    name: str,
    depth: int = DEPTH,
    limit: int = LIMIT,
    begin: Callable[[Graph, list[int]], Spread] | None = None,
) -> dict[str, Any]:
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
        begin: makes the spread from the changed nodes; along the edges of the graph by default.

    Returns:
        `{schema, name, changed, depth, levels, total, deeper}`: each level has its `distance`,
        the `count` of what is first reached there, and the listed `users`, the design before
        what checks it, with `via`, the edge that leads there; `deeper` says whether more lies
        beyond `depth`.

    Raises:
        UsageError: nothing has that name.
    """
    rows = find_or_member(graph, name)
    spread = (begin or Spread)(graph, rows)
    levels, listed = [], 0
    for distance in range(1, min(depth, len(graph.nodes)) + 1):
        reached = spread.step()
        if not reached:
            continue
        users = [spread.record(one) for one in reached[: limit - listed]]
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


class Reached(NamedTuple):
    """A node, the edge that led to it, and whether it is that edge's source (`forward`)."""

    row: int
    edge: int
    forward: bool


class Spread:
    """What is affected so far; a node may be so as a whole, with all that it declares.

    Three flags of every node say whether it is affected, whether as a whole, and whether it was
    told of; the arrays look into the same bytes.
    """

    def __init__(self, graph: Graph, rows: Iterable[int]) -> None:
        self._graph, self._ways = graph, ways_of(graph)
        self._is_listed = self._ways.is_listed
        self._is_whole = bytearray(len(graph.nodes))
        self._whole = np.frombuffer(self._is_whole, bool)
        self._affected, self._reported = np.zeros((2, len(graph.nodes)), bool)
        changed = sorted({*rows})
        self._front = _sorted(changed, self._parts_of(changed)[0])
        self._affected[self._front] = self._reported[self._front] = True

    def step(self) -> list[Reached]:
        """Goes one step on; returns the units and files reached first there, by place."""
        wholly, alone, ending = self._next()
        ranked = sorted(
            (rank, kind, row, edge)
            for kind, many in enumerate((wholly, alone, ending))
            for rank, row, edge in many
        )
        own, by = self._parts_of(sorted(row for _, row, _ in wholly))
        is_listed, reported = self._is_listed, self._reported
        found: dict[int, Reached] = {}
        for _, kind, row, edge in ranked:
            if is_listed[row] and not reported[row]:
                found.setdefault(row, Reached(row, edge, forward=kind < ENDING))
        fresh = is_listed[own] & ~reported[own]
        for row, edge in zip(own[fresh].tolist(), by[fresh].tolist(), strict=True):
            found.setdefault(row, Reached(row, edge, forward=False))
        spreading = _sorted([row for _, row, _ in (*wholly, *alone)], own)
        self._front = spreading[~self._affected[spreading]]
        self._affected[spreading] = reported[spreading] = True
        reported[[row for _, row, _ in ending]] = True
        return [found[row] for row in sorted(found, key=self._place)]

    def goes_on(self) -> bool:
        """Returns whether any further step reaches a unit or file."""
        while len(self._front):
            if self.step():
                return True
        return False

    def record(self, one: Reached) -> dict[str, Any]:
        """Returns the record of what was reached, with the edge that leads there."""
        graph = self._graph
        nodes, edges = graph.nodes, graph.edges
        other = edges.column("target" if one.forward else "source")[one.edge]
        about = relation(edges.column("kind")[one.edge])
        via = {
            "kind": about.name,
            "words": about.forward if one.forward else about.backward,
            "id": nodes.column("id")[other],
            "name": nodes.column("name")[other],
            **spot(graph, one.edge),
        }
        return self._record(one.row, via)

    def _record(self, row: int, via: dict[str, Any]) -> dict[str, Any]:
        found = place(self._graph, row)
        return {**found, "role": role_of(self._graph, found["path"]), "via": via}

    def _next(self) -> tuple[Best, Best, Best]:
        """Returns what the front affects directly, but for what is affected already.

        These are the nodes affected with all that they declare, those affected alone, and those
        that are affected and whose users are not.
        """
        ways, front = self._ways, self._front
        done = self._affected & self._reported
        into, out = self._graph.edges_into(front), self._graph.edges_from(front)
        uses = into[ways.uses[into]]
        files = ways.parent[front]
        files = np.unique(files[(files >= 0) & ways.is_file[files]])
        includes = self._graph.edges_into(files)
        includes = includes[ways.includes[includes]]
        rows = np.concatenate((ways.user[uses], ways.source[includes]))
        edges = np.concatenate((uses, includes))
        new = ~(done & self._whole)[rows]
        declaring = into[ways.defines[into]]
        units = ways.source[declaring]
        fresh = ways.is_unit[units] & ~done[units]
        bound = out[ways.binds[out]]  # what is bound to it looks into it
        return (
            ways.best(rows[new], edges[new]),
            ways.best(units[fresh], declaring[fresh]),
            ways.best(ways.target[bound], bound),
        )

    def _place(self, row: int) -> tuple[bool, str, int, int]:
        nodes = self._graph.nodes
        path = nodes.column("path")[row]
        return role_of(self._graph, path) in CHECKS, path, nodes.column("line")[row], row

    def _parts_of(self, rows: Iterable[int]) -> tuple[np.ndarray, np.ndarray]:
        """Returns the nodes that `rows` declare, at any depth, with the edges that say so.

        What was returned once, or lies below that, is left out.
        """
        ways, whole = self._ways, self._is_whole
        open_rows = [row for row in rows if not whole[row]]
        self._whole[open_rows] = True
        if len(open_rows) > FEW and (together := self._level_by_level(open_rows)) is not None:
            return together
        found: dict[int, int] = {}
        while open_rows:
            edges = self._graph.out_edges(open_rows.pop())
            edges = edges[ways.defines[edges]]
            parts = ways.target[edges]
            holding = ways.has_parts[parts]
            for part, edge, has in zip(
                parts.tolist(), edges.tolist(), holding.tolist(), strict=True
            ):
                if not whole[part]:
                    whole[part] = 1
                    found[part] = edge
                    if has:
                        open_rows.append(part)
        count = len(found)
        return np.fromiter(found, np.int64, count), np.fromiter(found.values(), np.int64, count)

    def _level_by_level(self, rows: list[int]) -> tuple[np.ndarray, np.ndarray] | None:
        """Returns the nodes that `rows` declare, None where several declare the same one.

        Then it counts in which order they are looked at.
        """
        ways = self._ways
        front, parts, by = np.array(rows, np.int64), [], []
        while len(front):
            edges = self._graph.edges_from(front)
            edges = edges[ways.defines[edges]]
            below = ways.target[edges]
            if ways.is_shared[below].any():
                return None
            edges, below = (one[~self._whole[below]] for one in (edges, below))
            parts.append(below)
            by.append(edges)
            front = below[ways.has_parts[below]]
        found, edges = np.concatenate(parts), np.concatenate(by)
        self._whole[found] = True
        return found, edges


def role_of(graph: Graph, path: str) -> str:
    """Returns what the file at a path is for, "" where it is none of the index."""
    file = graph.row(f"file:{path}")
    return graph.nodes.column("detail")[file] if file >= 0 else ""


def _sorted(rows: Sequence[int], more: np.ndarray) -> np.ndarray:
    """Returns the rows of both, each once."""
    return np.unique(np.concatenate((np.array(rows, np.int64), more)))
