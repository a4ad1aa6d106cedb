"""Answers what something is after reset that a question names in words: "the program counter".

The signals are looked for in the files that search finds first; those are told of which the design
says a reset value.
"""

from __future__ import annotations

import re

from hdlgraph.graph.graph import Graph
from hdlgraph.knowledge.abbreviations import abbreviations
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.drivers.signals import add_drivers
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import Subject
from hdlgraph.query.answer.facts.ends import SIGNALS
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.question.aims import Aim, aims_of
from hdlgraph.results import SearchResult
from hdlgraph.words import content_stems, split_identifier, stem

FILES, TRACED, TOLD = 6, 10, 2
"""First files that are looked at, signals of them that are followed, and those told."""
BESIDE = 2  # parts that a name may have beside the words
_THING = r"(?:the |an? )?((?:[\w'-]+ ){0,3}?[\w'-]+)"
_RESET = r"(?:reset|power[- ]?(?:up|on)|start[- ]?up)"
_WHEN = r"(?:on|at|after|during|upon|in|by|under|following|out of|from)"
_AT = rf"{_WHEN} (?:a |the |an )?(?:\w+ )?{_RESET}"
_ASKED = tuple(
    re.compile(form, re.I)
    for form in (
        rf"\bwhat happens (?:to|with) {_THING} {_AT}\b",
        rf"\b{_AT} what happens (?:to|with) {_THING}\s*\??$",
        rf"\bwhat (?:value |state )?(?:does|do|is|are|has|have) {_THING} "
        rf"(?:have |take |get |do |hold |(?:start|begin) (?:with|at) |set to |load(?:ed)? )?"
        rf"(?:value )?{_AT}\b",
        rf"\b(?:reset|initial) (?:value|state|level|address)s? (?:of|for) {_THING}\s*(?:\?|$|in\b)",
        rf"\bwhat (?:does|do|is|are) {_THING} (?:get )?(?:reset|resets|initiali[sz]ed|set) to\b",
        rf"\bto what (?:value )?(?:is|are|does) {_THING} (?:reset|initiali[sz]ed|set)\b",
    )
)
_ZERO = re.compile(
    r" resets to (?:\d*'s?[bodh]?0+|'0|0|\{\S+ ?\{1'b0\}\}|'\{default: ?'?0\})(?= if|$)"
)
_SUFFIXES = frozenset("q r reg ff f o i cur current".split())
"""Parts of a name that say that it is a register, or which stage has it."""
_NOT = frozenset(map(stem, "value values register state signal csr field".split()))
_STAGE = re.compile(r"(?P<name>[A-Z]{2,})[A-Z]")
"""A name in capitals with the letter of a pipeline stage behind it."""


def add_after_reset(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the reset values of what a question names in words; False where none is known."""
    if Aim.RESET not in aims_of(question)[:1]:
        return False
    found = next(filter(None, (form.search(question) for form in _ASKED)), None)
    words = [one for one in content_stems(found[1]) if one not in _NOT] if found else []
    if not words:
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    near = [one for one in _signals(queries.graph(), words, result) if one.path not in moved]
    told = [(text, one) for one in near[:TRACED] if (text := _told(page, queries, one, moved))]
    # What starts with anything but zero says most: stages behind it are empty at first.
    told.sort(key=lambda one: bool(_ZERO.search(one[0])))
    for _, one in told[:TOLD]:
        add_drivers(page, queries, one, True, moved, False, frozenset())
    if len(told) > TOLD:
        names = ", ".join(f"{one.unit}.{one.signal}" for _, one in told[TOLD:])
        page.add(f"These have a reset value too: {names}.")
    return bool(told)


def _told(page: FactPage, queries: Queries, one: Subject, moved: set[str]) -> str:
    """Returns what would be told of the reset value of a signal, "" where none is known."""
    inner = FactPage(lambda path: page.source(path).text)
    add_drivers(inner, queries, one, True, moved, False, frozenset())
    return inner.text if inner.citations and " is driven in " not in inner.text else ""


def _signals(graph: Graph, words: list[str], result: SearchResult) -> list[Subject]:
    """Returns the signals with the words as their names, those with little beside them first."""
    short, nodes = _short(words), graph.nodes
    files = [hit.path for hit in result.hits if of_design(hit.path, hit.role)][:FILES]
    order = {path: number for number, path in enumerate(files)}
    columns = (nodes.column(key) for key in ("kind", "path", "name", "line", "detail"))
    found = []
    for kind, path, whole, line, detail in zip(*columns, strict=True):
        if path not in order or kind not in SIGNALS or detail.startswith("input"):
            continue
        unit, _, name = whole.rpartition(".")
        left = _left(name, words, short)
        if unit and left is not None and left <= BESIDE:
            found.append((left, order[path], int(line), Subject(unit, name, path, int(line))))
    return [one for *_, one in sorted(found)]


def _short(words: list[str]) -> frozenset[str]:
    """Returns the short forms of some words together."""
    return frozenset(
        short.lower()
        for short, long in abbreviations().items()
        if list(content_stems(long)) == words
    )


def _left(name: str, words: list[str], short: frozenset[str]) -> int | None:
    """Returns how many parts a name has beside the words, None where it has not all of them.

    Parts that only say that it is a register do not count.
    """
    stage = _STAGE.fullmatch(name)
    if stage and stage["name"].lower() in short | {"".join(words)}:
        return 1
    parts = [part for part in split_identifier(name) if part not in _SUFFIXES]
    stems = {stem(part) for part in parts}
    if {*words} <= stems:
        return len(stems) - len({*words})
    if short.intersection(parts) and len(parts) <= 1 + BESIDE:
        return len(parts)  # a short form says less than the words
    return None
