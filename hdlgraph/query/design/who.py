"""Who declares, drives, reads, instantiates or otherwise uses a name, as a JSON object."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from heapq import nsmallest
from typing import Any, NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.model.kinds import relation, relations
from hdlgraph.query.design.joined import INSIDE, OUTSIDE, declarers, made_by
from hdlgraph.query.design.members.find import find_or_member
from hdlgraph.query.design.names import is_unit, place, spot

SCHEMA = 1
LIMIT = 200
"""Users listed of a name unless the caller says more."""
CONNECTS, INSTANTIATES = EdgeKind.CONNECTS.value, EdgeKind.INSTANTIATES.value
BINDS, FILE = EdgeKind.BINDS.value, NodeKind.FILE.value
BOUND = "is bound into"
"""The words of a unit that a bind puts into another one, or into an instance."""


class Use(NamedTuple):
    """An edge that says who uses a node (`target`), and the row of the user.

    `end` is the row of the port that a net is connected to, -1 of any other use.
    """

    target: int
    edge: int
    user: int
    words: str
    end: int = -1


def who(graph: Graph, name: str, limit: int | None = LIMIT) -> dict[str, Any]:
    """Returns who uses a name: `{schema, name, targets, users, total}`.

    Users instantiate, bind, import, include, extend, use, connect to, override or implement
    one of the `targets`, or are bound into it; each says so at `location`. Of a net these are the
    instances whose ports it is connected to (their `words` say whether they drive or read it), of
    a port the nets outside; both have the `instance`, `port` and `direction`. An instance itself
    is no user of its unit: the unit around it is. Each of the `targets` has what it is
    `declared_by`.

    Args:
        graph: the design graph.
        name: the name.
        limit: the greatest number of targets and users; None for all.

    Raises:
        UsageError: nothing has that name.
    """
    rows = find_or_member(graph, name)
    reader = _Uses(graph)
    uses: dict[tuple[Any, ...], Use] = {}
    sure = graph.edges.column("confidence")
    for row in rows:
        for key, use in reader.of(row):
            if key not in uses or sure[use.edge] > sure[uses[key].edge]:
                uses[key] = use
    uses = _without_files(graph, uses)
    total = len(uses)
    first = sorted(uses) if limit is None else nsmallest(limit, uses)
    users = [_record(graph, uses[key]) for key in first]
    targets = [{**place(graph, row), "declared_by": declarers(graph, row)} for row in rows[:limit]]
    return {
        "schema": SCHEMA,
        "name": name,
        "targets": targets,
        "users": users,
        "total": total,
    }


def _without_files(graph: Graph, uses: dict[tuple[Any, ...], Use]) -> dict[tuple[Any, ...], Use]:
    """Returns uses without those of a file whose `bind` is told of the unit that it is bound to."""
    kinds, paths, lines = map(graph.edges.column, ("kind", "path", "line"))
    of = graph.nodes.column("kind")
    bound = {
        (use.target, paths[use.edge], lines[use.edge])
        for use in uses.values()
        if kinds[use.edge] == BINDS and of[use.user] != FILE
    }
    return {
        key: use
        for key, use in uses.items()
        if kinds[use.edge] != BINDS
        or of[use.user] != FILE
        or (use.target, paths[use.edge], lines[use.edge]) not in bound
    }


class _Uses:
    """Finds the uses of nodes of a graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        edges, nodes = graph.edges, graph.nodes
        columns = ("kind", "source", "target", "instance", "path", "line", "text", "direction")
        (self._kinds, self._sources, self._targets, self._made, self._paths, self._lines,
         self._texts, self._ways) = map(edges.column, columns)  # fmt: skip
        self._ids, self._names, self._of = map(nodes.column, ("id", "name", "kind"))
        self._forward = {kind.name: kind.forward for kind in relations() if kind.is_use}
        self._order = {kind.name: position for position, kind in enumerate(relations())}

    def of(self, row: int) -> Iterator[tuple[tuple[Any, ...], Use]]:
        """Yields the uses of a node with what distinguishes them, by which they are sorted."""
        kinds, sources, made, forward = self._kinds, self._sources, self._made, self._forward
        for edge in self._graph.in_edges(row).tolist():
            kind = kinds[edge]
            words = forward.get(kind) or (relation(kind).is_use and relation(kind).forward)
            if not words or (kind == INSTANTIATES and not is_unit(self._of[sources[edge]])):
                continue
            if kind == CONNECTS:
                words = INSIDE.get(self._ways[edge], words)
                yield self._ranked(Use(row, edge, sources[edge], words), made[edge], row)
            else:
                yield self._ranked(Use(row, edge, sources[edge], words), -1, -1)
        for edge, unit in self._bound(row):
            yield self._ranked(Use(row, edge, unit, BOUND), -1, -1)
        if self._of[row] == NodeKind.INSTANCE.value:
            for edge in self._graph.made_edges(row).tolist():
                if kinds[edge] == CONNECTS and sources[edge] != row:
                    words = INSIDE.get(self._ways[edge], forward[CONNECTS])
                    use = Use(row, edge, sources[edge], words)
                    yield self._ranked(use, made[edge], self._targets[edge])
            return
        for edge in self._graph.out_edges(row).tolist():
            if kinds[edge] == CONNECTS:
                end = self._targets[edge]
                user = made[edge] if made[edge] >= 0 else end
                words = OUTSIDE.get(self._ways[edge], forward[CONNECTS])
                yield self._ranked(Use(row, edge, user, words, end), made[edge], end)

    def _bound(self, row: int) -> list[tuple[int, int]]:
        """Returns (edge, unit) of what binds put into a unit or instance, the likeliest of each."""
        sure = self._graph.edges.column("confidence")
        found: dict[tuple[str, int, str], int] = {}
        for edge in self._graph.out_edges(row).tolist():
            if self._kinds[edge] == BINDS and self._of[self._targets[edge]] != FILE:
                place = self._paths[edge], self._lines[edge], self._texts[edge]
                if place not in found or sure[edge] > sure[found[place]]:
                    found[place] = edge
        own = self._of[row] != FILE  # the file of a bind is no target of it
        return [(edge, int(self._targets[edge])) for edge in found.values()] if own else []

    def _ranked(self, use: Use, instance: int, port: int) -> tuple[tuple[Any, ...], Use]:
        edge, kind = use.edge, self._kinds[use.edge]
        last = "" if port < 0 else self._names[port].rpartition(".")[2]
        return (
            self._order.get(kind, len(self._order)), kind, use.words, self._paths[edge],
            self._lines[edge], self._ids[use.user], self._texts[edge], instance, last,
        ), use  # fmt: skip


