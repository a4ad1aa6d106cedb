"""Joins what the design and what the documents say to one quoted answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from hdlgraph.query.answer.documents.papers import Papers
from hdlgraph.query.answer.page import Page
from hdlgraph.query.documents.routing import PASSAGES
from hdlgraph.results import Answer, Citation

_NUMBERED = re.compile(r"^ {0,8}(\d{1,8})\| ", re.MULTILINE)
_PLACE = re.compile(r"^\[([^\[\]\n]{1,400}):(\d{1,8})(?:-(\d{1,8}))?\]$", re.MULTILINE)
NO_FILE = "No file of the design fits well."


def joined(answer: Answer, papers: Papers) -> Answer:
    """Returns an answer with what the documents say, the list that the routing puts first first.

    Where the design answers nothing and the documents do, theirs is the answer.
    """
    if not papers.found:
        if not papers.missing:
            return answer
        page = Page()
        papers.write_missing(page)
        text = "\n\n".join(filter(None, (answer.text, page.text)))
        cited = _numbered([*answer.citations, *page.citations])
        return msgspec.structs.replace(answer, text=text, citations=cited)
    page = Page()
    quoted = _quoted(answer.text)
    papers.write(page, lambda path, line: (path, line) in quoted)
    parts = [page.text, answer.text if answer.found else NO_FILE]
    citations = [page.citations, list(answer.citations) if answer.found else []]
    if answer.found and papers.routing.first != PASSAGES:
        parts.reverse()
        citations.reverse()
    numbered = [one for some in citations for one in some]
    return msgspec.structs.replace(
        answer,
        text="\n\n".join(filter(None, parts)),
        citations=_numbered(numbered),
        found=True,
        weak="",
    )


def _numbered(citations: Sequence[Citation]) -> tuple[Citation, ...]:
    """Returns citations with their numbers in order."""
    return tuple(msgspec.structs.replace(one, marker=n) for n, one in enumerate(citations, 1))


def _quoted(text: str) -> set[tuple[str, int]]:
    """Returns the (path, line) of the source lines that an answer quotes."""
    found: set[tuple[str, int]] = set()
    at = 0
    for place in _PLACE.finditer(text):
        numbers = _NUMBERED.findall(text, at, place.start())
        first, last = int(place[2]), int(place[3] or place[2])
        found |= {(place[1], int(n)) for n in numbers if first <= int(n) <= last}
        at = place.end()
    return found
