"""Splits a question into what it asks one after another, and finds lines for each part."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hdlgraph.query.answer.passages.logic import passages
from hdlgraph.query.answer.passages.view import FileView, worths
from hdlgraph.query.answer.source_text import Wanted
from hdlgraph.query.question.aims import aim_words, aims_of
from hdlgraph.words import question_terms, terms

MOST = 4  # parts of a question
LINES = 10  # for one part
HALF = 0.4  # share of a part's worth from which lines answer it
LEAST = 2  # words of a part of which it is said that no line was found
RARE = 3  # lines with a part's rarest word that are shown
WEIGHTY = 0.35  # share of the question's weightiest word that a part's weightiest has at least
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
    most = max((worth for _, worth in wanted.values()), default=0.0)
    for text in _PARTS.split(question[:2000]):
        plain = text.strip(" \t\n,;:?.!")
        silent = aim_words(aims_of(plain))
        stated = {wanted[t][0] for t in question_terms(plain) if t in wanted and t not in silent}
        own = {term: pair for term, pair in wanted.items() if pair[0] in stated}
        weighty = max((worth for _, worth in own.values()), default=0.0)
        unknown = weighty == 0 and len(stated) >= LEAST  # no file has any of its words
        if (weighty >= WEIGHTY * most or unknown) and _WORD.search(plain):
            found.append(Part(plain, own))
    return found[:MOST] if most and len(_PARTS.split(question[:2000])) > 1 else []


def lines_for(views: Sequence[FileView]) -> tuple[FileView, list[tuple[int, ...]]] | None:
    """Returns a file and the lines of it that say most of a part, None where none says much.

    Where no statement does, they are the lines of the first file with the part's rarest word.

    Args:
        views: the files told of, the best first, each with the part's words alone.
    """
    for number, view in enumerate(views):
        found = passages(view, LINES, most=1)
        share = sum(found[0].worths.values()) / _total(view.wanted) if found else 0.0
        if share >= (MOST_OF if number else HALF):
            return view, [one.lines for one in found]
    for view in views[:1]:
        weighty = max((worth for _, worth in view.wanted.values()), default=0.0)
        rare = {n for n, worth in view.wanted.values() if worth >= weighty > 0}
        having = [
            n
            for n, line in enumerate(view.source.lines, 1)
            if n > view.source.unit_line and rare & worths(terms(line), view.wanted).keys()
        ]
        if 0 < len(having) <= RARE:
            return view, [(n,) for n in having]
    return None


def lacks(part: Part, views: Sequence[FileView]) -> bool:
    """Returns whether the described files hold none of the words of a part that has several."""
    asked = dict(part.wanted.values())
    return len(asked) >= LEAST and not any(
        worths(terms(view.source.text), part.wanted) for view in views
    )


def _total(wanted: Wanted) -> float:
    return sum(dict(wanted.values()).values()) or 1.0
