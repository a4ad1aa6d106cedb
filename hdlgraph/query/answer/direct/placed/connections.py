"""Answers what is connected to a port of an instance, as its statement says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.drivers.signals import add_drivers
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import Subject, unit_at
from hdlgraph.query.answer.facts.ends import owned
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.clocks.passing import CLOCK
from hdlgraph.results import SearchResult

MOST = 6  # instances that are told
PORTS = 3  # of a question
SHORT = 12  # lines of an instance that are shown
_ASKED = re.compile(
    r"\b(?:connect(?:s|ed|ion|ions)?|wired|tied|tie|hooked|attached|bound|driv(?:es|en|ing)|feeds?"
    r"|fed)\b|\bcomes? from\b|\bgoes? to\b",
    re.I,
)
_DRIVES = re.compile(r"\bdriv(?:es|en|ing)\b|\bcomes? from\b|\bfe(?:eds?|d)\b", re.I)
_BEGINS = re.compile(
    r"\W*(?:(?:and|so|please|then),? )?(?:(?:to|from|by) )?"
    r"(?:what|which|where|who|show|tell|give)(?:'s| is)?\b(?! (?:\w+ )?(?:files?|modules?|units?"
    r"|blocks?|test ?bench(?:es)?)\b)",
    re.I,
)
_MORE = re.compile(
    r"\b(?:when|why|how|condition|conditions|if|between|reset(?! (?:input|port|pin)s?\b))\b"
    r"|\bin (?:what|which)\b",
    re.I,
)
"""Asks for more than a connection."""
_KIND = re.compile(r"\b(clock|clk|reset)s?(?: (?:input|port|pin)s?)? (?:of|on|at)\b", re.I)
_RESET = re.compile(r"(?:^|_)a?rst(?:_|n|$)|reset", re.I)
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_NET = re.compile(r"[A-Za-z_$][\w$]*")
EVERY = re.compile(r"\.\s*\*")


class Instance(NamedTuple):
    """An instance by its own name and the units it may be of, and where it stands."""

    label: str
    units: tuple[str, ...]
    parent: str
    path: str
    line: int


def add_connections(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds what is connected to a port of the instance that a question names.

    It is named by itself, or by its unit and the unit around it. Of a net that leads to the
    instance is told what drives it. False where the question asks no such thing.
    """
    if not (_BEGINS.match(question) and _ASKED.search(question)) or _MORE.search(question):
        return False
    graph, words = queries.graph(), list(dict.fromkeys(_WORD.findall(question)))
    moved = {*result.stale.changed, *result.stale.removed}
    found = [one for one in instances_named(graph, words) if one.path not in moved]
    told, drivers = 0, list[Subject]()
    is_driven = _DRIVES.search(question) is not None
    for one in found:
        statement = page.instance(one.path, one.line)
        if statement is None or told >= MOST:
            continue
        named = [word for word in words if is_port(graph, one, word)]
        named = named or _of_kind(question, statement)
        for port in named[:PORTS]:
            if _add(page, queries, one, statement, port, drivers, is_driven):
                told += 1
    if told >= MOST and len(found) > told:
        page.add(f"and perhaps in {len(found) - told} more of that name: name the unit around one")
    for net in dict.fromkeys(drivers) if told == 1 else ():
        add_drivers(page, queries, net, False, moved, False, frozenset())
    return told > 0


def instances_named(graph: Graph, words: list[str]) -> list[Instance]:
    """Returns the instances that words name: by name, else by their unit in the unit around it.

    Those of the design come first; where a unit around them is named, those in it are meant.
    """
    units = {word for word in words if unit_at(graph, word)}
    found = {one for word in words for one in _called(graph, word)}
    own = {one for one in found if one.label not in units}
    if not own:
        own = {one for unit in units for one in _of(graph, unit) if one.parent in units - {unit}}
    inside = {one for one in own if one.parent in units}
    kept = sorted(inside or own, key=lambda one: (not of_design(one.path), one.path, one.line))
    design = [one for one in kept if of_design(one.path)]
    return design or kept


def _called(graph: Graph, label: str) -> Iterator[Instance]:
    """Yields the instances of a name."""
    kinds, names = graph.nodes.column("kind"), graph.nodes.column("name")
    for row in graph.ending(label):
        if kinds[row] == NodeKind.INSTANCE.value and names[row].rpartition(".")[2] == label:
            yield _instance(graph, row)


def _of(graph: Graph, unit: str) -> Iterator[Instance]:
    """Yields the instances of a unit."""
    kinds, names = graph.nodes.column("kind"), graph.nodes.column("name")
    sources, relations = graph.edges.column("source"), graph.edges.column("kind")
    for row in graph.ending(unit):
        for edge in graph.in_edges(row).tolist() if names[row] == unit else ():
            at = sources[edge]
            is_one = relations[edge] == EdgeKind.INSTANTIATES.value
            if is_one and kinds[at] == NodeKind.INSTANCE.value:
                yield _instance(graph, at)


