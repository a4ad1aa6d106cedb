"""Answers what stalls, flushes or kills a part of a pipeline: what drives the signal called so."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hdlgraph.graph.graph import Graph
from hdlgraph.query.answer.direct.drivers.members import holders, is_set
from hdlgraph.query.answer.direct.drivers.signals import add_drivers
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.direct.subjects import Subject, owners_of, plain
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult

MOST = 2  # signals that are told
OWNERS = 6  # units with a signal of a name that are looked at
_ALIKE = (("stall", "halt", "hold", "freeze"), ("flush", "kill", "squash", "clear"))
"""Verbs that designs use for the same."""
_VERB = r"(?P<verb>stall|halt|hold|freeze|flush|kill|squash|clear)(?:es|s|ed|ing)?"
_PART = r"(?:the )?(?P<part>[A-Za-z][\w-]*(?: [A-Za-z][\w-]*){0,2}?)"
_IN = r"(?: (?:in|of|for) (?:the )?(?P<where>[A-Za-z]\w*))?"
_ASKED = tuple(
    re.compile(form, re.I)
    for form in (
        rf"(?:what|who|which signals?)(?: can| may| could)? (?:makes? )?{_VERB} {_PART}{_IN}",
        rf"(?:when|why|how|under (?:which|what) conditions?) (?:is|are|gets?) {_PART} {_VERB}{_IN}",
        rf"(?:when|why|under (?:which|what) conditions?) (?:does|do) {_PART} {_VERB}{_IN}",
        rf"what (?:causes|makes|lets) {_PART} (?:to )?{_VERB}{_IN}",
        rf"what (?:causes|triggers) (?:a |the )?{_PART} {_VERB}{_IN}",
    )
)
_PLAIN = frozenset("stage unit module core block cpu whole entire".split())
_ENDS = ("", "_o", "_d", "_n", "_q", "_r")


def add_verbs(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds what drives the signal that a verb and its object name: `stall_id` of "stalls the ID".

    False where no unit of the design sets such a signal.
    """
    found = next(filter(None, (form.fullmatch(plain(question)) for form in _ASKED)), None)
    if found is None:
        return False
    graph = queries.graph()
    moved = {*result.stale.changed, *result.stale.removed}
    where = (found["where"] or "").lower()
    words = [word.lower() for word in re.findall(r"[A-Za-z]\w*", found["part"])]
    words = [word for word in words if word not in _PLAIN]
    paths = [hit.path for hit in result.hits]
    for name in _names(found["verb"].lower(), words):
        held = [one for one in _subjects(graph, name) if one.path not in moved][:OWNERS]
        held = [one for one in held if where in one.unit.lower() and is_set(queries, one)]
        held.sort(key=lambda one: paths.index(one.path) if one.path in paths else len(paths))
        if len(held) > MOST and held[0].path not in paths:
            return False
        for one in held[:1] if len({each.unit for each in held}) > MOST else held[:MOST]:
            add_drivers(page, queries, one, False, moved, False, frozenset())
        if page.lines:
            return True
    return False


def _names(verb: str, words: list[str]) -> Iterator[str]:
    """Yields what a signal may be called: the verb itself first, then others for the same."""
    alike = next(verbs for verbs in _ALIKE if verb in verbs)
    if not 1 <= len(words) <= 2:
        return
    part = "_".join(words)
    for one in (verb, *(other for other in alike if other != verb)):
        for stem in (f"{one}_{part}", f"{part}_{one}"):
            yield from (stem + end for end in _ENDS)


def _subjects(graph: Graph, name: str) -> list[Subject]:
    """Returns the signals of a name, else the members of structs that are called so."""
    owners = owners_of(graph, name, False)
    return [one for one in owners if one.signal == name] or holders(graph, name)
