"""Answers which modules of technology maps stand for a cell, as in "what maps $alu on ice40"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hdlgraph.errors import UsageError
from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import plain
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.design.names import unescaped
from hdlgraph.query.design.who import who
from hdlgraph.results import SearchResult

MOST = 30  # maps that are told
INSIDE = 6  # units that are told of what a map is made of
MAPS, INSTANTIATES = EdgeKind.MAPS.value, EdgeKind.INSTANTIATES.value
_CELL = r"(?:the )?(?:internal )?(?:cell )?(?P<cell>\\?[A-Za-z_$][\w$]*)(?: cells?)?"
_ON = r"(?: (?:on|to|for|in|with|of) (?:the )?(?P<on>[\w./-]+(?: \w+)?))?"
_MAP = r"(?:tech(?:nology[- ]?)?)?map"
_FORMS = tuple(
    re.compile(form, re.I)
    for form in (
        rf"(?:who|(?:what|which)(?: \w+){{0,2}}) {_MAP}s? {_CELL}{_ON}",
        rf"(?:where|how|by what|by which \w+|(?:(?:in)?to )?what) (?:is|are|does|do|gets?) {_CELL}"
        rf" (?:get )?{_MAP}(?:ped|s)?(?: (?:to|into|by))?{_ON}",
        rf"(?:(?:where|what) is )?(?:the )?{_MAP}(?:ping)? (?:of|for) {_CELL}{_ON}",
    )
)


def add_maps(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the modules that a synthesiser puts in the place of a cell; False where none do."""
    found = next(filter(None, (form.fullmatch(plain(question)) for form in _FORMS)), None)
    if found is None:
        return False
    graph, name = queries.graph(), unescaped(found["cell"])
    try:
        users = who(graph, name, None)["users"]
    except UsageError:
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    every = [one for one in users if one["kind"] == MAPS and one["path"] not in moved]
    if not every:
        return False
    words = re.findall(r"\w+", (found["on"] or "").lower())
    near = [one for one in every if words and _is_of(one, words)]
    told = near or every
    count = f"{len(told)} module{'s' if len(told) > 1 else ''}"
    beside = len(every) - len(near) if near else 0
    rest = (
        f"; {beside} further ones elsewhere: `hdlgraph who '{name}'` lists them" if beside else ""
    )
    unknown = f" No path has {found['on']}; these are all." if words and not near else ""
    page.add(f"{name} is mapped by {count}{rest}.{unknown}")
    for one in told[:MOST]:
        _add(page, graph, one, name)
    if len(told) > MOST:
        page.add(f"- and {len(told) - MOST} more: `hdlgraph who '{name}'` lists all")
    return True


def _is_of(user: dict[str, Any], words: Sequence[str]) -> bool:
    """Returns whether the path or the name of a module has one of some words as a part."""
    text = f"{user['path']} {user['user_name']}".lower()
    parts = {*re.findall(r"[a-z0-9]+", text), *re.findall(r"\w+", text)}
    return any(word in parts for word in words)


def _add(page: FactPage, graph: Graph, user: dict[str, Any], name: str) -> None:
    """Adds one module: the line that says it, and what it is made of."""
    module = user["user_name"]
    if not page.fact(f"- {module} maps {name}", (name,), user["path"], user["line"]):
        source = page.source(user["path"])  # a pattern: [NP] of several cells
        page.code(user["path"], source, [user["line"]])
    inside: dict[str, int] = {}
    edges, names = graph.edges, graph.nodes.column("name")
    for edge in graph.out_edges(graph.row(user["user"])).tolist():
        if edges.column("kind")[edge] == INSTANTIATES:
            inside.setdefault(names[edges.column("target")[edge]], edges.column("line")[edge])
    if inside:
        some = ", ".join(list(inside)[:INSIDE]) + (", ..." if len(inside) > INSIDE else "")
        page.add(f"  It is made of {some}.")
