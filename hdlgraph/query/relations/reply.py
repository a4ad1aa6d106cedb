"""Answers a question for a relation in words: the edges that answer, with the lines that say so."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.relations.detect import asked_relation
from hdlgraph.results import Answer, Evidence, Hit, SearchResult

FILES = 8
"""Files of an answer."""
EDGES = 3
"""Edges of each file that are told."""
BEST = 0.5
"""Share of the best answer's score that another one needs to be told beside it."""
NOTE = "answered from the design graph; `hdlgraph who`, `tree` and `show` tell more"


def relation_reply(
    question: str, result: SearchResult, read_text: Callable[[str], str]
) -> Answer | None:
    """Returns the answer to a question for a relation; None where the search found none for it.

    Args:
        question: as asked.
        result: what search found for it.
        read_text: gives a file's text.
    """
    if asked_relation(question) is None:
        return None
    page, told = FactPage(read_text), set[tuple[str, int]]()
    moved = {*result.stale.changed, *result.stale.removed}
    for hit, edges in _answering(result):
        page.add(f"{hit.path}:")
        for edge in edges:
            page.add(f"- {edge.text}")
            place = (edge.path, edge.line)
            if edge.path in moved:
                page.add(f"    ({edge.path} changed since it was indexed)")
            elif place not in told and edge.line <= len(page.source(edge.path).lines):
                page.code(edge.path, page.source(edge.path), [edge.line])
                told.add(place)
    if not told:
        return None
    return Answer(question, page.text, tuple(page.citations), result, notes=(NOTE,))


def _answering(result: SearchResult) -> Iterator[tuple[Hit, list[Evidence]]]:
    """Yields the hits that answer by an edge, the best first, with these edges."""
    best = 0.0
    for hit in result.hits[:FILES]:
        edges = [one for one in hit.evidence if one.kind == "relation"][:EDGES]
        score = max((one.score for one in edges), default=0.0)
        best = max(best, score)
        if edges and score >= BEST * best:
            yield hit, edges
