"""Answers who sets and who gets a key of UVM's configuration database that a question names."""

from __future__ import annotations

import re

from hdlgraph.query.answer.direct.benches.lines import Statement, add_statements, words_of
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.verification.config import Setting
from hdlgraph.results import SearchResult

_DB = re.compile(
    r"\b(?:uvm_)?(?:config|resource)_db\b|\b(?:config|configuration|resource) (?:db|database)\b",
    re.I,
)
_ASKS = re.compile(r"\b(?:who|where|which|what)\b", re.I)
_OTHER = re.compile(r"\b(?:message|error|macro|package|import\w*)\b", re.I)


def add_keys(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds where a key is set and where it is read; False where none is named for sure."""
    if not _DB.search(question) or not _ASKS.search(question) or _OTHER.search(question):
        return False
    known = queries.verification()
    if known is None:
        return False
    settings = known.described.settings
    every = (*settings.sets, *settings.gets)
    keys = {one.act.left for one in every}
    named = [one for one in words_of(question) if one in keys]
    if len(named) > 1:  # a word of the question may be a key as well
        named = [one for one in named if "_" in one]
    if len(named) != 1:
        return False
    key, moved = named[0], {*result.stale.changed, *result.stale.removed}
    added = False
    for does, settings_ in (("set", settings.sets), ("read", settings.gets)):
        statements = [_statement(one) for one in settings_ if one.act.left == key]
        if add_statements(page, f"{key} is {does} by:", statements, moved, f"testbench {key}"):
            added = True
        elif not statements:
            page.add(f"Nothing in this index {'sets' if does == 'set' else 'reads'} {key}.")
            page.add()
    return added


def _statement(one: Setting) -> Statement:
    act = one.act
    by = act.owner or one.path.rpartition("/")[2]
    path = f", for {act.detail}" if act.detail else ""
    return Statement(f"{by} ({act.right}){path}", one.path, act.line, (act.left,))
