"""Tells how the bodies of two units differ: clocks and resets of registers, then lines of code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from hdlgraph.errors import HdlgraphError
from hdlgraph.parsers.text.source import without_comments
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.facts.page import FactPage

MAX_REGISTERS = 6  # of unlike clock or reset
STEPS = 12  # places that drive a register
MAX_HUNKS = 8  # places that differ
MAX_SHOWN = 8  # lines of each unit at such a place
LONGEST = 1500  # lines of code of each unit that are compared
ALIKE = 0.25  # share of lines in both below which places are not told one by one
_BRINGS = re.compile(r"`(?!(?:ifn?def|elsif|else|endif|undef|timescale)\b)[A-Za-z_]")


class Body(NamedTuple):
    """The code of a unit: its lines without comments, each with its number, and whether all are."""

    unit: Mapping[str, Any]
    texts: list[str]
    numbers: list[int]
    whole: bool


class Timed(NamedTuple):
    """What a register waits for, in words, the line of the process, and its reset signals."""

    text: str
    line: int
    resets: tuple[str, ...] = ()


def add_bodies(
    page: FactPage, queries: Queries, first: Mapping[str, Any], second: Mapping[str, Any]
) -> None:
    """Adds how the registers and the code of two units differ, each line cited on its side."""
    _timing(page, queries, first, second)
    ours, theirs = body(page, first), body(page, second)
    if ours.texts or theirs.texts:
        _lines(page, ours, theirs)


def _timing(
    page: FactPage, queries: Queries, first: Mapping[str, Any], second: Mapping[str, Any]
) -> None:
    """Adds the registers of both units whose clock or reset is another one."""
    ours, theirs = _registers(queries, first), _registers(queries, second)
    unlike = [
        (name, ours[name], theirs[name])
        for name in ours
        if name in theirs and ours[name].text != theirs[name].text
    ]
    for name, one, other in unlike[:MAX_REGISTERS]:
        one, other = (
            _tested(queries, first, name, one, other),
            _tested(queries, second, name, other, one),
        )
        page.state(f"- in {first['name']} {name} {one.text}", first["path"], one.line)
        page.state(f"- in {second['name']} {name} {other.text}", second["path"], other.line)
    if len(unlike) > MAX_REGISTERS:
        names = ", ".join(name for name, _, _ in unlike[MAX_REGISTERS : 4 * MAX_REGISTERS])
        page.add(f"- and {len(unlike) - MAX_REGISTERS} more registers are timed otherwise: {names}")


def _registers(queries: Queries, unit: Mapping[str, Any]) -> dict[str, Timed]:
    """Returns by which clock and reset each register of a unit changes."""
    try:
        clocks, resets = queries.clocks(unit["id"]), queries.resets(unit["id"])
    except HdlgraphError:
        return {}
    words: dict[str, list[str]] = {}
    lines: dict[str, int] = {}
    for clock in clocks:
        for name in clock.registers if clock.path == unit["path"] else ():
            words.setdefault(name, []).append(f"changes @({clock.edge} {clock.signal})")
            lines.setdefault(name, clock.line)
    by: dict[str, list[str]] = {}
    for reset in resets:
        values = {name: value for name, value, _ in reversed(reset.values)}
        for name in sorted(values.keys() & words.keys()):
            value = f" to {values[name]}" if values[name] else ""
            kind = f"is reset{value} {reset.kind}ly by {reset.signal} (active {reset.active})"
            words[name].append(kind)
            by.setdefault(name, []).append(reset.signal)
            lines[name] = reset.line
    return {
        name: Timed(" and ".join(dict.fromkeys(said)), lines[name], tuple(by.get(name, ())))
        for name, said in words.items()
    }


def _tested(
    queries: Queries, unit: Mapping[str, Any], register: str, own: Timed, other: Timed
) -> Timed:
    """Returns how a register is timed, with what it gets where a reset of the other is tested."""
    missing = [name for name in other.resets if name not in own.resets]
    if own.resets or not missing:
        return own
    try:
        whole = f"signal:{unit['path']}#{unit['name']}.{register}"
        steps = queries.trace(whole, ("drivers",), 1, STEPS)["drivers"]["nets"][0]["steps"]
    except (HdlgraphError, IndexError):
        return own
    for step in steps:
        tested = re.fullmatch(r"[!~]?\s*\(?(\w+)\)?", step["condition"])
        if tested and tested[1] in missing and step["value"]:
            text = f"{own.text} and gets {step['value']} there if {step['condition']}"
            return own._replace(text=f"{text} (synchronously)")
    return own


def body(page: FactPage, unit: Mapping[str, Any]) -> Body:
    """Returns the code of a unit without its ports and parameters, which are compared apart."""
    path, name = unit["path"], unit["name"]
    lines = without_comments(page.source(path).text).split("\n")
    apart = {unit["line"]}
    for key in ("ports", "parameters"):
        apart |= {one["line"] for one in unit.get(key, ()) if one["path"] == path}
    own = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    texts, numbers = [], []
    for number in range(unit["line"], min(unit["end_line"], len(lines)) + 1):
        text = " ".join(lines[number - 1].split())
        if number not in apart and re.search(r"\w", text):
            texts.append(own.sub("UNIT", text))
            numbers.append(number)
    return Body(unit, texts[:LONGEST], numbers[:LONGEST], len(texts) <= LONGEST)


def _lines(page: FactPage, ours: Body, theirs: Body) -> None:
    """Adds the lines that one of two bodies alone has, at the first places that differ."""
    names = ours.unit["name"], theirs.unit["name"]
    matcher = SequenceMatcher(None, ours.texts, theirs.texts, autojunk=len(ours.texts) > 400)
    places = [one for one in matcher.get_opcodes() if one[0] != "equal"]
    alike = sum(block.size for block in matcher.get_matching_blocks())
    alone = len(ours.texts) - alike, len(theirs.texts) - alike
    limit = "" if ours.whole and theirs.whole else f" of the first {LONGEST}"
    told = f"Lines of code{limit}, without comments: {alike} alike"
    page.add(
        f"{told}, {alone[0]} of {names[0]} alone, {alone[1]} of {names[1]} alone."
        if places
        else f"{told}, none of one alone."
    )
    total = len(ours.texts) + len(theirs.texts)
    if places and 2 * alike < ALIKE * total:
        page.add("The two are written so differently that the places are not told one by one.")
        places = []
    for _, begin, end, other, last in places[:MAX_HUNKS]:
        _place(page, ours, range(begin, end))
        _place(page, theirs, range(other, last))
    if len(places) > MAX_HUNKS:
        page.add(f"- and {len(places) - MAX_HUNKS} more places that differ")
    page.add(_left_out([*ours.texts, *theirs.texts]))


def _place(page: FactPage, one: Body, at: Sequence[int]) -> None:
    """Adds the lines that a body alone has at a place that differs."""
    if not at:
        return
    more = f", the first {MAX_SHOWN} of {len(at)} lines" if len(at) > MAX_SHOWN else ""
    page.add(f"- only {one.unit['name']}{more}:")
    numbers = [one.numbers[number] for number in at[:MAX_SHOWN]]
    page.code(one.unit["path"], page.source(one.unit["path"]), numbers)


def _left_out(texts: Iterable[str]) -> str:
    """Returns what the comparison of two bodies leaves out, in words."""
    macros = any(_BRINGS.search(text) for text in texts)
    brought = "what macros and included files bring in, and " if macros else ""
    return f"Compared as they are written: {brought}what the units below do is not compared."
