"""Answers what lets a clock through: the cells that gate it and what drives their enables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.drivers.signals import add_drivers
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import owners_of
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.clocks.passing import CLOCK
from hdlgraph.query.design.names import is_unit
from hdlgraph.words import terms

MOST = 4  # cells that are told; of more the question does not say which one it means
ENABLES = 3  # nets of an enable of which the drivers are told
_NAME = re.compile(r"(?<![\w.$'`])[A-Za-z_]\w*")
_ENABLE = re.compile(r"(?:^|_)(?:en|ena|enable|e|ce)(?:_|\d|$)", re.I)
_TEST = re.compile(r"test|scan|(?:^|_)[ts]e(?:_|$)|dft|bypass", re.I)
"""Inputs that open a gate for tests alone."""
_COMMON = frozenset(
    terms(
        "clock clk gate gated gating instance module unit cell is switched off on turned stopped "
        "stop stops running run enables enabled register signal what which when who how the does"
    )
)


def add_cells(
    page: FactPage, question: str, queries: Queries, moved: set[str], gate: re.Pattern[str]
) -> bool:
    """Adds the gates whose instances are called as the clock that is asked for; False for none.

    Args:
        page: the answer so far.
        question: as asked.
        queries: the exact engines.
        moved: files that changed since they were indexed.
        gate: what cells are called that gate a clock.
    """
    wanted = set(terms(question)) - _COMMON
    scored = [
        (len(wanted & set(terms(one[0].rpartition(".")[2]))), one)
        for one in _cells(queries.graph(), gate)
        if one[2] not in moved
    ]
    most = max((score for score, _ in scored), default=0)
    found = [one for score, one in scored if score == most]
    if not most or len(found) > MOST:
        return False
    for name, unit, path, line in found:
        statement = page.instance(path, line)
        if statement is not None:
            page.add(f"{name.rpartition('.')[2]} of {name.partition('.')[0]} ({unit}) is a gate:")
            page.whole(path, statement)
            add_enables(page, queries, path, line, moved)
    return True


def _cells(graph: Graph, gate: re.Pattern[str]) -> Iterator[tuple[str, str, str, int]]:
    """Yields (name, unit, path, line) of the instances of gates that no other gate contains."""
    nodes, edges = graph.nodes, graph.edges
    kinds, names, paths = (nodes.column(key) for key in ("kind", "name", "path"))
    lines, relations, sources = nodes.column("line"), edges.column("kind"), edges.column("source")
    found = set()
    for row, name in enumerate(names):
        if not is_unit(kinds[row]) or gate.search(name) is None:
            continue
        for edge in graph.in_edges(row).tolist():
            at = sources[edge]
            is_one = relations[edge] == EdgeKind.INSTANTIATES.value
            is_one = is_one and kinds[at] == NodeKind.INSTANCE.value and of_design(paths[at])
            if is_one and gate.search(names[at].partition(".")[0]) is None:
                found.add((names[at], name, paths[at], lines[at]))
    yield from sorted(found)


def add_enables(page: FactPage, queries: Queries, path: str, line: int, moved: set[str]) -> None:
    """Adds what drives the nets at the enables of the gate that stands on a line."""
    one = page.instance(path, line)
    unit = _unit_around(one) if one is not None else ""
    for name in _enables(one)[:ENABLES] if one is not None and unit else ():
        for owner in owners_of(queries.graph(), name, False, unit):
            if owner.unit == unit and owner.path == path:
                add_drivers(page, queries, owner, False, moved, False, frozenset())
                break


def _enables(one: Statement) -> list[str]:
    """Returns the names at the enables of a gate, those for tests alone left out."""
    found: dict[str, None] = {}
    for port, text in one.connections.items():
        if _ENABLE.search(port) and not _TEST.search(port) and not CLOCK.search(port):
            found |= dict.fromkeys(_NAME.findall(text or port))
    return list(found)


def _unit_around(one: Statement) -> str:
    """Returns the name of the unit that a statement stands in, "" where it stands in none."""
    outer = one.parent
    while outer is not None and outer.kind != "unit":
        outer = outer.parent
    return outer.name if outer is not None else ""
