"""Decides, without a model, whether a search found anything that could answer the question."""

from __future__ import annotations

from hdlgraph.query.question.script import foreign
from hdlgraph.query.result.confidence import LIMIT
from hdlgraph.results import SearchResult

WEAK = "nothing found fits well"
"""How a note begins that says so."""


def weakness(result: SearchResult) -> str:
    """Returns why a search result can hardly answer the question, "" when it may.

    A question that names an identifier of the index, or has no content words, is never weak.
    """
    if not result.hits:
        return "no file matches"
    if result.confidence is None or result.confidence >= LIMIT:
        return ""
    if foreign(result.question) and not result.confidence:
        return (
            "the question is in a script that this index has no words of, and names nothing in "
            "it; ask in English, or with names of the design"
        )
    return (
        "its best files have few of the question's words and no passage near it in meaning "
        f"(confidence {result.confidence:.2f})"
    )
