"""Answers with the states and transitions of the unit that a question names."""

from __future__ import annotations

import re
from functools import partial

from hdlgraph.errors import HdlgraphError
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import units_written
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.answer.passages.sections import add_machine, best_machine, states
from hdlgraph.query.answer.passages.transitions import machines
from hdlgraph.query.answer.passages.view import FileView
from hdlgraph.query.question.aims import Aim
from hdlgraph.results import SearchResult
from hdlgraph.words import content_stems, split_identifier, stem

LINES = 48  # of the states and transitions
_ASKED = re.compile(
    r"\b(?:what|which|list|show|all|how many)\b(?: \w+){0,2} states\b(?! (?:lead|go|follow|come))"
    r"|\b(?:state machines?|fsms?) (?:of|in|inside) (?:the )?(?:module |unit |block )?\w+\W*$",
    re.I,
)


def add_states(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the state machine of the unit that a question names; False where it asks for none.

    Of several that is the one with words of the question, else the largest; the others are named.
    """
    if not _ASKED.search(question):
        return False
    units, _ = units_written(question, queries.graph())
    if len(units) != 1:
        return False
    try:
        path = queries.fsm(units[0])["machines"][0]["path"]
    except (HdlgraphError, IndexError):
        return False
    if path in (*result.stale.changed, *result.stale.removed):
        return False
    sources = queries.sources()
    known = partial(sources.machines, path)
    own_words = {stem(part) for part in split_identifier(units[0])}
    asked = {word: (at, 1.0) for at, word in enumerate(content_stems(question))}
    wanted = {word: worth for word, worth in asked.items() if word not in own_words}
    view = FileView(path, page.source(path).text, wanted, (Aim.STATES,), known_machines=known)
    found = machines(view)
    own = [one for one in found if one.unit == units[0]]
    own = own or (found if len(view.units) == 1 else [])
    if not own:
        return False
    if best_machine(view) in own:
        return states(page, view, LINES)
    add_machine(page, view, max(own, key=lambda one: len(one.transitions)), LINES)
    return True
