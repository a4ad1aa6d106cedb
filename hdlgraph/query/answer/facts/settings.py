"""Which values the instances of a unit give its parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hdlgraph.errors import UsageError
from hdlgraph.graph.graph import Graph
from hdlgraph.model import NodeKind
from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.answer.facts.users import last
from hdlgraph.query.design.names import find
from hdlgraph.query.design.show import who

INSTANCES = 6  # of which the values are told
DEPTH = 3  # units through which a parameter is followed upwards
LONGEST = 80  # characters of a value


def add_settings(
    page: FactPage, graph: Graph, unit: str, names: Sequence[str], depth: int = DEPTH
) -> list[str]:
    """Adds what the instances of a unit set its parameters to, and returns these values.

    An instance of a test is told of where no design has any. Where a unit only passes its own
    parameter on, what its instances set this one to follows.
    """
    found = list(_settings(page, graph, unit, names))[:INSTANCES]
    if not found:
        return []
    page.add(f"Set by the instances of {unit}:")
    for said, path, line, end, _, _ in found:
        page.state(said, path, line, end)
    passed: dict[str, list[str]] = {}
    for *_, value, parent in found:
        if value in _parameters(graph, parent):
            passed.setdefault(parent, []).append(value)
    values = [value for *_, value, _ in found]
    for parent, own in passed.items() if depth > 1 else ():
        values += add_settings(page, graph, parent, list(dict.fromkeys(own)), depth - 1)
    return values


def _settings(
    page: FactPage, graph: Graph, unit: str, names: Sequence[str]
) -> Iterator[tuple[str, str, int, int, str, str]]:
    """Yields (sentence, path, line, end line, value, parent) of what instances set, each once."""
    users = [one for one in who(graph, unit)["users"] if one["kind"] == "INSTANTIATES"]
    design = [one for one in users if of_design(one["path"])]
    told: set[str] = set()
    for user in design or users:
        path, parent = user["path"], last(user["user_name"])
        one = page.instance(path, user["line"])
        if one is None or one.unit != unit or not one.name:
            continue
        for name in names:
            value = _value(page, path, one, name)
            said = f"- {parent} sets {name} of {one.name} to {value}"
            if value and len(value) <= LONGEST and said not in told:
                told.add(said)
                yield said, path, one.line, _until(page, path, one, name), value, parent


def _parameters(graph: Graph, unit: str) -> frozenset[str]:
    """Returns the names of the parameters of a unit that its instances can set."""
    nodes = graph.nodes
    try:
        rows = find(graph, unit)
    except UsageError:
        return frozenset()
    found: set[str] = set()
    for row in rows:
        for edge in graph.out_edges(row).tolist():
            target = graph.edges.column("target")[edge]
            if nodes.column("kind")[target] == NodeKind.PARAMETER.value:
                found.add(last(nodes.column("name")[target]))
    return frozenset(found)


def _value(page: FactPage, path: str, one: Statement, name: str) -> str:
    """Returns what an instance connects to a name, with its strings; "" where they span lines."""
    value = one.connections.get(name, "")
    if '"' not in value:
        return value
    text = "\n".join(page.source(path).lines[one.line - 1 : one.end_line])
    found = re.search(rf"\.\s*{re.escape(name)}\s*\(\s*(\"[^\"\n]{{0,{LONGEST}}}\")\s*\)", text)
    return found[1] if found else ""


def _until(page: FactPage, path: str, one: Statement, name: str) -> int:
    """Returns the last line of an instance that has its name or the value of a parameter."""
    lines = page.source(path).lines
    found = one.line
    for number in range(one.line, one.end_line + 1):
        code = lines[number - 1].split("//")[0]
        if re.search(rf"(?<![\w$])(?:\.\s*{re.escape(name)}|{re.escape(one.name)})(?![\w$])", code):
            found = number
    closed = one.end_line if found == one.line else found
    return closed
