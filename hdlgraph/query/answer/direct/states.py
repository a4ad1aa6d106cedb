"""Answers with the states and transitions of the unit that a question names."""

from __future__ import annotations

import re
from functools import partial

from hdlgraph.errors import HdlgraphError
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import unit_at
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.answer.passages.sections import add_machine, best_machine, states
from hdlgraph.query.answer.passages.transitions import machines
from hdlgraph.query.answer.passages.view import FileView
from hdlgraph.query.question.aims import Aim
from hdlgraph.results import SearchResult
from hdlgraph.words import content_stems, split_identifier, stem

LINES = 48  # of the states and transitions
JOINED = 4  # words that together may be a unit's name: "uart rx" for uart_rx
_ASKED = re.compile(
    r"\b(?:what|which|list|show|all|how many)\b(?: \w+){0,2} states\b(?! (?:lead|go|follow|come))"
    r"|\b(?:state machines?|fsms?) (?:of|in|inside) (?:the )?(?:module |unit |block )?\w+\W*$",
    re.I,
)
_WORD = re.compile(r"[A-Za-z_$][\w$]*")


def add_states(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the state machine of the unit that a question names; False where it asks for none.

    Of several that is the one with words of the question, else the largest; the others are named.
    """
    if not _ASKED.search(question):
        return False
    units = _units(question, queries)
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


def _units(question: str, queries: Queries) -> list[str]:
    """Returns the units that a question names, as they are called or with blanks between."""
    words, graph, found, at = _WORD.findall(question), queries.graph(), list[str](), 0
    while at < len(words):
        for count in range(min(JOINED, len(words) - at), 0, -1):
            name = "_".join(words[at : at + count])
            name = name if count == 1 else name.lower()
            if unit_at(graph, name):
                found.append(name)
                break
        else:
            count = 1
        at += count
    return list(dict.fromkeys(found))
