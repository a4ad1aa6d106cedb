"""Finds the lines that drive a signal of an interface through a handle, a port or an instance."""

from __future__ import annotations

from hdlgraph.graph.graph import Graph
from hdlgraph.model import NodeKind
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import Subject
from hdlgraph.query.answer.facts.page import FactPage

MAX_LINES = 12  # lines
SURE = "unique"


def is_interface(graph: Graph, name: str) -> bool:
    """Returns whether a unit is an interface."""
    names, kinds = graph.nodes.column("name"), graph.nodes.column("kind")
    rows = (row for row in graph.ending(name) if names[row] == name)
    return any(kinds[row] == NodeKind.INTERFACE.value for row in rows)


def add_outside(page: FactPage, queries: Queries, one: Subject, moved: set[str]) -> None:
    """Adds the lines outside of an interface that assign its signal, those of the design first."""
    base = one.signal.partition(".")[0]
    users = queries.driven_outside(one.unit, base)
    found = [user for user in users if user["path"] not in moved]
    if not found:
        return
    found.sort(key=lambda user: (not of_design(user["path"]), user["resolved"] != SURE))
    count = len(found)
    page.add(
        f"{one.unit}.{base} is assigned through its interface on {count} line{'s' * (count != 1)}:"
    )
    for user in found[:MAX_LINES]:
        drives = "drives it" if user["resolved"] == SURE else "may drive it, by its name alone"
        page.add(f"- {user['user_name']} {drives}:")
        page.code(user["path"], page.source(user["path"]), [user["line"]])
    if count > MAX_LINES:
        page.add(f"- and {count - MAX_LINES} more")
    page.add()
