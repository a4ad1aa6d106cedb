"""Structural questions with exact answers: show, tree, who, unresolved, as JSON objects."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, Location, NodeKind
from hdlgraph.model.kinds import entities, entity, relation, relations
from hdlgraph.query.design.names import find, is_unit, place, spot
from hdlgraph.query.design.tree import tree

__all__ = ["show", "tree", "unresolved", "who"]

SCHEMA = 1
LIMIT = 50
"""Definitions, parents, users and places listed of one name unless the caller says more."""
OWN = frozenset(kind.value for kind in EdgeKind)
"""The kinds of edges of hdlgraph itself."""


def show(graph: Graph, name: str, limit: int = LIMIT) -> dict[str, Any]:
    """Returns all definitions of a name: `{schema, name, definitions, total}`.

    A definition has its place, doc comment and declaration; a unit or file also lists `ports`,
    `parameters`, `types`, `routines`, `instances`, `units` and `macros`; a unit its `parents`,
    a port or signal its `connections`, an instance its `unit` and port map, a parameter its
    `overrides`. `relations` are the edges of kinds that other packages added.

    Raises:
        UsageError: nothing has that name.
    """
    rows = find(graph, name)
    definitions = [_definition(graph, row, limit) for row in rows[:limit]]
    return {"schema": SCHEMA, "name": name, "definitions": definitions, "total": len(rows)}


def _definition(graph: Graph, row: int, limit: int) -> dict[str, Any]:
    nodes = graph.nodes
    found = place(graph, row)
    found["end_line"] = nodes.column("end_line")[row]
    found["doc"] = nodes.column("text")[row]
    found["detail"] = nodes.column("detail")[row]
    found["confidence"] = nodes.column("confidence")[row]
    kind = found["kind"]
    found["external"] = not found["path"] and kind != NodeKind.CONCEPT.value
    if is_unit(kind) or kind == NodeKind.FILE.value:
        found |= _contents(graph, row)
    if is_unit(kind):
        incoming = {kind.name for kind in relations() if kind.is_below}
        users = [one for one in _users(graph, row, incoming) if is_unit(one["user_kind"])]
        found["parents"], found["n_parents"] = users[:limit], len(users)
        found["extends"] = _targets(graph, row, EdgeKind.EXTENDS.value)
        found["imports"] = _targets(graph, row, EdgeKind.IMPORTS.value)
    elif kind == NodeKind.FILE.value:
        found["imports"] = _targets(graph, row, EdgeKind.IMPORTS.value)
        found["includes"] = _targets(graph, row, EdgeKind.INCLUDES.value)
    elif kind == NodeKind.INSTANCE.value:
        found["units"] = _targets(graph, row, EdgeKind.INSTANTIATES.value)
        found["overrides"] = _targets(graph, row, EdgeKind.PARAMETERIZES.value)
        found["connections"] = _port_map(graph, row)
    elif kind in (NodeKind.PORT.value, NodeKind.SIGNAL.value):
        found["connections"] = _connections(graph, row)[:limit]
    elif kind == NodeKind.PARAMETER.value:
        found["overrides"] = _users(graph, row, {EdgeKind.PARAMETERIZES.value})[:limit]
    elif kind != NodeKind.EXPLANATION.value:
        found["users"] = _users(graph, row)[:limit]
    if added := _added_relations(graph, row):
        found["relations"] = added[:limit]
    return found


def _added_relations(graph: Graph, row: int) -> list[dict[str, Any]]:
    """Returns the edges of a node whose kinds other packages added, with words for people."""
    kinds = graph.edges.column("kind")
    found = []
    for edges, end, way in (
        (graph.out_edges(row), "target", "forward"),
        (graph.in_edges(row), "source", "backward"),
    ):
        for edge in edges.tolist():
            if kinds[edge] not in OWN:
                words = getattr(relation(kinds[edge]), way)
                said = spot(graph, edge)
                far = place(graph, graph.edges.column(end)[edge])
                stated = {"stated_at": said["location"], "text": said["text"]}
                found.append({"relation": kinds[edge], "words": words, **far, **stated})
    return found


def _contents(graph: Graph, row: int) -> dict[str, Any]:
    nodes, edges = graph.nodes, graph.edges
    kinds, targets = edges.column("kind"), edges.column("target")
    found: dict[str, Any] = {kind.section: [] for kind in entities() if kind.section}
    signals = 0
    for edge in graph.out_edges(row).tolist():
        if kinds[edge] != EdgeKind.DEFINES.value:
            continue
        target = targets[edge]
        kind = nodes.column("kind")[target]
        signals += kind == NodeKind.SIGNAL.value
        section = entity(kind).section
        if not section:
            continue
        one = place(graph, target)
        one["doc"] = nodes.column("text")[target]
        one["detail"] = nodes.column("detail")[target]
        if kind == NodeKind.INSTANCE.value:
            one["units"] = _targets(graph, target, EdgeKind.INSTANTIATES.value)
        found[section].append(one)
    return {**found, "n_signals": signals}


def _targets(graph: Graph, row: int, kind: str) -> list[dict[str, Any]]:
    """Returns where the edges of a kind lead, the surest first."""
    kinds, targets = graph.edges.column("kind"), graph.edges.column("target")
    found = []
    for edge in graph.out_edges(row).tolist():
        if kinds[edge] == kind:
            said = spot(graph, edge)
            stated = {"stated_at": said["location"], "text": said["text"]}
            sure = {key: said[key] for key in ("confidence", "resolved", "witnesses", "trust")}
            found.append({**place(graph, targets[edge]), **stated, **sure})
    return sorted(found, key=lambda one: (-one["confidence"], one["path"], one["line"]))


def _connections(graph: Graph, row: int) -> list[dict[str, Any]]:
    kinds = graph.edges.column("kind")
    sources, targets = graph.edges.column("source"), graph.edges.column("target")
    found = [
        {"to": place(graph, targets[edge]), **spot(graph, edge)}
        for edge in graph.out_edges(row).tolist()
        if kinds[edge] == EdgeKind.CONNECTS.value
    ]
    found.extend(
        {"from": place(graph, sources[edge]), **spot(graph, edge)}
        for edge in graph.in_edges(row).tolist()
        if kinds[edge] == EdgeKind.CONNECTS.value
    )
    return found


def _port_map(graph: Graph, row: int) -> list[dict[str, Any]]:
    """Returns the connections stated within an instance's lines, ports in order."""
    nodes, edges = graph.nodes, graph.edges
    path, start = nodes.column("path")[row], nodes.column("line")[row]
    end = nodes.column("end_line")[row] or start
    kinds, targets, sources = (edges.column(name) for name in ("kind", "target", "source"))
    paths, lines = edges.column("path"), edges.column("line")
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for unit in _targets(graph, row, EdgeKind.INSTANTIATES.value):
        for defined in graph.out_edges(graph.row(unit["id"])).tolist():
            port = targets[defined]
            if nodes.column("kind")[port] != NodeKind.PORT.value:
                continue
            for edge in graph.in_edges(port).tolist():
                if kinds[edge] != EdgeKind.CONNECTS.value or paths[edge] != path:
                    continue
                if start <= lines[edge] <= end:
                    said = spot(graph, edge)
                    one = found.setdefault((port, said["text"]), {
                        "port": place(graph, port), "expr": said["text"], "signals": [],
                        "location": said["location"],
                    })  # fmt: skip
                    one["signals"].append(nodes.column("name")[sources[edge]])
    return list(found.values())