def _record(graph: Graph, use: Use) -> dict[str, Any]:
    """Returns a use as it is listed, with its `target`."""
    kind, ids = graph.edges.column("kind")[use.edge], graph.nodes.column("id")
    of = graph.nodes.column("name")[use.target] if kind == CONNECTS else ""
    found = _user(graph, use.edge, use.user, use.words, of)
    if found["kind"] == CONNECTS:
        found |= made_by(graph, use.edge)
        found["port"] = _last(graph, graph.edges.column("target")[use.edge])
        if use.end >= 0:
            found["port_id"] = ids[use.end]
    return {**found, "target": ids[use.target]}


def users_of(graph: Graph, row: int, kinds: Collection[str] | None = None) -> list[dict[str, Any]]:
    """Returns the sources of the edges to a node: of the given kinds, else of all uses."""
    of_kind, sources = graph.edges.column("kind"), graph.edges.column("source")
    found = []
    for edge in graph.in_edges(row).tolist():
        kind = of_kind[edge]
        if kind in kinds if kinds is not None else relation(kind).is_use:
            one = _user(graph, edge, sources[edge], relation(kind).forward)
            if kind == CONNECTS:
                one |= made_by(graph, edge)
                one["port"] = _last(graph, row)
                one["words"] = INSIDE.get(one["direction"], one["words"])
            found.append(one)
    return found


def _user(graph: Graph, edge: int, user: int, words: str, of: str = "") -> dict[str, Any]:
    """Returns a user; `user_name`, `words` and the `name` of what it uses make a sentence."""
    nodes = graph.nodes
    return {
        "kind": graph.edges.column("kind")[edge],
        "user": nodes.column("id")[user],
        "user_name": nodes.column("name")[user],
        "user_kind": nodes.column("kind")[user],
        "words": words,
        **({"name": of} if of else {}),
        **spot(graph, edge),
    }


def _last(graph: Graph, row: int) -> str:
    return str(graph.nodes.column("name")[row]).rpartition(".")[2]
