"""What a declared signal goes into, and which code stands under a macro."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from hdlgraph.errors import HdlgraphError
from hdlgraph.model import EdgeKind
from hdlgraph.query.answer.design_first import of_design
from hdlgraph.query.answer.direct.drivers.words import lines_of
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.design.who import users_of

MOST = 3  # places that are shown
ASKED = re.compile(
    r"\bwhat (?:does|do) (?:the )?(?:\w+ )?\S+ do\b|\bwhat (?:is|are) .{1,60} (?:used )?for\b"
    r"|\bwhat is the (?:purpose|function|role|use) of\b",
    re.I,
)
"""Asks what something is for, which its declaration alone hardly tells."""


def add_loads(
    page: FactPage, queries: Queries, one: Mapping[str, Any], moved: Collection[str]
) -> None:
    """Adds the first places that read a port or a signal, or the code under a macro.

    Args:
        page: the answer so far.
        queries: the exact engines.
        one: the definition, as `hdlgraph show` has it.
        moved: files that changed since they were indexed.
    """
    if one["kind"] == "macro":
        _guarded(page, queries, one, moved)
    elif one["kind"] in ("port", "signal") and not str(one["detail"]).startswith("output"):
        _read(page, queries, one, moved)


def _read(page: FactPage, queries: Queries, one: Mapping[str, Any], moved: Collection[str]) -> None:
    try:
        net = queries.trace(one["id"], ("loads",), 1, MOST)["loads"]["nets"][0]
    except (HdlgraphError, IndexError):
        return
    steps = [step for step in net["steps"] if step["path"] not in moved]
    shown = [(step, list(lines_of(page, step))) for step in steps if step["how"] != "port"]
    shown = [(step, lines) for step, lines in shown if lines]
    if not shown:
        return
    page.add(f"{one['name']} is read in {net['total']} place{'s' * (net['total'] != 1)}:")
    for step, lines in shown[:MOST]:
        page.code(step["path"], page.source(step["path"]), lines)


def _guarded(
    page: FactPage, queries: Queries, one: Mapping[str, Any], moved: Collection[str]
) -> None:
    graph = queries.graph()
    last = one["name"].rpartition(".")[2]
    rows = [
        row
        for row in graph.ending(last)
        if graph.nodes.column("kind")[row] == "macro" and graph.nodes.column("name")[row] == last
    ]
    places = {
        (user["path"], user["line"]): user["text"]
        for row in rows
        for user in users_of(graph, row, {EdgeKind.GUARDED_BY.value})
        if user["path"] not in moved
    }
    places = {place: text for place, text in places.items() if not text.startswith("nothing")}
    found = sorted(places, key=lambda place: (not of_design(place[0]), place))
    found = [place for place in found if last in _text(page, *place)]
    if not found or all(place in page.shown for place in found[:MOST]):
        return
    page.add(f"Code stands under {last} in {len(found)} place{'s' * (len(found) != 1)}:")
    for path, line in found[:MOST]:
        page.add(f"- {places[path, line]}:")
        page.code(path, page.source(path), [line])


def _text(page: FactPage, path: str, line: int) -> str:
    lines = page.source(path).lines
    return lines[line - 1] if 0 < line <= len(lines) else ""
