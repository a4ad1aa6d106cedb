"""The lines that name parameters, routines, types and macros, beside those that edges state."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from hdlgraph.graph.graph import Graph
from hdlgraph.model import NodeKind
from hdlgraph.query.design.names import matching as called
from hdlgraph.query.mentions.lines import (
    FILES,
    LIKELY,
    SURE,
    Line,
    Sources,
    holding,
    inside,
    is_inner,
    matching,
    naming,
    owner_of,
    scopes,
    seeing,
    tests,
    use,
)

MACRO, CLASS = NodeKind.MACRO.value, NodeKind.CLASS.value
ROUTINES = frozenset({NodeKind.FUNCTION.value, NodeKind.TASK.value})
TYPE = NodeKind.TYPE.value
KINDS = ROUTINES | {MACRO, NodeKind.PARAMETER.value, TYPE}
"""Kinds of names that edges alone do not follow into expressions."""
_END = re.compile(r"\bend(?:function|task)\s*:\s*$")
Place = tuple[str, int]


def uses_of(
    graph: Graph, sources: Sources, rows: Iterable[int], known: Collection[Place]
) -> list[dict[str, Any]]:
    """Returns the lines that name some nodes of KINDS, as `who` lists users, by path and line.

    Looked at are the unit around a name, or what imports or includes it, lines that name its
    package before it, and of a method of a class calls by a handle. A file that declares the name
    itself means its own.

    Args:
        graph: the design graph.
        sources: texts and words of the index.
        rows: the nodes, all of one name.
        known: (path, line) of uses that edges state.
    """
    rows = list(rows)
    nodes = graph.nodes
    taken = {*known, *((nodes.column("path")[row], nodes.column("line")[row]) for row in rows)}
    name = nodes.column("name")[rows[0]].rpartition(".")[2] if rows else ""
    homes = {nodes.column("path")[row] for row in (*rows, *called(graph, name))}
    found: dict[Place, dict[str, Any]] = {}
    for row in sorted(rows, key=lambda one: (not is_inner(graph, owner_of(graph, one)), one)):
        if nodes.column("kind")[row] == MACRO and found:
            continue  # another definition of the macro: its lines are those
        words = "calls" if nodes.column("kind")[row] in ROUTINES else "uses"
        for line, sure in _lines(graph, sources, row, homes):
            place = (line.path, line.number)
            if place not in taken and place not in found:
                resolved = "unique" if sure == SURE else "candidate"
                found[place] = use(graph, row, line, words, sure=sure, resolved=resolved)
    return [found[place] for place in sorted(found)]


def _lines(
    graph: Graph, sources: Sources, row: int, homes: set[str]
) -> Iterator[tuple[Line, float]]:
    """Yields the lines that name a node, each with how sure that is."""
    nodes = graph.nodes
    name, kind = nodes.column("name")[row].rpartition(".")[2], nodes.column("kind")[row]
    home, owner = nodes.column("path")[row], owner_of(graph, row)
    if kind == MACRO:
        macro = re.compile(rf"(?<!`)`{re.escape(name)}(?![\w$])")
        for path in holding(sources.lexicon, name)[:FILES]:
            for number, text in naming(sources.text(path), name, macro):
                yield Line(path, number, text), SURE
        return
    inner = is_inner(graph, owner)
    begin, end = 1, 0
    if inner:
        begin, end = nodes.column("line")[owner], nodes.column("end_line")[owner]
    seen = seeing(graph, owner, home) - homes
    within_it = {home, *inside(graph, owner, home) - homes} if inner else {home}
    bare, scoped, handle = _patterns(name, scopes(graph, owner, home))
    own = range(nodes.column("line")[row], nodes.column("end_line")[row] + 1)
    of_class = kind in ROUTINES and owner >= 0 and nodes.column("kind")[owner] == CLASS
    # Outside of its file nothing names what a module has without a path through an instance.
    alone = inner and nodes.column("kind")[owner] != CLASS
    for path in sorted(within_it) if alone else holding(sources.lexicon, name)[:FILES]:
        is_seen = path in within_it or (path in seen and (not inner or of_class))
        pattern = bare if is_seen else scoped
        for number, text in naming(sources.text(path), name, pattern) if pattern else ():
            outside = path == home and end and not begin <= number <= end
            within = path == home and number in own
            if not outside and not (within and kind == TYPE) and not _is_own(text, name, within):
                yield Line(path, number, text), SURE
        if of_class:
            for number, text in matching(sources.text(path), handle):
                yield Line(path, number, text), LIKELY


def _patterns(
    name: str, owners: list[str]
) -> tuple[re.Pattern[str], re.Pattern[str] | None, re.Pattern[str]]:
    """Returns what tells a name where it is visible, behind its scope, and behind a handle."""
    word = re.escape(name)
    scope = "|".join(map(re.escape, owners))
    scoped = rf"(?<![\w$.])(?:{scope})\s*::\s*{word}(?![\w$])"
    bare = re.compile(rf"(?<![\w$.`])(?<!::){word}(?![\w$])" + (f"|{scoped}" if owners else ""))
    return bare, re.compile(scoped) if owners else None, re.compile(rf"\.\s*{word}\s*\(")


def _is_own(text: str, name: str, within: bool) -> bool:
    """Returns whether a line means a macro, ends a function, or sets the value that it returns."""
    if tests(text, name):
        return True
    at = text.find(name)
    if _END.search(text[:at]):
        return True
    return within and re.match(r"\s*(?:\[[^\]]*\]\s*)*=(?!=)", text[at + len(name) :]) is not None
