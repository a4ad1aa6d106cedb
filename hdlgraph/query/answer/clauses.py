"""Splits a question into what it asks one after another, and finds lines for each part."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hdlgraph.query.answer.passages.logic import Passage, drivers, passages
from hdlgraph.query.answer.passages.view import FileView, worths
from hdlgraph.query.answer.slices import Wanted
from hdlgraph.query.question.aims import aim_words, aims_of
from hdlgraph.words import question_terms, terms

MOST = 4  # parts of a question
LINES = 10  # for one part
HALF = 0.4  # share of a part's worth from which lines answer it
MOST_OF = 0.75  # the same of a further file's lines
_ASKS = (
    r"(?:what|which|who|whom|where|when|why|how|do|does|did|is|are|was|were|can|could|will|"
    r"would|should|must|may|has|have)"
)
_PARTS = re.compile(
    rf"[;:?]\s+(?:and\s+|but\s+)?|,\s*(?:and|but|or)?\s*(?={_ASKS}\b)|\s+(?:and|but)\s+(?={_ASKS}\b)",
    re.I,
)

_WORD = re.compile(rf"\b{_ASKS}\b", re.I)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a question: its words, and what its terms are worth."""

    text: str
    wanted: Wanted


def parts_of(question: str, wanted: Wanted) -> list[Part]:
    """Returns the parts of a question that ask on their own, [] where there is only one.

    Args:
        question: free text.
        wanted: what the terms of the whole question are worth.
    """
    found: list[Part] = []
    for text in _PARTS.split(question[:2000]):
        plain = text.strip(" \t\n,;:?.!")
        silent = aim_words(aims_of(plain))
        said = {wanted[t][0] for t in question_terms(plain) if t in wanted and t not in silent}
        own = {term: pair for term, pair in wanted.items() if pair[0] in said}
        if own and _WORD.search(plain):
            found.append(Part(plain, own))
    return found[:MOST] if len(found) > 1 else []


def lines_for(views: Sequence[FileView]) -> tuple[FileView, list[Passage]] | None:
    """Returns the file and its passages that say most of a part, None where none says any of it.

    `views` are the files told of, the best first, each made for that part of the question.
    """
    for number, view in enumerate(views):
        found = passages(view, LINES, most=1)
        total = sum({n: w for n, w in view.wanted.values()}.values())
        share = sum(found[0].worths.values()) / total if found and total else 0.0
        if share >= (MOST_OF if number else HALF):
            return view, [*found, *drivers(view, found, LINES - len(found[0].lines))]
    return None


def said_of(part: Part, lines: Iterable[str]) -> float:
    """Returns the share of a part's worth that stands in some lines."""
    total = sum({n: w for n, w in part.wanted.values()}.values())
    found = worths((term for line in lines for term in terms(line)), part.wanted)
    return sum(found.values()) / total if total else 1.0
