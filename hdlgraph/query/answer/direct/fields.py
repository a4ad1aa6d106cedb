"""Answers with the fields of the struct, or the values of the enum, that a question names."""

from __future__ import annotations

import re

from hdlgraph.graph.graph import Graph
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import plain
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.design.members.typed import typed
from hdlgraph.results import SearchResult

MAX_TYPES = 2  # types of one name
LINES = 60  # of a type that are shown
_KIND = r"(?:(?:packed |tagged )?(?:struct|structure|union|enum|enumeration|record|type|typedef) )"
_TYPE = (
    rf"(?:the )?(?P<kind>{_KIND})?(?P<name>(?:[A-Za-z_]\w*(?:::|\.))?[A-Za-z_]\w*)"
    rf"(?: (?:packed )?(?:struct|structure|union|enum|enumeration|record|type|typedef))?"
)
_PARTS = (
    r"(?:(?:all|possible|legal|defined|different|individual|named|enum|the) )*"
    r"(?:fields?|members?|values?|literals?|entries|enumerators?|encodings?|elements|constants)"
)
_ASK = r"(?:(?:please )?(?:what|which|list|show|give|tell|name|print|enumerate)(?: me)? )?"
_ASKED = tuple(
    re.compile(form, re.I)
    for form in (
        rf"{_ASK}(?:are |is |all )*(?:the )?{_PARTS} (?:are |is )?(?:there )?"
        rf"(?:of|in|inside|for|declared in|defined in|part of|defined by) {_TYPE}",
        rf"(?:what|which|how many) {_PARTS} (?:does|do|can|may|could|has|have) {_TYPE}"
        r"(?: (?:have|has|contain|take|hold|define|declare|list|consist of|carry))?",
        rf"(?:what|which|how many) {_PARTS} (?:is|are) (?:there )?(?:in|of|inside|part of) {_TYPE}",
        rf"(?:what does|what do) {_TYPE} (?:contain|hold|consist of|look like)",
        rf"(?:how is|how's) {_TYPE} (?:defined|declared|laid out|encoded|structured)",
        rf"(?:what is|what's|what are) (?:inside|in) {_TYPE}",
        rf"(?:what|which) (?:signals|bits|bit fields|{_PARTS}) (?:are in|make up) {_TYPE}",
        rf"(?:what is |show |give )?(?:me )?(?:the )?(?:definition|layout|encoding) of {_TYPE}",
    )
)


def add_fields(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the lines of the type that a question names; False where it asks for no type's parts."""
    asked = plain(question)
    found = next(filter(None, (form.fullmatch(asked) for form in _ASKED)), None)
    if found is None:
        return False
    graph = queries.graph()
    moved = {*result.stale.changed, *result.stale.removed}
    rows = _meant(graph, found["name"], bool(found["kind"]))
    paths = graph.nodes.column("path")
    rows = [row for row in rows if paths[row] not in moved]
    details = graph.nodes.column("detail")
    rows = list({details[row]: row for row in reversed(rows)}.values())[::-1]  # each once
    asked_name = found["name"].replace("::", ".").rpartition(".")[2]
    for row in rows[:MAX_TYPES]:
        _add_type(page, graph, row, asked_name)
    if len(rows) > MAX_TYPES:
        page.add(
            f"and {len(rows) - MAX_TYPES} more types of the name: `hdlgraph show {found['name']}`"
        )
    return bool(rows)


def _meant(graph: Graph, name: str, is_stated: bool) -> list[int]:
    """Returns the types of a name with a body, those of the design first.

    A name that may be a plain word is meant as a type where the question says so.
    """
    known, nodes = typed(graph), graph.nodes
    if not is_stated and "_" not in name and ":" not in name:
        return []
    bodies = dict.fromkeys(body for row in known.named(name) for body in known.bodies(row))
    found = [row for row in bodies if known.fields(row) and nodes.column("path")[row]]
    paths, lines = nodes.column("path"), nodes.column("line")
    return sorted(found, key=lambda row: (not of_design(paths[row]), paths[row], lines[row]))


def _add_type(page: FactPage, graph: Graph, row: int, asked: str) -> None:
    """Adds a type with how many parts it has, and its lines."""
    nodes = graph.nodes
    name, detail = nodes.column("name")[row], nodes.column("detail")[row]
    path, first = nodes.column("path")[row], nodes.column("line")[row]
    last = max(first, nodes.column("end_line")[row])
    word = "value" if detail.startswith("enum") else "field"
    count = len(typed(graph).fields(row))
    more = "" if detail.endswith("}") else "more than "
    kind = " ".join(detail.partition("{")[0].partition(",")[0].split())
    if name.rpartition(".")[2] != asked:
        page.add(f"{asked} is another name of {name}.")
    page.add(f"{name} ({kind}) has {more}{count} {word}{'s' * (count != 1)}:")
    lines = page.source(path).lines[first - 1 : last]
    if "`" in "".join(lines[:1]) and not any(
        word in lines[0] for word in ("struct", "enum", "union")
    ):
        for own, text in typed(graph).fields(row).items():
            page.add(f"- {own}{': ' if text else ''}{text}")
        page.add("declared by the macro on")
    page.code(path, page.source(path), range(first, min(last, first + LINES - 1) + 1))
    if last - first >= LINES:
        page.add(f"- and {last - first - LINES + 1} more lines: `hdlgraph show {name}` tells all")
