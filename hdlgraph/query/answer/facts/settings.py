"""Which values the instances of a unit give its parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

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
FOLLOWED = 24  # parameters of units that are followed upwards
PASSING = 6  # units that pass one on, which are named
TOPS = 4  # parameters of outermost units of which the default is shown
LONGEST = 80  # characters of a value
_WORDS = re.compile(r"[\w$]+")
_PLACEHOLDER = re.compile(r"\$\w+\$")


@dataclass(frozen=True, slots=True)
class Setting:
    """What an instance sets a parameter to: a sentence, its place, the value and the unit."""

    text: str
    path: str
    line: int
    end_line: int
    value: str
    parent: str


@dataclass(slots=True)
class _Found:
    """What the instances up to the top say of some parameters."""

    text: dict[str, Setting] = field(default_factory=dict)
    passing: dict[str, None] = field(default_factory=dict)
    tops: list[tuple[str, str]] = field(default_factory=list)


def add_settings(page: FactPage, graph: Graph, unit: str, names: Sequence[str]) -> list[str]:
    """Adds what the instances of a unit set its parameters to, and returns these values.

    An instance of a test is told of where no design has any. Units that only pass a parameter on
    are named together; where it comes from the top, its default there is shown.
    """
    found = _upwards(page, graph, unit, names)
    settings = list(found.text.values())[:INSTANCES]
    defaults = _defaults(page, graph, found.tops) if found.passing else []
    if not settings and not found.passing:
        return []
    page.add()
    page.add(f"Set by the instances of {unit}:")
    for one in settings:
        page.state(one.text, one.path, one.line, one.end_line)
    if found.passing:
        page.add(f"Passed on under its own name by {', '.join(list(found.passing)[:PASSING])}.")
    for path in dict.fromkeys(path for path, _ in defaults):
        page.code(path, page.source(path), [line for where, line in defaults if where == path])
    return [one.value for one in settings]


def _upwards(page: FactPage, graph: Graph, unit: str, names: Sequence[str]) -> _Found:
    """Returns the values that parameters get, followed up through parents that pass one on."""
    found = _Found()
    waiting = [(unit, name) for name in names]
    seen = set(waiting)
    for owner, name in waiting:
        if len(seen) > FOLLOWED:
            break
        settings = list(_settings(page, graph, owner, name))
        if not settings and owner != unit:
            found.tops.append((owner, name))
        for one in settings:
            above = (one.parent, one.value)
            own = one.value in _parameters(graph, one.parent)
            if own and one.value == name:
                found.passing.setdefault(one.parent)
            else:
                found.text.setdefault(one.text, one)
            if own and above not in seen:
                seen.add(above)
                waiting.append(above)
    return found


def _defaults(
    page: FactPage, graph: Graph, tops: Sequence[tuple[str, str]]
) -> list[tuple[str, int]]:
    """Returns the lines on which the outermost units give parameters their defaults."""
    found: dict[tuple[str, int], None] = {}
    for unit, name in tops[:TOPS]:
        path, line = _parameters(graph, unit).get(name, ("", 0))
        lines = page.source(path).lines if path else []
        if 0 < line <= len(lines) and name in lines[line - 1]:
            found[path, line] = None
    return [one for one in found if one not in page.shown]


def _settings(page: FactPage, graph: Graph, unit: str, name: str) -> Iterator[Setting]:
    """Yields what each instance of a unit sets a parameter to."""
    users = [one for one in who(graph, unit)["users"] if one["kind"] == "INSTANTIATES"]
    design = [one for one in users if of_design(one["path"])]
    for user in design or users:
        path, parent = user["path"], last(user["user_name"])
        one = page.instance(path, user["line"])
        if one is None or one.unit != unit or not one.name:
            continue
        value = _value(page, path, one, name)
        if value and len(value) <= LONGEST:
            text = f"- {parent} sets {name} of {one.name} to {value}"
            yield Setting(text, path, one.line, until(page, path, one, name), value, parent)


def _parameters(graph: Graph, unit: str) -> dict[str, tuple[str, int]]:
    """Returns the parameters of a unit with their places, "" and 0 where it has none."""
    nodes = graph.nodes
    try:
        rows = find(graph, unit)
    except UsageError:
        return {}
    found: dict[str, tuple[str, int]] = {}
    for row in rows:
        for edge in graph.out_edges(row).tolist():
            target = graph.edges.column("target")[edge]
            if nodes.column("kind")[target] == NodeKind.PARAMETER.value:
                place = nodes.column("path")[target], nodes.column("line")[target]
                found.setdefault(last(nodes.column("name")[target]), place)
    return found


def _value(page: FactPage, path: str, one: Statement, name: str) -> str:
    """Returns what an instance connects to a name, with its strings; "" where they span lines.

    A placeholder of a template, which was read under another name, is no value either.
    """
    value = one.connections.get(name, "")
    text = "\n".join(page.source(path).lines[one.line - 1 : one.end_line])
    if '"' not in value:
        stands = all(word in text for word in _WORDS.findall(value))
        return value if stands and not _PLACEHOLDER.search(text) else ""
    found = re.search(rf"\.\s*{re.escape(name)}\s*\(\s*(\"[^\"\n]{{0,{LONGEST}}}\")\s*\)", text)
    return found[1] if found else ""


def until(page: FactPage, path: str, one: Statement, name: str) -> int:
    """Returns the last line of an instance that has its name or the value of a parameter."""
    lines = page.source(path).lines
    found = one.line
    for number in range(one.line, one.end_line + 1):
        code = lines[number - 1].split("//")[0]
        if re.search(rf"(?<![\w$])(?:\.\s*{re.escape(name)}|{re.escape(one.name)})(?![\w$])", code):
            found = number
    closed = one.end_line if found == one.line else found
    return closed
