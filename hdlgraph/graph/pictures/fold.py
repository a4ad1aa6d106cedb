"""Which instances share a box of a picture, so that it stays readable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.graph.pictures.nets import Instance
from hdlgraph.graph.pictures.picture import Kind, some
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.model.kinds import entity

SAME = 4
"""So many instances of a unit share a box."""
SAME_CELL = 2
"""The same for cells of a library."""
USERS = 8
"""A unit without instances of its own that so many units use is a cell of a library."""
ROWS = 8


class Group(NamedTuple):
    """Instances that share a box: their numbers, and what is written in it."""

    kind: Kind
    members: tuple[int, ...]
    title: str = ""
    subtitle: str = ""
    rows: tuple[str, ...] = ()


class Folded(NamedTuple):
    """The boxes of a picture: `box_of` each instance, and notes on what was left out."""

    groups: tuple[Group, ...]
    box_of: dict[int, int]
    notes: tuple[str, ...]


def fold(graph: Graph, instances: Sequence[Instance], weights: Sequence[int], limit: int) -> Folded:
    """Returns which instances share a box.

    Cells of a library share one by unit, and so do four other instances of a unit. Where the
    boxes are still more than `limit`, two do; then the least connected go into one box together.

    Args:
        graph: the graph of the repository.
        instances: the instances of a unit.
        weights: how many signals reach each of them.
        limit: the greatest number of boxes.
    """
    cells = {row: _is_cell(graph, row) for row in {one.unit for one in instances}}
    groups = _by_unit(instances, cells, SAME)
    if len(groups) > limit:
        groups = _by_unit(instances, cells, 2)
    notes: tuple[str, ...] = ()
    if len(groups) > max(limit, 1):
        groups = _cut(groups, instances, weights, max(limit, 1))
        notes = (
            f"{len(groups[-1].members)} of {len(instances)} instances are in one box "
            f"(--limit {limit} boxes): those with the fewest signals",
        )
    folded = sum(len(g.members) for g in groups if len(g.members) > 1 and g.kind != "more")
    if folded:
        notes += (f"{folded} instances share a box with others of the same unit",)
    box_of = {member: number for number, group in enumerate(groups) for member in group.members}
    return Folded(tuple(groups), box_of, notes)


def _by_unit(instances: Sequence[Instance], cells: dict[int, bool], same: int) -> list[Group]:
    """Returns groups in the order of their first instances."""
    by_unit: dict[str, list[int]] = {}
    for number, one in enumerate(instances):
        by_unit.setdefault(one.unit_name, []).append(number)
    found: list[Group] = []
    for members in by_unit.values():
        first = instances[members[0]]
        kind: Kind = "library" if cells[first.unit] else "instance"
        least = SAME_CELL if kind == "library" else same
        if len(members) < max(least, 2):
            found += [Group(kind, (one,)) for one in members]
            continue
        found.append(Group(kind, tuple(members), f"{first.unit_name} ×{len(members)}"))
    return sorted(found, key=lambda group: group.members[0])


def _cut(
    groups: Sequence[Group], instances: Sequence[Instance], weights: Sequence[int], limit: int
) -> list[Group]:
    """Returns the most connected groups, and one last group of all others."""
    total = {group: sum(weights[one] for one in group.members) for group in groups}
    order = sorted(groups, key=lambda group: (-total[group], group.members[0]))
    kept = set(order[: limit - 1])
    rest = sorted(one for group in groups if group not in kept for one in group.members)
    units = Counter(instances[one].unit_name for one in rest)
    rows = [f"{name} ×{count}" if count > 1 else name for name, count in units.most_common()]
    more = Group(
        "more", tuple(rest), f"{len(rest)} more instances", f"{len(units)} units", some(rows, ROWS)
    )
    return [*(group for group in groups if group in kept), more]


def _is_cell(graph: Graph, unit: int) -> bool:
    """Returns whether a unit is a cell of a library: a leaf that many use, or not in the design."""
    nodes, edges = graph.nodes, graph.edges
    if unit < 0 or not nodes.column("path")[unit]:
        return True
    kinds, targets, sources = (edges.column(name) for name in ("kind", "target", "source"))
    of_kind = nodes.column("kind")
    for edge in graph.out_edges(unit).tolist():
        if of_kind[targets[edge]] == NodeKind.INSTANCE.value:
            return False
    users = {
        sources[edge]
        for edge in graph.in_edges(unit).tolist()
        if kinds[edge] == EdgeKind.INSTANTIATES.value and entity(of_kind[sources[edge]]).is_unit
    }
    return len(users) >= USERS
