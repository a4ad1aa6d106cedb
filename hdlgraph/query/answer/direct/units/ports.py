"""Answers with the ports or parameters of the unit that a question names, and how many there are.

Asked for what goes into a unit or comes out of it, the lines follow that connect these ports.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from hdlgraph.errors import HdlgraphError
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.instances import instances_of
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import units_written
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult
from hdlgraph.words import split_identifier

MAX_UNITS = 2  # units of one name
MAX_LISTED = 150  # ports or parameters of one unit; of more the number is told
MAX_INSTANCES = 3  # whose connections are shown
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_KINDS = {
    **dict.fromkeys(("input", "inputs"), "input"),
    **dict.fromkeys(("output", "outputs"), "output"),
    **dict.fromkeys(("inout", "inouts"), "inout"),
    **dict.fromkeys(("port", "ports", "pin", "pins", "pinout", "portlist"), "port"),
    **dict.fromkeys(("parameter", "parameters", "params", "generics"), "parameter"),
    **dict.fromkeys(("localparam", "localparams"), "localparam"),
    **dict.fromkeys(("interrupt", "interrupts", "irqs"), "interrupt"),
    **dict.fromkeys(("alert", "alerts"), "alert"),
    **{"functions": "function", "tasks": "task", "types": "type", "typedefs": "type"},
}
"""Words for what is listed; a direction narrows the ports."""
_CARRIED = {
    "interrupt": frozenset("interrupt interrupts intr intrs irq irqs".split()),
    "alert": frozenset("alert alerts".split()),
}
"""Parts of the names of ports that carry interrupts, or alerts."""
_ASKING = frozenset(
    "a all an and are at can complete declare declared declares define defined defines do does "
    "every expose exposes for full give has have how i in interface is it its list many me module "
    "line lines name names need needs number of offer offers on or please print provide provides "
    "raise raises show signal "
    "signals take takes tell the their there unit block what what's which with you".split()
)
_INTO = frozenset("into enter enters entering feed feeds".split())
_FROM = frozenset("out leave leaves leaving".split())
_FLOWS = frozenset(
    "come comes coming connected data fed from go goes going net nets run runs to wire "
    "wires".split()
)
"""Words beside those of a direction that ask what goes into a unit or comes out of it."""


class _Asked(NamedTuple):
    """The unit, the kinds that are listed, and whether its connections are asked for as well."""

    unit: str
    kinds: frozenset[str]
    connected: bool


def add_ports(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the ports or parameters of the unit that a question names; False if it asks for none."""
    asked = _asked(question, queries)
    if asked is None:
        return False
    try:
        definitions = queries.show(asked.unit, limit=None)["definitions"]
    except HdlgraphError:
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    units = [one for one in definitions if "ports" in one and one["path"] not in moved]
    units.sort(key=lambda one: (not of_design(one["path"]), one["path"], one["line"]))
    for unit in units[:MAX_UNITS]:
        ports = asked.kinds - _OF_PARAMETERS - _DECLARED
        alone = [frozenset((one,)) for one in sorted(asked.kinds & _DECLARED)]
        for kinds in filter(None, (ports, asked.kinds & _OF_PARAMETERS, *alone)):
            add_listed(page, unit, kinds)
    if units and asked.connected:
        _add_connections(page, queries, asked, units[0], moved)
    page.add(f"`hdlgraph show {asked.unit}` lists all of it.")
    if len(units) > MAX_UNITS:
        page.add(
            f"and {len(units) - MAX_UNITS} more units of the name: `hdlgraph show {asked.unit}`"
        )
    return bool(units)


_OF_PARAMETERS = frozenset(("parameter", "localparam"))
_DECLARED = frozenset(("function", "task", "type"))


def _asked(question: str, queries: Queries) -> _Asked | None:
    """Returns what a question asks of one unit, None where a word asks for something else."""
    words = {word.lower() for word in _WORD.findall(question)}
    if not words & ({*_KINDS} | _INTO | _FROM):
        return None
    units, others = units_written(question, queries.graph())
    if len(units) != 1:
        return None
    rest = {word.lower() for word in others}
    kinds = frozenset(_KINDS[word] for word in rest & {*_KINDS})
    rest -= {*_KINDS} | _ASKING
    if not rest:
        return _Asked(units[0], kinds, False) if kinds else None
    flows = rest <= _INTO | _FROM | _FLOWS and not kinds
    if flows and bool(rest & _INTO) != bool(rest & _FROM):
        return _Asked(units[0], frozenset(("input" if rest & _INTO else "output",)), True)
    return None