def who(graph: Graph, name: str, limit: int = 200) -> dict[str, Any]:
    """Returns who uses a name: `{schema, name, targets, users, total}`.

    Users instantiate, bind, import, include, extend, use, connect to, override or implement
    one of the `targets`; each says so at `location`. An instance itself is no user: its unit is.

    Raises:
        UsageError: nothing has that name.
    """
    rows = find(graph, name)
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        for one in _users(graph, row):
            if one["kind"] == EdgeKind.INSTANTIATES.value and not is_unit(one["user_kind"]):
                continue
            one["target"] = graph.nodes.column("id")[row]
            key = (one["kind"], one["user"], one["location"], one["text"])
            if key not in found or one["confidence"] > found[key]["confidence"]:
                found[key] = one
    order = {kind.name: position for position, kind in enumerate(relations())}
    users = sorted(
        found.values(),
        key=lambda one: (
            order.get(one["kind"], len(order)),
            one["kind"],
            one["path"],
            one["line"],
            one["user"],
        ),
    )
    targets = [place(graph, row) for row in rows[:limit]]
    return {
        "schema": SCHEMA,
        "name": name,
        "targets": targets,
        "users": users[:limit],
        "total": len(users),
    }


def _users(graph: Graph, row: int, kinds: Collection[str] | None = None) -> list[dict[str, Any]]:
    """Returns the sources of the edges to a node: of the given kinds, else of all uses."""
    of_kind, sources = graph.edges.column("kind"), graph.edges.column("source")
    nodes, found = graph.nodes, []
    for edge in graph.in_edges(row).tolist():
        kind = of_kind[edge]
        if kind in kinds if kinds is not None else relation(kind).is_use:
            user = sources[edge]
            found.append(
                {
                    "kind": kind,
                    "words": relation(kind).forward,
                    "user": nodes.column("id")[user],
                    "user_name": nodes.column("name")[user],
                    "user_kind": nodes.column("kind")[user],
                    **spot(graph, edge),
                }
            )
    return found


def unresolved(graph: Graph, kind: str = "", limit: int = LIMIT) -> dict[str, Any]:
    """Returns the names that no file defines: `{schema, names, total, uses}`.

    Args:
        graph: the graph.
        kind: module, package, include, class or macro; all if "".
        limit: the greatest number of places listed of one name.
    """
    found: dict[tuple[str, str], list[Any]] = {}
    for one in graph.unresolved:
        if not kind or one.kind == kind:
            found.setdefault((one.kind, one.name), []).append(one)
    names = [
        {
            "kind": of_kind,
            "name": name,
            "count": len(uses),
            "uses": [
                {
                    "path": use.path,
                    "line": use.line,
                    "location": str(Location(use.path, use.line)),
                    "user": use.user,
                }
                for use in uses[:limit]
            ],
        }
        for (of_kind, name), uses in sorted(found.items())
    ]
    total = sum(len(uses) for uses in found.values())
    return {"schema": SCHEMA, "names": names, "total": len(names), "uses": total}