def _instance(graph: Graph, row: int) -> Instance:
    """Returns the instance of a row."""
    nodes, edges = graph.nodes, graph.edges
    name = nodes.column("name")[row]
    units = dict.fromkeys(
        nodes.column("name")[edges.column("target")[edge]]
        for edge in graph.out_edges(row).tolist()
        if edges.column("kind")[edge] == EdgeKind.INSTANTIATES.value
    )
    place = nodes.column("path")[row], nodes.column("line")[row]
    return Instance(name.rpartition(".")[2], tuple(units), name.partition(".")[0], *place)


def is_port(graph: Graph, one: Instance, word: str) -> bool:
    """Returns whether the unit of an instance has a port of a name."""
    return any(unit in one.units and kind == "port" for unit, kind, _, _ in owned(graph, word))


def _of_kind(question: str, statement: Statement) -> list[str]:
    """Returns the clocks or resets that an instance connects, where a question asks for these."""
    kind = _KIND.search(question)
    if kind is None:
        return []
    form = CLOCK if kind[1].lower().startswith("cl") else _RESET
    return [port for port in statement.connections if form.search(port)]


def _add(
    page: FactPage,
    queries: Queries,
    one: Instance,
    statement: Statement,
    port: str,
    drivers: list[Subject],
    is_driven: bool,
) -> bool:
    """Adds what an instance connects to a port; False where its statement does not tell."""
    graph, lines = queries.graph(), page.source(one.path).lines
    span = range(statement.line, statement.end_line + 1)
    texts = {number: lines[number - 1].partition("//")[0] for number in span}
    at = next((n for n, text in texts.items() if port_form(port).search(text)), 0)
    head = f"{port} of {one.label} ({statement.unit}) in {one.parent}"
    if at:
        net = statement.connections.get(port, port)
        page.add(f"{head} is {_to(graph, one, net) if net else 'left open'}:")
        page.code(one.path, page.source(one.path), _until(texts, at))
        if not _leads_in(queries, one, port):
            drivers += _inside(graph, one, port) if is_driven else []
        elif _NET.fullmatch(net):
            drivers += [
                Subject(unit, net, path, line)
                for unit, kind, path, line in owned(graph, net)
                if unit == one.parent and path == one.path and kind == "signal"
            ][:1]
        return True
    every = next((n for n, text in texts.items() if EVERY.search(text)), 0)
    if every:
        page.add(f"{head} is {_to(graph, one, port)}, by name:")
        page.code(one.path, page.source(one.path), [every])
        return True
    if statement.connections and any(is_port(graph, one, name) for name in statement.connections):
        page.add(f"{head} is not connected:")
        first = page.source(one.path).lines[one.line - 1]
        numbers = span if one.label not in first else [one.line]
        page.code(one.path, page.source(one.path), numbers[:SHORT])
        return True
    return False


def _inside(graph: Graph, one: Instance, port: str) -> list[Subject]:
    """Returns an output of the unit of an instance, for what drives it there."""
    return [
        Subject(unit, port, path, line)
        for unit, kind, path, line in owned(graph, port)
        if kind == "port" and unit in one.units
    ][:1]


def port_form(name: str) -> re.Pattern[str]:
    """Returns what finds a port in the code of an instance that connects it by name."""
    return re.compile(rf"\.\s*{re.escape(name)}(?![\w$])")


def _to(graph: Graph, one: Instance, net: str) -> str:
    """Returns in words what a net is that a port is connected to."""
    own = any(
        unit == one.parent and kind == "port" and path == one.path
        for unit, kind, path, _ in owned(graph, net)
    )
    return f"connected to {net}{f', a port of {one.parent}' if own else ''}"


def _leads_in(queries: Queries, one: Instance, port: str) -> bool:
    """Returns whether a port of the unit of an instance is an input."""
    graph = queries.graph()
    names, details = graph.nodes.column("name"), graph.nodes.column("detail")
    wanted = {f"{unit}.{port}" for unit in one.units}
    return any(names[row] in wanted and details[row].startswith("input")
               for row in graph.ending(port))  # fmt: skip


def _until(texts: dict[int, str], at: int) -> range:
    """Returns the lines of a connection, down to where its parenthesis closes."""
    depth, last = 0, at
    for number in range(at, max(texts) + 1):
        text = texts[number] if number > at else texts[at].partition(".")[2]
        for sign in text:
            depth += (sign == "(") - (sign == ")")
            if depth <= 0 and sign in "),":
                return range(at, number + 1)
        last = number
    return range(at, last + 1)
