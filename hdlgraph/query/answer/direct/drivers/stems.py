"""Answers what sets a field of a register that a question names by its stem: `mstatus.mie`."""

from __future__ import annotations

import re

from hdlgraph.graph.graph import Graph
from hdlgraph.query.answer.direct.drivers.signals import add_drivers
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import DOTTED, owners_of, ranked, unit_at
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.design.members.typed import typed
from hdlgraph.query.question.relation import asks_ends
from hdlgraph.results import SearchResult

NEXT = ("_d", "_n", "_next", "_nxt", "_ns")
"""What the next value of a register is called, the likeliest first."""
HELD = ("_q", "_r", "_reg", "_ff")
"""The same of its present value."""
_SETS = re.compile(r"\b(?:set|clear|write|drive|update|change|modif)(?:s|ies|y)?\b", re.I)


def add_stems(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds all lines that set the field of a register; False where its stem names a signal itself.

    The next value is told first, as a process sets it under several conditions, each of which
    may be the one that is meant.
    """
    if not (_SETS.search(question) or asks_ends(question)):
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    graph = queries.graph()
    for name in dict.fromkeys(DOTTED.findall(question)):
        stem, _, field = name.partition(".")
        if "." in field or _has(graph, stem, field) or unit_at(graph, stem):
            continue
        for suffixes in (NEXT, HELD):
            for suffix in suffixes:
                owners = ranked(owners_of(graph, stem + suffix, False), result)
                one = next((one for one in owners if one.path not in moved), None)
                if one is not None and _has(graph, f"{one.unit}.{one.signal}", field):
                    whole = one._replace(signal=f"{one.signal}.{field}")
                    add_drivers(page, queries, whole, False, moved, False, frozenset())
                    break
    return bool(page.lines)


def _has(graph: Graph, name: str, field: str) -> bool:
    """Returns whether the type of a signal of a name has a field."""
    known = typed(graph)
    _, types = known.of_signals(name)
    return any(field in known.fields(row) for row in types)
