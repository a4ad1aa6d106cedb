"""Structural questions with exact answers: show, tree, who, unresolved, as JSON objects."""

from __future__ import annotations

from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, Location, NodeKind
from hdlgraph.model.kinds import entities, entity, relation, relations
from hdlgraph.query.design.joined import binds, connections, port_map
from hdlgraph.query.design.members.find import find_or_member
from hdlgraph.query.design.members.widths import with_width
from hdlgraph.query.design.names import is_unit, place, spot
from hdlgraph.query.design.tree import tree
from hdlgraph.query.design.who import users_of, who

__all__ = ["show", "tree", "unresolved", "who"]

SCHEMA = 1
LIMIT = 50
"""Definitions, parents, users and places listed of one name unless the caller says more."""
MODPORT = "modport ("
"""How the declaration of a modport begins."""
OWN = frozenset(kind.value for kind in EdgeKind)
"""The kinds of edges of hdlgraph itself."""


def show(graph: Graph, name: str, limit: int | None = LIMIT) -> dict[str, Any]:
    """Returns all definitions of a name: `{schema, name, definitions, total}`.

    A definition has its place, doc comment and declaration; a unit or file also lists `ports`,
    `parameters`, `types`, `routines`, `instances`, `units` and `macros`; a unit its `parents` and
    `binds`, an interface its `signals` and `modports`, a port or signal its `connections`, an
    instance its `units` (the likeliest first, with the reason), its port map and the ports left
    open, a parameter its `overrides`. `relations` are the edges of kinds that other packages
    added.

    Args:
        graph: the design graph.
        name: the name.
        limit: the greatest number of definitions, parents, users and connections; None for all.

    Raises:
        UsageError: nothing has that name.
    """
    rows = find_or_member(graph, name)
    definitions = [_definition(graph, row, limit) for row in rows[:limit]]
    return {"schema": SCHEMA, "name": name, "definitions": definitions, "total": len(rows)}


def _definition(graph: Graph, row: int, limit: int | None) -> dict[str, Any]:
    """Returns the card of a node as its kind has it; lists of users end after `limit` entries."""
    nodes = graph.nodes
    found = place(graph, row)
    found["end_line"] = nodes.column("end_line")[row]
    found["doc"] = nodes.column("text")[row]
    found["detail"] = nodes.column("detail")[row]
    found["confidence"] = nodes.column("confidence")[row]
    kind = found["kind"]
    found["condition"] = nodes.column("condition")[row]
    found["external"] = not found["path"] and kind != NodeKind.CONCEPT.value
    if is_unit(kind) or kind == NodeKind.FILE.value:
        found |= _contents(graph, row)
        found["guards"] = _guards(graph, row)
    if is_unit(kind):
        incoming = {kind.name for kind in relations() if kind.is_below}
        users = [one for one in users_of(graph, row, incoming) if is_unit(one["user_kind"])]
        found["parents"], found["n_parents"] = users[:limit], len(users)
        found["binds"] = binds(graph, row)
        found["extends"] = _targets(graph, row, EdgeKind.EXTENDS.value)
        found["imports"] = _targets(graph, row, EdgeKind.IMPORTS.value)
    elif kind == NodeKind.FILE.value:
        found["imports"] = _targets(graph, row, EdgeKind.IMPORTS.value)
        found["includes"] = _targets(graph, row, EdgeKind.INCLUDES.value)
    elif kind == NodeKind.INSTANCE.value:
        found["units"] = _targets(graph, row, EdgeKind.INSTANTIATES.value)
        found["overrides"] = _targets(graph, row, EdgeKind.PARAMETERIZES.value)
        found["connections"], found["unconnected"] = port_map(graph, row)
        found["binds"], found["shape"] = binds(graph, row), nodes.column("shape")[row]
    elif kind in (NodeKind.PORT.value, NodeKind.SIGNAL.value):
        found["connections"] = connections(graph, row)[:limit]
    elif kind == NodeKind.PARAMETER.value:
        found["overrides"] = users_of(graph, row, {EdgeKind.PARAMETERIZES.value})[:limit]
    elif kind != NodeKind.EXPLANATION.value:
        found["users"] = users_of(graph, row)[:limit]
        found |= with_width(graph, row)
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
                site = spot(graph, edge)
                far = place(graph, graph.edges.column(end)[edge])
                stated = {"stated_at": site["location"], "text": site["text"]}
                found.append({"relation": kinds[edge], "words": words, **far, **stated})
    return found


def _contents(graph: Graph, row: int) -> dict[str, Any]:
    nodes, edges = graph.nodes, graph.edges
    kinds, targets = edges.column("kind"), edges.column("target")
    found: dict[str, Any] = {kind.section: [] for kind in entities() if kind.section}
    is_interface = nodes.column("kind")[row] == NodeKind.INTERFACE.value
    if is_interface:
        found |= {"signals": [], "modports": []}
    signals = 0
    for edge in graph.out_edges(row).tolist():
        if kinds[edge] != EdgeKind.DEFINES.value:
            continue
        target = targets[edge]
        kind = nodes.column("kind")[target]
        signals += kind == NodeKind.SIGNAL.value
        one = member(graph, target)
        section = entity(kind).section
        if is_interface and kind == NodeKind.SIGNAL.value:
            section = "signals"
        elif is_interface and one["detail"].startswith(MODPORT):
            section = "modports"
        if section:
            found[section].append(one)
    return {**found, "n_signals": signals}


def member(graph: Graph, row: int) -> dict[str, Any]:
    """Returns what a list of parts says of one: its place, declaration and comment."""
    nodes, one = graph.nodes, place(graph, row)
    one["doc"], one["detail"] = nodes.column("text")[row], nodes.column("detail")[row]
    one["condition"] = nodes.column("condition")[row]
    if one["kind"] == NodeKind.INSTANCE.value:
        one["shape"] = nodes.column("shape")[row]
        one["units"] = _targets(graph, row, EdgeKind.INSTANTIATES.value)
        given = _targets(graph, row, EdgeKind.PARAMETERIZES.value)
        values = {each["name"].rpartition(".")[2]: each["text"] for each in reversed(given)}
        one["overrides"] = [{"name": name, "value": values[name]} for name in reversed(values)]
    return one


def _targets(graph: Graph, row: int, kind: str) -> list[dict[str, Any]]:
    """Returns where the edges of a kind lead, the surest first."""
    kinds, targets = graph.edges.column("kind"), graph.edges.column("target")
    found = []
    for edge in graph.out_edges(row).tolist():
        if kinds[edge] == kind:
            site = spot(graph, edge)
            stated = {"stated_at": site["location"], "text": site["text"]}
            sure = {key: site[key] for key in ("confidence", "resolved", "witnesses", "trust")}
            if kind == EdgeKind.INSTANTIATES.value:
                sure["reason"] = graph.edges.column("reason")[edge]
            found.append({**place(graph, targets[edge]), **stated, **sure})
    return sorted(found, key=lambda one: (-one["confidence"], one["path"], one["line"]))


def _guards(graph: Graph, row: int) -> list[dict[str, Any]]:
    """Returns the macros that the `ifdefs of a unit or file test, in the order of its lines."""
    found = _targets(graph, row, EdgeKind.GUARDED_BY.value)
    return sorted(found, key=lambda one: (int(one["stated_at"].rpartition(":")[2]), one["name"]))


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