def add_listed(
    page: FactPage, unit: Mapping[str, Any], kinds: Collection[str], most: int = MAX_LISTED
) -> None:
    """Adds how many ports or parameters of these kinds a unit has, then their lines.

    Args:
        page: grows.
        unit: a definition as `hdlgraph show` gives it.
        kinds: `port`, `input`, `output`, `inout`, `interrupt`, `parameter`, `localparam`.
        most: of more than so many only the number is told.
    """
    rows = _of_kinds(unit, kinds)
    own, word = unit["name"], _name_of(kinds)
    if not rows:
        page.fact(f"{own} has no {word}s.", (own,), unit["path"], unit["line"])
        return
    count = f"{len(rows)} {word}{'s' * (len(rows) != 1)}"
    parts = Counter(_direction(row) for row in rows) if word == "port" else Counter[str]()
    told = ", ".join(f"{parts[one]} {one}" for one in sorted(parts)) if len(parts) > 1 else ""
    ending = ":" if len(rows) <= most else "."
    text = f"{own} has {count}{f' ({told})' if told else ''}{ending}"
    page.state(text, unit["path"], unit["line"])
    _add_conditions(page, rows)
    if len(rows) > most:
        return
    for path in dict.fromkeys(row["path"] for row in rows):
        numbers = sorted({row["line"] for row in rows if row["path"] == path})
        source = page.source(path)
        if not {"input", "output", "inout"} & {*kinds}:  # none is left out between them
            numbers = _with_comments(source.lines, numbers)
        page.code(path, source, numbers)


def _with_comments(lines: Sequence[str], numbers: Sequence[int]) -> list[int]:
    """Returns the lines of ports with the comment lines directly above each."""
    found = {*numbers}
    for number in numbers[1:]:
        while number > numbers[0] and lines[number - 2].strip().startswith("//"):
            number -= 1
            found.add(number)
    return sorted(found)


def _add_conditions(page: FactPage, rows: Sequence[Mapping[str, Any]]) -> None:
    """Adds how many of the rows are there under an `ifdef` alone."""
    for condition, count in sorted(Counter(row["condition"] for row in rows).items()):
        if condition:
            page.add(f"{count} of them if {condition}")


def _of_kinds(unit: Mapping[str, Any], kinds: Collection[str]) -> list[Mapping[str, Any]]:
    """Returns the ports and parameters of a unit that are of some kinds, in their order."""
    ports = [row for row in unit["ports"] if "port" in kinds or _direction(row) in kinds]
    for kind in sorted({*_CARRIED} & {*kinds}):
        ports = [row for row in unit["ports"] if _CARRIED[kind] & {*_parts(row)}]
    if _DECLARED & {*kinds}:
        return [row for row in (*unit["routines"], *unit["types"]) if row["kind"] in kinds]
    if unit["kind"] == "package" and "parameter" in kinds:
        kinds = _OF_PARAMETERS  # a package's parameters are constants all the same
    return [*ports, *(row for row in unit["parameters"] if _direction(row) in kinds)]


def _direction(row: Mapping[str, Any]) -> str:
    """Returns `input`, `parameter` and so on: the first word of what is declared."""
    return str(row["detail"]).split(" ", 1)[0]


def _parts(row: Mapping[str, Any]) -> list[str]:
    """Returns the parts of a port's name in small letters."""
    return [part.lower() for part in split_identifier(str(row["name"]).rpartition(".")[2])]


def _name_of(kinds: Collection[str]) -> str:
    """Returns one word for some kinds: `port` for inputs and outputs together."""
    if _OF_PARAMETERS & {*kinds}:
        return "parameter" if "parameter" in kinds else "localparam"
    if carried := sorted({*_CARRIED} & {*kinds}):
        return f"{carried[0]} port"
    return next(iter(kinds)) if len(kinds) == 1 else "port"


def _add_connections(
    page: FactPage,
    queries: Queries,
    asked: _Asked,
    unit: Mapping[str, Any],
    moved: Collection[str],
) -> None:
    """Adds the lines of the first instances of a unit that connect its ports of a direction."""
    names = {row["name"].rpartition(".")[2] for row in _of_kinds(unit, asked.kinds)}
    found = [one for one in instances_of(queries.graph(), asked.unit) if one[0] not in moved]
    for path, line, name in found[:MAX_INSTANCES]:
        page.add(f"Connected in the instance {name}:")
        one = page.instance(path, line)
        if one is None:
            page.code(path, page.source(path), [line])
            continue
        rows = page.source(path).lines[one.line - 1 : one.end_line]
        numbers = [one.line + at for at, row in enumerate(rows) if _connects(row, names)]
        page.code(path, page.source(path), numbers or range(one.line, one.end_line + 1))
    if len(found) > MAX_INSTANCES:
        page.add(f"- and {len(found) - MAX_INSTANCES} more instances: `hdlgraph who {asked.unit}`")


def _connects(row: str, names: Iterable[str]) -> bool:
    """Returns whether a line connects one of some ports by name."""
    return not {*re.findall(r"\.\s?([A-Za-z_$][\w$]*)", row)}.isdisjoint(names)
