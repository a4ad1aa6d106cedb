"""Answers whether a unit is there by default: the conditions of its instances and their values."""

from __future__ import annotations

import re
from typing import NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import units_named
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult

MOST = 8  # instances that are told
_ASKED = re.compile(
    r"\b(?:used|instantiated|enabled|included|present|there|active|on|built|in use)\b"
    r".{0,60}\bby default\b|\bby default\b.{0,60}\b(?:used|instantiated|enabled|present)\b",
    re.I,
)
_NAME = re.compile(r"(?<![\w.$'`:])[A-Za-z_]\w*")
_ALONE = re.compile(r"(!?)\s*\(?\s*([A-Za-z_]\w*)\s*\)?")
_ZERO = re.compile(r"(?:\d+\s*)?'[sS]?[bBdDhHoO]?0+|0+")
_ONE = re.compile(r"(?:\d+\s*)?'[sS]?[bBdDhHoO]?0*1|1")


class _Instance(NamedTuple):
    """An instance of a unit, and the condition under which it is there, "" for none."""

    name: str
    path: str
    line: int
    condition: str


class _Parameter(NamedTuple):
    """A parameter of the unit around an instance, with its default."""

    name: str
    value: str
    path: str
    line: int


def add_defaults(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds under which condition a unit is instantiated, and what that is by default.

    False where the question does not ask that of one unit, or an instance has no condition of
    parameters.
    """
    graph = queries.graph()
    units = units_named(question, graph) if _ASKED.search(question) else []
    if len(units) != 1:
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    found = [one for one in _instances(graph, units[0]) if one.path not in moved]
    found = [one for one in found if of_design(one.path)] or found
    told = [(one, _parameters(graph, one)) for one in found]
    if not found or not all(values for _, values in told):
        return False
    for one, values in told[:MOST]:
        _add(page, units[0], one, values)
        for value in values:
            _set(page, graph, one.name.partition(".")[0], value.name, moved)
    if len(told) > MOST:
        page.add(f"- and {len(told) - MOST} more: `hdlgraph who {units[0]}` lists all")
    page.add()
    return True


def _add(page: FactPage, unit: str, one: _Instance, values: list[_Parameter]) -> None:
    """Adds an instance: whether it is there by default, its condition, the parameters' lines."""
    parent, _, label = one.name.partition(".")
    label = label.rpartition(".")[2]
    holds = _holds(one.condition, values)
    by = f"by the default of {parent}"
    start = {True: f"Yes, {by}: ", False: f"No, not {by}: ", None: ""}[holds]
    page.add(f"{start}{parent} instantiates {unit} as {label} only if {one.condition}.")
    for value in values:
        page.add(f"- {value.name} of {parent} is {value.value} by default:")
        page.code(value.path, page.source(value.path), [value.line])
    statement = page.instance(one.path, one.line)
    if statement is None or not page.whole(one.path, statement):
        page.code(one.path, page.source(one.path), [one.line])


def _set(page: FactPage, graph: Graph, parent: str, name: str, moved: set[str]) -> None:
    """Adds the lines on which instances of a unit set a parameter of it."""
    pattern = re.compile(rf"\.\s*{name}\s*\(")
    users = [one for one in _instances(graph, parent) if of_design(one.path)]
    for user in [one for one in users if one.path not in moved][:MOST]:
        statement = page.instance(user.path, user.line)
        lines = page.source(user.path).lines
        span = range(statement.line, statement.end_line + 1) if statement is not None else ()
        at = next((n for n in span if pattern.search(lines[n - 1].partition("//")[0])), 0)
        if at:
            page.add(f"- {user.name.partition('.')[0]} sets {name} of {parent}:")
            page.code(user.path, page.source(user.path), [at])


def _holds(condition: str, values: list[_Parameter]) -> bool | None:
    """Returns whether a condition of one parameter holds by default, None where it is more."""
    alone = _ALONE.fullmatch(condition)
    if alone is None or len(values) != 1:
        return None
    if _ZERO.fullmatch(values[0].value):
        return bool(alone[1])
    return not alone[1] if _ONE.fullmatch(values[0].value) else None


def _instances(graph: Graph, unit: str) -> list[_Instance]:
    """Returns the instances of a unit, by path and line."""
    nodes, edges = graph.nodes, graph.edges
    kinds, names, details = (nodes.column(key) for key in ("kind", "name", "detail"))
    found = set()
    for row in graph.ending(unit):
        for edge in graph.in_edges(row).tolist() if names[row] == unit else ():
            at = edges.column("source")[edge]
            is_one = edges.column("kind")[edge] == EdgeKind.INSTANTIATES.value
            if is_one and kinds[at] == NodeKind.INSTANCE.value:
                condition = details[at].rpartition(": ")[2] if details[at] else ""
                place = nodes.column("path")[at], nodes.column("line")[at]
                found.add(_Instance(names[at], *place, condition))
    return sorted(found, key=lambda one: (one.path, one.line))


def _parameters(graph: Graph, one: _Instance) -> list[_Parameter]:
    """Returns the parameters in the condition of an instance that the unit around it has."""
    nodes, parent = graph.nodes, one.name.partition(".")[0]
    found = []
    for name in dict.fromkeys(_NAME.findall(one.condition)):
        for row in graph.ending(name):
            whole, detail = nodes.column("name")[row], nodes.column("detail")[row]
            if whole == f"{parent}.{name}" and detail.startswith("parameter") and "=" in detail:
                place = nodes.column("path")[row], nodes.column("line")[row]
                if place[0] == one.path:
                    found.append(_Parameter(name, detail.partition("=")[2].strip(), *place))
    return found
