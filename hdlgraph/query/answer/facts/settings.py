"""Which values the instances of a unit give its parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hdlgraph.graph.graph import Graph
from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.answer.facts.users import last
from hdlgraph.query.design.show import who

INSTANCES = 6  # of which the values are told
LONGEST = 80  # characters of a value


def add_settings(page: FactPage, graph: Graph, unit: str, names: Sequence[str]) -> list[str]:
    """Adds what the instances of a unit set its parameters to, and returns these values.

    An instance of a test is told of where no design has any.
    """
    users = [one for one in who(graph, unit)["users"] if one["kind"] == "INSTANTIATES"]
    design = [one for one in users if of_design(one["path"])]
    values: list[str] = []
    told: set[str] = set()
    head = len(page.lines)
    for user in design or users:
        one = page.instance(user["path"], user["line"])
        if one is None or one.unit != unit or not one.name:
            continue
        for name in names:
            value = _value(page, user["path"], one, name)
            if not value or len(value) > LONGEST or len(told) == INSTANCES:
                continue
            said = f"- {last(user['user_name'])} sets {name} of {one.name} to {value}"
            if said not in told:
                page.state(said, user["path"], one.line, _until(page, user["path"], one, name))
                told.add(said)
                values.append(value)
    if told:
        page.lines.insert(head, f"Set by the instances of {unit}:")
    return values


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
