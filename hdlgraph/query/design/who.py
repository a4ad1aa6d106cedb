"""Who declares, drives, reads, instantiates or otherwise uses a name, as a JSON object."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.model.kinds import relation, relations
from hdlgraph.query.design.joined import INSIDE, OUTSIDE, declarers, made_by
from hdlgraph.query.design.names import find_or_member, is_unit, place, spot

SCHEMA = 1
LIMIT = 200
"""Users listed of a name unless the caller says more."""
CONNECTS = EdgeKind.CONNECTS.value

Inside = Callable[[int], Iterable[dict[str, Any]]]
"""Tells of a node, by row, who uses it in ways that the graph does not hold, such as processes
that drive a signal: records as of `users_of`, with a `kind` and `words` of their own."""


def who(
    graph: Graph, name: str, limit: int | None = LIMIT, inside: Inside | None = None
) -> dict[str, Any]:
    """Returns who uses a name: `{schema, name, targets, users, total}`.

    Users instantiate, bind, import, include, extend, use, connect to, override or implement
    one of the `targets`; each says so at `location`. Of a net these are the instances whose ports
    it is connected to (their `words` say whether they drive or read it), of a port the nets
    outside; both have the `instance`, `port` and `direction`. An instance itself is no user of
    its unit: the unit around it is. Each of the `targets` has what it is `declared_by`.

    Args:
        graph: the design graph.
        name: the name.
        limit: the greatest number of targets and users; None for all.
        inside: adds users that the graph does not hold.

    Raises:
        UsageError: nothing has that name.
    """
    rows = find_or_member(graph, name)
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        for one in (*users_of(graph, row), *ends_of(graph, row), *(inside(row) if inside else ())):
            if one["kind"] == EdgeKind.INSTANTIATES.value and not is_unit(one["user_kind"]):
                continue
            one["target"] = graph.nodes.column("id")[row]
            same = (one["user"], one["location"], one["text"])
            key = (one["kind"], one["words"], one.get("instance"), one.get("port"), *same)
            if key not in found or one.get("confidence", 1) > found[key].get("confidence", 1):
                found[key] = one
    order = {kind.name: position for position, kind in enumerate(relations())}
    users = sorted(
        found.values(),
        key=lambda one: (
            order.get(one["kind"], len(order)),
            one["kind"],
            one["words"],
            one["path"],
            one["line"],
            one["user"],
        ),
    )
    targets = [{**place(graph, row), "declared_by": declarers(graph, row)} for row in rows[:limit]]
    return {
        "schema": SCHEMA,
        "name": name,
        "targets": targets,
        "users": users[:limit],
        "total": len(users),
    }


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


def nets_of(graph: Graph, instance: int) -> list[dict[str, Any]]:
    """Returns the nets that the ports of an instance are connected to, as users of the instance."""
    edges, sources = graph.edges, graph.edges.column("source")
    found = []
    for edge in graph.made_edges(instance).tolist():
        if edges.column("kind")[edge] == CONNECTS and sources[edge] != instance:
            one = _user(graph, edge, sources[edge], relation(CONNECTS).forward)
            one |= made_by(graph, edge)
            one["port"] = _last(graph, edges.column("target")[edge])
            one["words"] = INSIDE.get(one["direction"], one["words"])
            found.append(one)
    return found


def ends_of(graph: Graph, row: int) -> list[dict[str, Any]]:
    """Returns the instances whose ports a net is connected to, as users of the net.

    Of an instance these are the nets at its ports.
    """
    if graph.nodes.column("kind")[row] == NodeKind.INSTANCE.value:
        return nets_of(graph, row)
    edges, names = graph.edges, graph.nodes
    kinds, made, targets = (edges.column(name) for name in ("kind", "instance", "target"))
    found = []
    for edge in graph.out_edges(row).tolist():
        if kinds[edge] != CONNECTS:
            continue
        user = made[edge] if made[edge] >= 0 else targets[edge]
        one = _user(graph, edge, user, relation(CONNECTS).forward) | made_by(graph, edge)
        one["port"] = _last(graph, targets[edge])
        one["port_id"] = names.column("id")[targets[edge]]
        one["words"] = OUTSIDE.get(one["direction"], one["words"])
        found.append(one)
    return found


def _user(graph: Graph, edge: int, user: int, words: str) -> dict[str, Any]:
    nodes = graph.nodes
    return {
        "kind": graph.edges.column("kind")[edge],
        "words": words,
        "user": nodes.column("id")[user],
        "user_name": nodes.column("name")[user],
        "user_kind": nodes.column("kind")[user],
        **spot(graph, edge),
    }


def _last(graph: Graph, row: int) -> str:
    return str(graph.nodes.column("name")[row]).rpartition(".")[2]
