"""Which signals of which units a question names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.facts.ends import owned
from hdlgraph.query.design.names import is_unit, matching
from hdlgraph.query.question.analyse import identifiers
from hdlgraph.results import SearchResult

SIGNALS = 2  # of a question that are told
JOINED = 4  # words that together may be a unit's name
OWNERS = 2  # units with a signal of the name, where the question names none
SUFFIXES = ("", "_q", "_r", "_reg", "_ff")
"""What the register is called that a question names by its stem, the likeliest first."""
_W = r"([A-Za-z_$][\w$]*)"
_WORD = re.compile(_W)
_POSSESSIVE = re.compile(r"(?<=\w)['’]s?(?!\w)")
_OF = re.compile(
    rf"\b{_W} (?:signals? |ports? |outputs? |inputs? |registers? )?"
    rf"(?:of|in|on|at|from|inside|within) (?:the )?(?:module |unit |block )?(?={_W})"
)
"""The second word is not taken: in "value of a in b" it is the first word of the next pair."""
DOTTED = re.compile(r"(?<![\w.$/])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?![\w$/]|\.\w)")
"""A name with dots: of a unit, of generate blocks, of a member; a full stop may follow."""
_RESET_OF = re.compile(
    r"\b(?:reset|initial|power[- ]?(?:up|on)) (?:value|state|level)s? (?:of|for) (?:the )?"
    r"(?:register |signal |csr )?([A-Za-z_]\w*)\b(?!\.\w)"
    r"|\bwhat (?:does|is|do) (?:the )?(?:register |signal )?([A-Za-z_]\w*) "
    r"(?:resets?|reset|initiali[sz]ed?) to\b"
    r"|\b([A-Za-z_]\w*)(?:'s)? (?:reset|initial) value\b(?! (?:of|for)\b)",
    re.I,
)

_TAIL = re.compile(r"(?:[\s?.!]|,? please)+$")
"""What ends a question, one sign at a time: runs of runs would double the time with each sign."""


def plain(question: str) -> str:
    """Returns a question without what ends it."""
    return _TAIL.sub("", question.strip())


class Subject(NamedTuple):
    """A signal by name, the unit that declares it, and the place of its declaration."""

    unit: str
    signal: str
    path: str
    line: int


def subjects(
    question: str, graph: Graph, result: SearchResult, reset: bool
) -> tuple[list[Subject], list[tuple[str, str]]]:
    """Returns the signals that a question names, and (signal, unit) where the unit has none.

    Args:
        question: as asked.
        graph: the design graph.
        result: what search found: of several units with the signal, those of its first files.
        reset: whether a stem may name its register.
    """
    units = {two: one for one, two in _OF.findall(question) if unit_at(graph, two)}
    known = {one: two for two, one in units.items()}
    units |= {one: "" for one in identifiers(question) if unit_at(graph, one)}
    names = [one for one in identifiers(question) if one not in units]
    if reset:
        names += [next(filter(None, one)) for one in _RESET_OF.findall(question)]
    names += [two for two in known if two not in units]
    dotted = [one.split(".") for one in DOTTED.findall(question) if one.count(".") == 1]
    names += [f"{a}.{b}" for a, b in dotted if owned(graph, a) or _is_signal_of(graph, b, a)]
    names += [one for one, two in known.items() if one in units and _is_signal_of(graph, one, two)]
    called = set(units_named(question, graph)) - {*names}
    found: list[Subject] = []
    lacking: list[tuple[str, str]] = []
    for name in dict.fromkeys(names):
        if "." in name:
            found += _dotted(graph, name, result)
            continue
        unit = known.get(name, "")
        owners = owners_of(graph, name, reset, unit)
        meant = [one for one in owners if one.unit == unit]
        if not meant and unit and "_" in name and (owners or not matching(graph, name)):
            lacking.append((name, unit))
            continue
        if not owners and "_" in name and not matching(graph, name):
            return [], []  # of something that no code has: the answer begins with that
        meant = meant or [one for one in owners if one.unit in units]
        meant = meant or [one for one in owners if reset and one.unit in called]
        sole = len({one.unit for one in owners}) == 1 and name not in known
        if not meant and ("_" in name or sole):  # a plain word of several units needs its unit
            meant = ranked(owners, result)
        found += meant[:OWNERS]
    return found[:SIGNALS], lacking


def _is_signal_of(graph: Graph, name: str, unit: str) -> bool:
    """Returns whether a unit has a signal that is called as another unit is."""
    return unit_at(graph, name) is not None and any(
        one[0] == unit for one in owned(graph, f"{unit}.{name}")
    )


def _dotted(graph: Graph, name: str, result: SearchResult) -> list[Subject]:
    """Returns the signal of `UNIT.SIGNAL`, or the member of `SIGNAL.MEMBER`."""
    own, _, last = name.rpartition(".")
    meant = [one for one in owners_of(graph, last, False, own) if one.unit == own]
    if meant or "." in own:
        return meant[:OWNERS]
    holders = ranked(owners_of(graph, own, False), result)
    return [one._replace(signal=f"{one.signal}.{last}") for one in holders]


def units_named(question: str, graph: Graph) -> list[str]:
    """Returns the units that a question names as they are called, in its order, each once."""
    return [one for one in dict.fromkeys(_WORD.findall(question)) if unit_at(graph, one)]


def units_written(question: str, graph: Graph) -> tuple[list[str], list[str]]:
    """Returns the units that a question names, each once, and its other words, in order.

    A unit is written as it is called, or with blanks for its underscores: "uart rx" for uart_rx.
    """
    question = _POSSESSIVE.sub("", question)
    words, units, others, at = _WORD.findall(question), list[str](), list[str](), 0
    while at < len(words):
        for count in range(min(JOINED, len(words) - at), 0, -1):
            name = "_".join(words[at : at + count])
            name = name if count == 1 else name.lower()
            if unit_at(graph, name):
                units.append(name)
                break
        else:
            count = 1
            others.append(words[at])
        at += count
    return list(dict.fromkeys(units)), others


def unit_at(graph: Graph, name: str) -> tuple[str, str, int] | None:
    """Returns (kind, path, line) of the unit that is called exactly so, None without one."""
    nodes = graph.nodes
    kinds, names = nodes.column("kind"), nodes.column("name")
    for row in graph.ending(name):
        if is_unit(kinds[row]) and names[row] == name and nodes.column("path")[row]:
            return kinds[row], nodes.column("path")[row], nodes.column("line")[row]
    return None


def owners_of(graph: Graph, name: str, reset: bool, unit: str = "") -> list[Subject]:
    """Returns the signals of a name, as its register too: of a unit, else of any.

    Where the unit has none, those of the design come before those of tests.
    """
    suffixes = SUFFIXES if reset else SUFFIXES[:1]
    found = [
        Subject(one, name + suffix, path, line)
        for suffix in suffixes
        for one, _, path, line in owned(graph, name + suffix)
    ]
    own = [one for one in found if one.unit == unit]
    if unit and not own:  # another thing may be called so
        own = [
            Subject(unit, name + suffix, path, line)
            for suffix in suffixes
            for one, _, path, line in owned(graph, f"{unit}.{name}{suffix}")
            if one == unit
        ]
    design = [one for one in found if of_design(one.path)] or found
    if own and own[0] not in design:
        design = own
    return [one for one in design if one.signal == design[0].signal]


def ranked(owners: Sequence[Subject], result: SearchResult) -> list[Subject]:
    """Returns the only owners, else those in the file found first that has one."""
    if len({one.unit for one in owners}) <= 1:
        return list(owners[:1])
    paths = [hit.path for hit in result.hits]
    for path in sorted(paths, key=lambda path: not of_design(path)):
        here = [one for one in owners if one.path == path]
        if here:
            return here[:1]
    return []
