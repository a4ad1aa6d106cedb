"""Decides whether passages can answer a question: how much of it stands in them, how near they are.

log odds = BIAS + COVERED x share of the question's words in the best passage + NEAR x its cosine.
The constants were fitted by logistic regression on 144 questions over three collections of
documents (`eval/data/cross`, `eval/data/styles`), each against the 128 of `eval/data/off-topic`
(`python -m hdlgraph.eval.fit.answerable`, which judges each collection by the others). Without
vectors of a known scale the share of words decides alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from hdlgraph.query.documents.view import DocumentsView
from hdlgraph.store.documents.words import WHOLE
from hdlgraph.words import content_stems

BIAS, COVERED, NEAR = -17.3, 8.8, 25.8
UNLIKE = 1.0
"""Log odds from which passages answer where no file of the design fits the question."""
LEAST = 0.37
"""Share of a question's words, by rarity, from which a passage may answer it.

23 of 24 questions over the documents of two projects have a passage with more among their first
five. So have many questions that no document answers: of 128 of them, 23 to 32 over the documents
of OpenTitan and 8 to 15 over those of Ibex.
"""
_WHERE = re.compile(
    r"\b(?:manuals?|documents?|documentation|data ?sheets?|specs?|specification|guides?|chapters?"
    r"|sections?|says?|said|tells?|modules?|files?|rtl|source|code)\b",
    re.IGNORECASE,
)
"""Words that only say where an answer is looked for."""
ALONE, DOUBTED = 0.45, 0.6
"""The same where there are no files of a design, and where none of them fits the question: then it
may well be about something else."""


def weights(view: DocumentsView, question: str) -> dict[str, float]:
    """Returns the words of a question with how rare each is in the documents."""
    field = view.fields[WHOLE]
    stems = content_stems(_WHERE.sub(" ", question)) or content_stems(question)
    return {stem: field.idf_of(stem) for stem in stems}


def coverage(asked: Mapping[str, float], texts: Iterable[str]) -> float:
    """Returns the share of a question's words, by rarity, that stand in some texts; 0 to 1."""
    total = sum(asked.values())
    stands = {stem for text in texts for stem in content_stems(text)}
    return sum(worth for stem, worth in asked.items() if stem in stands) / total if total else 0.0


def answers(covered: float, near: float | None, least: float) -> bool:
    """Returns whether the best of some passages answers a question.

    Args:
        covered: largest share of the question's words that one of them has.
        near: largest cosine of one of them, less what chance gives; None where it is unknown.
        least: LEAST, ALONE or DOUBTED: what is asked of the words where they decide alone.
    """
    if near is None:
        return covered >= least
    return BIAS + COVERED * covered + NEAR * near >= (UNLIKE if least == DOUBTED else 0.0)
