"""Answers which assertion checks what a question says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hdlgraph.errors import HdlgraphError
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import units_named
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.design.names import is_unit
from hdlgraph.query.signals.records import Check
from hdlgraph.results import SearchResult
from hdlgraph.words import content_stems, split_identifier, stem

FILES, UNITS = 8, 24  # first hits, and units in them, whose assertions are compared
MOST = 3  # assertions that are told
LEAST = 2  # words of the question that one has
MOSTLY = 0.5  # share of the words of a question that names no unit
ABOVE, TALL = 3, 12  # lines of the comment above one, and of its statement
_ASKED = re.compile(
    r"^\W*(?:is there (?:an? )?|(?:which|what|where is the|show the) )"
    r"(?:\w+ )?(?:assertions?|assert|sva|propert(?:y|ies)|checks?)\b(?: \w+){0,3}? ?"
    r"(?:that |which |to )?(?:checks?|ensures?|guards?|makes sure|verif(?:y|ies)|fires?|fails?"
    r"|catch(?:es)?|proves?|prevents?|covers?|states?|says?|for|on|against|about)\b",
    re.I,
)
_OWN = frozenset(
    stem(word)
    for word in "assert assertion check checks property sva ensure guard verify fire fail catch "
    "prove prevent cover that never always not must is are no when if".split()
)
_KINDS = ("covergroup", "clocking", "sequence")


def add_asserted(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the assertions that have most words of a question; False where it asks for none.

    Their own words count, and those of their messages and of the comment above. Of a unit that
    the question names all its words may stand in the unit's name.
    """
    if not _ASKED.match(question):
        return False
    asked = {word for word in content_stems(question) if word not in _OWN}
    named = units_named(question, queries.graph())
    wanted = asked.difference(*map(_of_name, named))
    moved = {*result.stale.changed, *result.stale.removed}
    units = named or list(dict.fromkeys(_units(queries, result)))[:UNITS]
    scored: list[tuple[int, int, Check]] = []
    for unit in units:
        for one in _checks(queries, unit):
            if one.path not in moved and one.kind not in _KINDS and one.name:
                shared = wanted & _words(page, one)
                if named or shared - _of_name(unit):  # a unit's name alone tells none apart
                    scored.append((-len(shared), len(scored), one))
    scored.sort(key=lambda each: each[:2])
    best = -scored[0][0] if scored else 0
    if best < (1 if named else max(LEAST, MOSTLY * len(wanted))):
        return False
    told = [one for shared, _, one in scored if -shared == best]
    if len(told) > 2 * MOST:
        return False  # words that all of them have
    for one in told[:MOST]:
        page.add(f"{one.kind} {one.name} in {one.unit}:")
        page.code(one.path, page.source(one.path), _lines(page, one))
    if len(told) > MOST:
        page.add(f"- and {len(told) - MOST} more: `hdlgraph show {told[0].unit}` lists all")
    return True


def _units(queries: Queries, result: SearchResult) -> Iterator[str]:
    """Yields the units of the first files that were found."""
    nodes = queries.graph().nodes
    kinds, names, paths = (nodes.column(key) for key in ("kind", "name", "path"))
    of_path: dict[str, list[str]] = {}
    for row, kind in enumerate(kinds):
        if is_unit(kind) and paths[row]:
            of_path.setdefault(paths[row], []).append(names[row])
    for hit in result.hits[:FILES]:
        yield from of_path.get(hit.path, ())


def _checks(queries: Queries, unit: str) -> list[Check]:
    try:
        return queries.checks(unit)
    except HdlgraphError:
        return []


def _words(page: FactPage, one: Check) -> set[str]:
    """Returns the stems of what an assertion and its unit are called, checks, and its comment."""
    lines = page.source(one.path).lines
    comment = " ".join(lines[number - 1] for number in _above(lines, one.line))
    text = f"{one.unit} {one.name} {one.text} {one.message} {comment}"
    return {stem(part) for word in re.findall(r"\w+", text) for part in split_identifier(word)}


def _of_name(name: str) -> set[str]:
    """Returns the stems of the parts of a name."""
    return {stem(part) for part in split_identifier(name)}


def _above(lines: list[str], line: int) -> range:
    """Returns the lines of the comment right above one."""
    first = line
    while first > 1 and line - first < ABOVE and lines[first - 2].strip().startswith("//"):
        first -= 1
    return range(first, line)


def _lines(page: FactPage, one: Check) -> range:
    """Returns the lines of an assertion with the comment above it, down to where it ends."""
    lines = page.source(one.path).lines
    depth, last = 0, one.line
    is_macro = "`" in lines[one.line - 1]
    for number in range(one.line, min(one.line + TALL, len(lines)) + 1):
        code, last = lines[number - 1].partition("//")[0], number
        depth += code.count("(") - code.count(")")
        ends = "endproperty" in code if one.kind == "property" else is_macro or ";" in code
        if depth <= 0 and ends:
            break
    return range(_above(lines, one.line).start, last + 1)
