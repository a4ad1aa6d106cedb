"""What stands around a name in the design graph, for a picture: nodes, and edges between them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from hdlgraph.errors import UsageError
from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.model.kinds import relation, relations
from hdlgraph.query.design.names import find, is_unit, place, spot

SCHEMA = 1
LIMIT = 60
"""Neighbours listed unless the caller says more."""
DETAILS = frozenset(
    kind.value
    for kind in (
        *(NodeKind.PORT, NodeKind.SIGNAL, NodeKind.PARAMETER, NodeKind.INSTANCE),
        *(NodeKind.FUNCTION, NodeKind.TASK, NodeKind.EXPLANATION),
    )
)
"""Parts of units: they are no neighbours of a unit or file, which would drown in them."""


def neighbours(
    graph: Graph,
    name: str,
    role_of: Callable[[str], str],
    kinds: Collection[str] = (),
    roles: Collection[str] = (),
    limit: int = LIMIT,
) -> dict[str, Any]:
    """Returns the nodes that a name is joined to: `{schema, name, centre, nodes, edges, total}`.

    Args:
        graph: the design graph.
        name: a name as `who` takes it, or the id of a node; its first definition is the centre.
        role_of: tells the role of a file.
        kinds: only edges of these kinds; if empty all but those to concepts, unless the name is
            one.
        roles: only neighbours in files of these roles; all if empty.
        limit: the greatest number of neighbours; those of the hierarchy come first.

    Returns:
        `nodes` have the place of each neighbour and the `role` of its file, `edges` the ids of
        their ends, the `kind`, the `words` for it, the place where the first of `count` such
        edges is stated. `relations` counts all neighbours by kind of edge, `total` all of them.

    Raises:
        UsageError: nothing has that name, or a kind of edge is unknown.
    """
    known = [kind.name for kind in relations()]
    if wrong := sorted(set(kinds) - set(known)):
        raise UsageError(f"relation {wrong[0]}: unknown; known are {', '.join(known)}")
    row = find(graph, name)[0]
    joined = _joined(graph, row)
    about_concept = graph.nodes.column("kind")[row] == NodeKind.CONCEPT.value
    chosen = [
        one
        for one in joined.values()
        if (one["kind"] in kinds if kinds else one["kind"] != EdgeKind.IMPLEMENTS or about_concept)
        and (not roles or role_of(graph.nodes.column("path")[one["other"]]) in roles)
    ]
    order = {kind: position for position, kind in enumerate(known)}
    names = graph.nodes.column("name")
    chosen.sort(key=lambda one: (_late(one["kind"], order), names[one["other"]], one["other"]))
    counts: dict[str, int] = {}
    for one in joined.values():
        counts[one["kind"]] = counts.get(one["kind"], 0) + 1
    others = list(dict.fromkeys(one["other"] for one in chosen))
    listed = frozenset(others[:limit])
    ids = graph.nodes.column("id")
    return {
        "schema": SCHEMA,
        "name": name,
        "centre": _node(graph, row, role_of),
        "nodes": [_node(graph, other, role_of) for other in others[:limit]],
        "edges": [_edge(graph, ids, one) for one in chosen if one["other"] in listed],
        "relations": {kind: counts[kind] for kind in known if kind in counts},
        "total": len(others),
    }


def _late(kind: str, order: dict[str, int]) -> int:
    """Returns the place of a kind of edge: what defines a thing says least, concepts nothing."""
    late = {EdgeKind.DEFINES.value: 50, EdgeKind.IMPLEMENTS.value: 60}
    return late.get(kind, order.get(kind, 70))


def _joined(graph: Graph, row: int) -> dict[tuple[int, int, str], dict[str, Any]]:
    """Returns the edges of a node by their ends and kind, equal ones counted."""
    nodes, edges = graph.nodes, graph.edges
    of_kind, node_kinds = edges.column("kind"), nodes.column("kind")
    sources, targets = edges.column("source"), edges.column("target")
    whole = is_unit(node_kinds[row]) or node_kinds[row] == NodeKind.FILE.value
    found: dict[tuple[int, int, str], dict[str, Any]] = {}
    for rows, ends in ((graph.out_edges(row), targets), (graph.in_edges(row), sources)):
        for edge in rows.tolist():
            other = int(ends[edge])
            hidden = node_kinds[other] in DETAILS and whole
            if hidden or other == row or not relation(of_kind[edge]).cost:
                continue
            key = (int(sources[edge]), int(targets[edge]), of_kind[edge])
            one = found.setdefault(
                key, {"edge": edge, "other": other, "kind": of_kind[edge], "count": 0}
            )
            one["count"] += 1
    return found


def _node(graph: Graph, row: int, role_of: Callable[[str], str]) -> dict[str, Any]:
    found = place(graph, row)
    return {**found, "role": role_of(found["path"])}


def _edge(graph: Graph, ids: Any, one: dict[str, Any]) -> dict[str, Any]:
    edges, row = graph.edges, one["edge"]
    place = spot(graph, row)
    return {
        "source": ids[edges.column("source")[row]],
        "target": ids[edges.column("target")[row]],
        "kind": one["kind"],
        "words": relation(one["kind"]).forward,
        "count": one["count"],
        **{key: place[key] for key in ("path", "line", "location", "text", "confidence")},
    }
