"""Answers what an instance leaves open, ties to constants, and gives its parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hdlgraph.errors import HdlgraphError
from hdlgraph.graph.graph import Graph
from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.direct.placed.connections import (
    EVERY,
    Instance,
    instances_named,
    is_port,
    port_form,
)
from hdlgraph.query.answer.direct.placed.overrides import parameters
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import plain
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult

MOST = 4  # instances that are told
PORTS = 40  # ports of one
_PINS = r"(?P<pins>ports?|inputs?|outputs?|pins?|signals?)"
_I = r"(?:the )?(?:instance |cell )?(?P<label>[A-Za-z_]\w*)(?: (?:in|of|inside) (?:the )?\w+)?"
_OPEN = r"(?P<open>open|unconnected|not connected|floating|dangling|unused)"
_TIED = r"(?P<tied>tied(?: (?:off|low|high|to .{1,20}))?|constant|hard-?wired)"
_ASKED = tuple(
    re.compile(form, re.I)
    for form in (
        rf"(?:which|what) {_PINS} (?:of|on|at) {_I} (?:are|is) (?:left )?(?:{_OPEN}|{_TIED})",
        rf"(?:which|what) {_PINS} does {_I} (?:leave {_OPEN}|tie (?P<tied>off))",
        rf"(?:list |show |the |what are )*(?:{_OPEN}|{_TIED}) {_PINS} (?:of|on|at) {_I}",
    )
)
_P = r"(?:the )?(?:parameter )?(?P<parameter>[A-Za-z_]\w*)(?: parameter)?"
_GIVEN = tuple(
    re.compile(form, re.I)
    for form in (
        rf"(?:what|which value) is (?:the )?(?:value of )?{_P} (?:of|in|for|at) {_I}"
        r"(?: (?:set|equal) to)?",
        rf"what (?:value )?(?:does|is) {_I} (?:give|get|use|have|set|given) (?:for |as )?{_P}"
        r"(?: to)?",
        rf"(?:value|setting) of {_P} (?:of|in|for|at) {_I}",
        rf"(?:which|what) parameters? (?:values? )?(?:does|do|is|are) {_I}"
        r" (?:get|have|use|set|given|override|take)(?: with)?",
        rf"(?:how|with what) is {_I} (?:parameteri[sz]ed|configured)",
    )
)


def add_statement(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the open or tied ports of an instance, or the values of its parameters.

    False where the question names no instance so, or where its statement does not tell.
    """
    asked = plain(question)
    opened = next(filter(None, (form.fullmatch(asked) for form in _ASKED)), None)
    found = opened or next(filter(None, (form.fullmatch(asked) for form in _GIVEN)), None)
    if found is None:
        return False
    graph = queries.graph()
    moved = {*result.stale.changed, *result.stale.removed}
    words = list(dict.fromkeys(re.findall(r"[A-Za-z_]\w*", asked[found.start("label") :])))
    told = 0
    for one in instances_named(graph, words):
        statement = page.instance(one.path, one.line) if one.path not in moved else None
        if statement is None or not statement.connections or one.label != found["label"]:
            continue
        if opened is not None:
            tied = opened.groupdict().get("tied") is not None
            told += _ports(page, queries, one, statement, tied)
        else:
            name = found.groupdict().get("parameter") or ""
            told += _parameters(page, graph, one, statement, name)
        if told >= MOST:
            break
    return told > 0


def _ports(
    page: FactPage, queries: Queries, one: Instance, statement: Statement, tied: bool
) -> bool:
    """Adds the ports that an instance ties to constants, or leaves open or out."""
    graph = queries.graph()
    ports = {port: net for port, net in statement.connections.items() if is_port(graph, one, port)}
    if not ports:
        return False
    found = [port for port, net in ports.items() if (_is_constant(net) if tied else not net)]
    of = f"of {one.label} ({statement.unit})"
    count = f"{len(found) or 'no'} port{'s' * (len(found) != 1)}"
    if tied:
        page.add(f"{one.parent} ties {count} {of} to constants:")
    else:
        page.add(f"{one.parent} leaves {count} {of} open:")
    _show(page, one, statement, found[:PORTS])
    if not tied and (missing := _missing(page, queries, one, statement)):
        page.add(f"It does not name {len(missing)}: {', '.join(missing[:PORTS])}")
    return True


def _missing(page: FactPage, queries: Queries, one: Instance, statement: Statement) -> list[str]:
    """Returns the ports of the unit that an instance connects in no way."""
    lines = page.source(one.path).lines[statement.line - 1 : statement.end_line]
    text = "\n".join(line.partition("//")[0] for line in lines)
    if EVERY.search(text) or len(one.units) != 1:
        return []
    try:
        (unit,) = queries.show(one.units[0], None)["definitions"]
    except (HdlgraphError, ValueError):
        return []
    names = [row["name"].rpartition(".")[2] for row in unit["ports"]]
    return [name for name in names if port_form(name).search(text) is None]


def _is_constant(net: str) -> bool:
    return re.fullmatch(r"\{?[\s\d]*\{?\s*(?:\d*\s*'[sS]?[hdboHDBO]?\s*[\dA-Fa-f_xzXZ]+|\d+)\s*\}*",
                        net) is not None  # fmt: skip


def _parameters(
    page: FactPage, graph: Graph, one: Instance, statement: Statement, name: str
) -> bool:
    """Adds the values that an instance gives its parameters, or the one of a name."""
    names = graph.nodes.column("name")
    given = [
        parameter
        for parameter in statement.connections
        if any(names[row].rpartition(".")[0] in one.units for row in parameters(graph, parameter))
    ]
    if name and name not in given:
        return False
    if not given:
        return False
    wanted = [name] if name else given
    head = f"{one.label} ({statement.unit}) in {one.parent}"
    if name:
        page.add(f"{name} of {head} is {statement.connections[name]}:")
    else:
        page.add(f"{head} is given {len(given)} parameter{'s' * (len(given) != 1)}:")
    _show(page, one, statement, wanted)
    return True


def _show(page: FactPage, one: Instance, statement: Statement, names: Sequence[str]) -> None:
    """Adds the lines of an instance on which names are connected."""
    lines = page.source(one.path).lines
    forms = [port_form(name) for name in names]
    numbers = [
        number
        for number in range(statement.line, statement.end_line + 1)
        if any(form.search(lines[number - 1].partition("//")[0]) for form in forms)
    ]
    page.code(one.path, page.source(one.path), numbers or [statement.line])
