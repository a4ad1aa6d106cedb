"""Tells how often a unit is instantiated that a question names."""

from __future__ import annotations

import re

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.doors import Doors
from hdlgraph.query.answer.direct.subjects import units_named
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult

TOLD = 30  # instances that are named
_ASKED = re.compile(
    r"\b(?:how many|how often|number of|count of)\b(?=.*\b(?:instan\w+|copies|times)\b)", re.I
)


def add_instances(page: FactPage, question: str, doors: Doors, result: SearchResult) -> bool:
    """Adds how often the first unit named is instantiated, in the second one if there is one.

    An instance in a generate loop, and an array of instances, counts once. False where the
    question does not ask that of a unit.
    """
    if not _ASKED.search(question):
        return False
    graph = doors.graph()
    units = units_named(question, graph)
    if not 1 <= len(units) <= 2 or re.search(r"\binstantiates? (?:\w+ )?" + units[0], question):
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    found = [one for one in _instances(graph, units[0], units[1:]) if one[0] not in moved]
    if not found:
        return False
    inside = f" in {units[1]}" if units[1:] else ""
    times = f"{len(found)} time" + "s" * (len(found) != 1)
    page.add(f"{units[0]} is instantiated {times}{inside} (a loop or an array counts once):")
    for path, line, name in found[:TOLD]:
        page.fact(f"- {name}", (name.rpartition(".")[2],), path, line)
    if len(found) > TOLD:
        page.add(f"- and {len(found) - TOLD} more: `hdlgraph who {units[0]}` lists all")
    return True


def _instances(graph: Graph, unit: str, owners: list[str]) -> list[tuple[str, int, str]]:
    """Returns (path, line, name) of the instances of a unit, those of the design first."""
    nodes, edges = graph.nodes, graph.edges
    kinds, names = nodes.column("kind"), nodes.column("name")
    sources, relations = edges.column("source"), edges.column("kind")
    found = set()
    for row in graph.ending(unit):
        for edge in graph.in_edges(row).tolist() if names[row] == unit else ():
            at = sources[edge]
            is_one = relations[edge] == EdgeKind.INSTANTIATES.value
            is_one = is_one and kinds[at] == NodeKind.INSTANCE.value
            if is_one and (not owners or names[at].startswith(f"{owners[0]}.")):
                found.add((nodes.column("path")[at], nodes.column("line")[at], names[at]))
    return sorted(found, key=lambda one: (not of_design(one[0]), one))
