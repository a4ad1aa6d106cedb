"""Tells the edges that answer a question for a relation, each with the line that says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import msgspec

from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.relations.evidence.quoted import is_quote
from hdlgraph.results import Answer, Evidence, Hit, SearchResult

_INSTANCE = re.compile(r"[\w$]+ instantiates ([\w$]+) as ([\w$]+)")
FILES = 8
"""Files of an answer."""
EDGES = 3
"""Edges of each file that are told."""
BEST = 0.5
"""Share of the best answer's score that another one needs to be told beside it."""


def with_relations(answer: Answer, read_text: Callable[[str], str]) -> Answer:
    """Returns an answer with the edges before it that answer its question, each with its line.

    Args:
        answer: quoted from the files that search found.
        read_text: gives a file's text.
    """
    page, moved = FactPage(read_text), answer.result.stale
    page.citations = list(answer.citations)
    told: set[tuple[str, int, str]] = set()
    for hit, found in _answering(answer.result):
        edges = [one for one in found if (one.path, one.line, one.text) not in told]
        if not edges:
            continue
        told |= {(one.path, one.line, one.text) for one in edges}
        page.add(f"{hit.path}:")
        for edge in edges:
            if is_quote(edge):
                page.add(f"- {edge.path.rpartition('/')[2]} says:")
                page.code(edge.path, page.source(edge.path), [edge.line])
            elif edge.path in (*moved.changed, *moved.removed):
                page.add(f"- {edge.text} ({edge.path} changed since it was indexed)")
            elif placed := _INSTANCE.fullmatch(edge.text):
                page.fact(f"- {edge.text}", placed.groups(), edge.path, edge.line)
            else:
                page.add(f"- {edge.text}")
                page.code(edge.path, page.source(edge.path), [edge.line])
    if not page.lines:
        return answer
    text = f"{page.text}\n\n{answer.text}"
    return msgspec.structs.replace(answer, text=text, citations=tuple(page.citations))


def _answering(result: SearchResult) -> Iterator[tuple[Hit, list[Evidence]]]:
    """Yields the hits that answer by an edge, the best first, with these edges."""
    best = 0.0
    for hit in result.hits[:FILES]:
        edges = [one for one in hit.evidence if one.kind == "relation"]
        # A line that is only quoted says less, where it is not the best of what a hit stands on.
        edges = [one for one in edges if one is hit.evidence[0] or not is_quote(one)][:EDGES]
        score = max((one.score for one in edges), default=0.0)
        best = max(best, score)
        if edges and score >= BEST * best:
            yield hit, edges
