"""Answers what a macro stands for, where it is defined, and under which defines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hdlgraph.errors import HdlgraphError
from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.parsers.text.directives import conditions_by_line, regions_of
from hdlgraph.parsers.text.source import read_source
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import plain
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult

MOST = 12  # definitions that are shown
BODY = 12  # lines of one
COMMENT = 3  # lines of the comment above it
INCLUDERS = 6  # files that include one, under a condition
ABOVE = 2  # lines above a definition on which an `ifndef of its name makes it a default
MACRO, INCLUDES = NodeKind.MACRO.value, EdgeKind.INCLUDES.value
_M = r"(?:the )?(?P<word>macro |define )?(?P<tick>`)?(?P<name>[A-Za-z_][\w$]*)(?P<after> macro)?"
_FORMS = tuple(
    re.compile(form, re.I)
    for form in (
        rf"what (?:does|is|are) {_M}"
        r"(?: (?:expands?(?:ed)? (?:to|into)|stands? for|means?|(?:defined|set) (?:as|to)))?",
        rf"(?:where|how|when|by whom|by what) (?:is|are|gets?) {_M} (?:get )?(?:defined|set)",
        rf"(?:(?:under|in|with|for|by|on|behind|within) )?(?:which|what) (?:\w+ )?"
        rf"(?:`?ifdefs?|`?ifn?defs?|defines?|macros?|conditions?|guards?|switch(?:es)?) "
        rf"(?:is|are|guards?) {_M}(?: (?:defined|set|guarded))?(?: by| under)?",
        rf"(?:what is |give me |show )?(?:the )?(?:value|body|definitions?|expansion|text) of {_M}",
        rf"(?:who|which files?|what) defines? {_M}",
        rf"is {_M} (?:ever )?defined(?: anywhere| somewhere)?",
    )
)


def add_macro(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the definitions of the macro that a question names, and how often it is used."""
    found = next(filter(None, (form.fullmatch(plain(question)) for form in _FORMS)), None)
    if found is None:
        return False
    graph, name = queries.graph(), found["name"]
    moved = {*result.stale.changed, *result.stale.removed}
    rows, others = _called(graph, name)
    rows = [row for row in rows if graph.nodes.column("path")[row] not in moved]
    told = bool(found["word"] or found["tick"] or found["after"])
    if others and not told:
        return False
    uses, users = _uses(queries, name)
    if not rows:
        return (told or name.isupper()) and _defined_nowhere(page, name, uses, users, moved)
    places = f"in {len(rows)} places" if len(rows) > 1 else "once"
    used = f"used on {uses} line{'s' * (uses != 1)}" if uses else "used on no line"
    page.add(f"`{name} is defined {places} and {used}:")
    for row in rows[:MOST]:
        _definition(page, graph, row, name, alone=len(rows) == 1)
    if len(rows) > MOST:
        page.add(f"- and {len(rows) - MOST} more definitions")
    page.add(f"`hdlgraph who {name}` lists the uses.")
    return True


def _uses(queries: Queries, name: str) -> tuple[int, list[dict[str, Any]]]:
    """Returns how many lines use or test a macro, and the first of them."""
    try:
        found = queries.who(f"`{name}", MOST)
    except HdlgraphError:
        return 0, []
    if any(one["kind"] != MACRO for one in found["targets"]):
        return 0, []  # something else is called so, in another spelling
    return found["total"], found["users"]


def _defined_nowhere(
    page: FactPage, name: str, uses: int, users: Sequence[Mapping[str, Any]], moved: set[str]
) -> bool:
    """Adds where a macro is used that no file defines; False where none of them uses it either."""
    shown = [one for one in users if one["path"] not in moved]
    if not shown:
        return False
    page.add(
        f"`{name} is defined nowhere in this repository: the build may define it (+define+{name}). "
        f"It is used or tested in {uses} place{'s' * (uses != 1)}:"
    )
    for one in shown:
        page.code(one["path"], page.source(one["path"]), [one["line"]])
    if uses > len(shown):
        page.add(f"- and {uses - len(shown)} more: `hdlgraph who {name}` lists all")
    return True


def _called(graph: Graph, name: str) -> tuple[list[int], bool]:
    """Returns the macros of a name, the design's first, and whether other things are called so."""
    kinds, names, paths = map(graph.nodes.column, ("kind", "name", "path"))
    rows = [row for row in graph.ending(name) if names[row].rpartition(".")[2] == name]
    macros = [row for row in rows if kinds[row] == MACRO and paths[row]]
    lines = graph.nodes.column("line")
    macros.sort(key=lambda row: (not of_design(paths[row]), paths[row], lines[row]))
    return macros, any(kinds[row] != MACRO and paths[row] for row in rows)


def _definition(page: FactPage, graph: Graph, row: int, name: str, alone: bool) -> None:
    """Adds one definition: what it asks for, its lines, and under what its file is included."""
    path, line = graph.nodes.column("path")[row], graph.nodes.column("line")[row]
    lines = page.source(path).lines
    above = lines[max(line - 1 - ABOVE, 0) : line - 1]
    is_default = any(re.search(rf"`ifndef\s+{re.escape(name)}\b", one) for one in above)
    default = " as a default, unless it is defined before" if is_default else ""
    condition = _condition(page, path, line)
    said = f"{default}{f', only if {condition}' if condition else ''}"
    if said or not alone:
        page.add(f"- defined{said}:")
    last = line
    while last < min(len(lines), line + BODY - 1) and lines[last - 1].rstrip().endswith("\\"):
        last += 1
    first = line
    while first > 1 and line - first < COMMENT and lines[first - 2].strip().startswith("//"):
        first -= 1
    page.code(path, page.source(path), range(first, last + 1))
    for place, at, asked in list(_included(page, graph, path))[:INCLUDERS]:
        page.state(f"  its file is included only if {asked}", place, at)


def _included(page: FactPage, graph: Graph, path: str) -> Iterator[tuple[str, int, str]]:
    """Yields (path, line, condition) of the includes of a file that stand under a condition."""
    edges, row = graph.edges, graph.row(f"file:{path}")
    paths, lines, kinds = map(edges.column, ("path", "line", "kind"))
    places = {
        (paths[edge], lines[edge])
        for edge in (graph.in_edges(row).tolist() if row >= 0 else ())
        if kinds[edge] == INCLUDES
    }
    for place, line in sorted(places):
        if condition := _condition(page, place, line):
            yield place, line, condition


def _condition(page: FactPage, path: str, line: int) -> str:
    """Returns what the `ifdefs around a line ask for, "" for nothing."""
    found = _conditions(page, path)
    return found[line] if line < len(found) else ""


def _conditions(page: FactPage, path: str) -> Sequence[str]:
    source = read_source(page.source(path).text.encode())
    regions = regions_of(source)
    return conditions_by_line(regions, len(source.starts)) if regions else ()
