"""Lines of a unit that name a signal where flow tells of none: in checks and as macros' arguments.

Sequences, properties, covergroups and calls name signals, and so does what is handed to a macro
that stands for nothing in the build that was read, or that no file defines.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.parsers.text.outline import kept_outline
from hdlgraph.parsers.text.source import without_comments
from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.design.names import is_unit
from hdlgraph.query.mentions.lines import (
    SURE,
    Line,
    Sources,
    inside,
    matching,
    owner_of,
    tests,
    use,
)

MOST = 8
"""Signals of one name, beyond which none is looked for."""
FILES = 40
"""Files that stand inside of a unit by an include, which are looked at."""
KINDS = frozenset("assertion macro other call".split())
"""Statements that name signals and assign none."""
_ROUTINES = frozenset(("function", "task"))
_DECLARES = r"\b(?:input|output|inout|ref|var|logic|reg|bit|int|integer|byte|automatic)\b[^;()]*?"


def named(
    graph: Graph, sources: Sources, rows: Iterable[int], known: Collection[tuple[str, int]]
) -> list[dict[str, Any]]:
    """Returns the lines inside of the units of signals that name them, by path and line.

    Args:
        graph: the design graph.
        sources: texts and words of the index.
        rows: ports and signals; none are looked for where there are more than MOST.
        known: (path, line) of uses that are told already, or of the statements around them.
    """
    rows, nodes = list(rows), graph.nodes
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for row in rows if len(rows) <= MOST else ():
        owner, name = owner_of(graph, row), nodes.column("name")[row].rpartition(".")[2]
        if owner < 0 or not is_unit(nodes.column("kind")[owner]):
            continue
        home = nodes.column("path")[row]
        span = nodes.column("line")[owner], nodes.column("end_line")[owner]
        for path in (home, *sorted(inside(graph, owner, home))[:FILES]):
            first, last = span if path == home else (1, 0)
            for line in _lines(path, sources.text(path), name, known):
                if first <= line.number and (not last or line.number <= last):
                    place = line.path, line.number
                    if place not in known:
                        found[place] = use(graph, row, line, sure=SURE, resolved="unique")
    return [found[place] for place in sorted(found)]


def _lines(path: str, text: str, name: str, known: Collection[tuple[str, int]]) -> Iterator[Line]:
    """Yields the lines of statements that name a signal and of which nothing is told."""
    word = re.compile(rf"(?<![\w$.`:]){re.escape(name)}(?![\w$])")
    if name not in text:
        return
    outline = kept_outline(text)
    for number, line in matching(text, re.compile(rf"{re.escape(name)}(?![\w$])")):
        code = without_comments(line)
        if not word.search(code):
            continue
        one = outline.at(number)
        if one is None or tests(line, name) or not (one.kind in KINDS or _expands(one, code)):
            continue
        told = any((path, at) in known for at in range(one.line, one.end_line + 1))
        if not (told and one.kind in KINDS) and not _is_local(one, name):
            yield Line(path, number, line)


def _expands(one: Statement, code: str) -> bool:
    """Returns whether a line of another statement holds a macro, which may hide what it reads."""
    return one.kind != "unit" and "`" in code


def _is_local(one: Statement, name: str) -> bool:
    """Returns whether a routine around a statement declares the name anew."""
    declares = re.compile(rf"{_DECLARES}\b{re.escape(name)}(?![\w$])")
    return any(outer.kind in _ROUTINES and declares.search(outer.text) for outer in one.around())
