"""Answers with plusargs, covergroups and assertions that a question asks for by name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hdlgraph.errors import HdlgraphError
from hdlgraph.parsers.text.source import without_comments
from hdlgraph.query.answer.direct.benches.lines import Statement, add_statements, words_of
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import plain
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.design.names import is_unit
from hdlgraph.results import SearchResult

FILES = 400  # that are read for a name
_PLUS = re.compile(
    r'\$(?:test|value)\$plusargs\s*\(\s*"([^"\n]{1,200})"|get_arg_\w+\s*\(\s*"\+([^"\n]{1,200})"'
)
_GROUP = re.compile(r"(?<![\w$])covergroup\s+(\w+)")
_POINT = re.compile(r"(?<![\w$])(?:(\w+)\s*:\s*)?(coverpoint|cross)\b")
_ENDS = re.compile(r"(?<![\w$])endgroup\b")
_UNIT = r"(?:class|module|interface|test|component|unit|package|env|environment|file)"
_CHECKS = re.compile(
    rf"(?:which|what|list (?:all |the )*) ?(?:named )?(?:assertions?|properties|checks)"
    rf" (?:does|do|are|is) (?:there )?(?:in |inside |defined in |of )?(?:the )?(?:{_UNIT} )?"
    r"(?P<x>\w+)(?: (?:have|has|contain|define|declare|check)s?)?\b",
    re.I,
)


def add_texts(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds what the text of a named class or unit says; False where none is asked for."""
    known = queries.verification()
    if known is None:
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    asked = plain(question)
    return any(add(page, asked, queries, moved) for add in (_plusargs, _groups, _checks))


def _units(queries: Queries, question: str) -> list[tuple[str, str, int, int]]:
    """Returns (name, path, first line, last line) of the one unit or class that is named."""
    graph = queries.graph()
    nodes = graph.nodes
    kinds, names, paths = (nodes.column(key) for key in ("kind", "name", "path"))
    found = {}
    for word in words_of(question):
        rows = [
            row
            for row in graph.ending(word)
            if is_unit(kinds[row]) and paths[row] and names[row].rpartition(".")[2] == word
        ]
        if rows:
            found[word] = rows
    if len(found) > 1:
        found = {word: rows for word, rows in found.items() if "_" in word}
    if len(found) != 1:
        return []
    ((name, rows),) = found.items()
    lines, ends = nodes.column("line"), nodes.column("end_line")
    return sorted({(name, paths[row], lines[row], ends[row]) for row in rows})


def _code(page: FactPage, path: str, first: int, last: int) -> Iterator[tuple[int, str]]:
    """Yields (number, text) of the lines of a file between two, without comments."""
    text = without_comments(page.source(path).text)
    yield from enumerate(text.split("\n")[first - 1 : last], first)


def _whole(page: FactPage, path: str) -> Iterator[tuple[int, str]]:
    return _code(page, path, 1, len(page.source(path).lines))


def _plusargs(page: FactPage, question: str, queries: Queries, moved: set[str]) -> bool:
    """Adds the plusargs that a unit reads, or who reads one; False where none is asked for."""
    if not re.search(r"\bplus[- ]?arg(?:ument)?s?\b", question, re.I):
        return False
    units = _units(queries, question)
    if units:
        statements = [
            Statement(one, path, number)
            for _, path, first, last in units
            for number, text in _code(page, path, first, last)
            for one in plusargs(text)
        ]
        name = units[0][0]
        return add_statements(
            page, f"{name} reads the plusargs:", statements, moved, f"search '{name} plusargs'"
        )
    named = re.search(r"\bplus[- ]?arg(?:ument)? \+?['\"`]?(\w+)|\+(\w+)", question, re.I)
    name = next(filter(None, named.groups()), "") if named else ""
    statements = [
        Statement(f"in {path.rpartition('/')[2]}", path, number)
        for path in (queries.holding(name)[:FILES] if name else ())
        for number, text in _whole(page, path)
        if name in plusargs(text)
    ]
    return add_statements(
        page, f"The plusarg {name} is read by:", statements, moved, f"search '{name} plusargs'"
    )


def plusargs(text: str) -> list[str]:
    """Returns the names of the plusargs that a line reads."""
    found = (one or two for one, two in _PLUS.findall(text))
    return [one.lstrip("+").partition("=")[0] for one in found]


def _groups(page: FactPage, question: str, queries: Queries, moved: set[str]) -> bool:
    if re.search(r"\bsampl(?:es?|ed|ing)\b", question, re.I):
        named = [one for one in words_of(question) if "_" in one]
        name = named[0] if len(named) == 1 else ""
        if name and _sampled(page, name, queries, moved):
            return True
    if not re.search(r"\bcover ?(?:groups?|points?)\b", question, re.I):
        return False
    units = _units(queries, question)
    statements = [
        one
        for _, path, first, last in units
        for one in groups(path, list(_code(page, path, first, last)))
    ]
    return bool(units) and add_statements(
        page, f"Covergroups of {units[0][0]}:", statements, moved, f"show {units[0][0]}"
    )


def groups(path: str, lines: list[tuple[int, str]]) -> Iterator[Statement]:
    """Yields the covergroups of some lines of a file, each before what it covers."""
    inside = False
    for number, text in lines:
        found = _GROUP.search(text)
        if found:
            inside = True
            yield Statement(f"covergroup {found[1]}", path, number)
        point = _POINT.search(text) if inside else None
        if point:
            yield Statement(f"  {point[2]} {point[1] or ''}".rstrip(), path, number)
        if _ENDS.search(text):
            inside = False


def _sampled(page: FactPage, name: str, queries: Queries, moved: set[str]) -> bool:
    """Adds where a covergroup is declared and where it is sampled; False where none is."""
    statements: list[Statement] = []
    declared = False
    call = re.compile(rf"(?<![\w$]){re.escape(name)}(?:\s*\[[^\]]*\])?\s*\.\s*sample\s*\(")
    for path in queries.holding(name)[:FILES]:
        for number, text in _whole(page, path):
            group = _GROUP.search(text)
            if group and group[1] == name:
                declared = True
                statements.insert(0, Statement("declared", path, number))
            elif call.search(text):
                statements.append(Statement(f"sampled in {path.rpartition('/')[2]}", path, number))
    return declared and add_statements(
        page, f"The covergroup {name}:", statements, moved, f"who {name}"
    )


def _checks(page: FactPage, question: str, queries: Queries, moved: set[str]) -> bool:
    asked = _CHECKS.match(question)
    if asked is None:
        return False
    name = asked["x"]
    try:
        found = [one for one in queries.checks(name) if one.name]
    except HdlgraphError:
        return False
    statements = [
        Statement(f"{one.kind} {one.name}", one.path, one.line)
        for one in found
        if one.kind not in ("covergroup", "clocking", "property", "sequence")
    ]
    return add_statements(page, f"Assertions of {name}:", statements, moved, f"show {name}")
