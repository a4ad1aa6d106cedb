"""Finds the sentences of a file's comments that are nearest to a question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

from hdlgraph.errors import EndpointError
from hdlgraph.query.answer.comments import Sentence
from hdlgraph.query.answer.passages.view import worths
from hdlgraph.query.answer.source_text import Wanted
from hdlgraph.query.index_view import IndexView
from hdlgraph.query.search import Searcher
from hdlgraph.words import terms

COMPARED = 12  # sentences of a file that are compared with the question in meaning
KEPT = 2000  # sentences whose vectors are kept
SHARED = 0.3  # share of the question's words from which a sentence is quoted
DRAWN = 2  # bars in a text that is a drawing or a table
NEAR = 0.62  # cosine from which a sentence is quoted although it shares no word with the question


class Meaning:
    """Compares sentences with the question in meaning, where there is an embedder."""

    def __init__(self, searcher: Searcher, question: str) -> None:
        self._embedder: Any = searcher.index.embedder
        self._known = searcher.index.part(_kept)
        self._question = question

    def near(self, texts: list[str]) -> list[float]:
        """Returns the cosine of each text with the question; 0 where it is not known."""
        try:
            if self._embedder is not None and texts:
                return [float(c) for c in self._vectors(texts) @ self._query]
        except EndpointError:  # an embedding endpoint that does not answer: words alone
            self._embedder = None
        return [0.0] * len(texts)

    def _vectors(self, texts: list[str]) -> Any:
        """Returns the vectors of sentences, float32 (texts, dim); the last ones are kept."""
        import numpy as np

        known = self._known
        found = {text: row for text in texts if (row := known.get(text)) is not None}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            found |= zip(missing, self._embedder.embed(missing), strict=True)
        if len(known) > KEPT:
            known.clear()
        known |= found
        return np.stack([found[text] for text in texts])

    @cached_property
    def _query(self) -> Any:
        return self._embedder.embed([self._question], query=True)[0]


def _kept(index: IndexView) -> dict[str, Any]:  # noqa: ARG001
    """Returns where the vectors of sentences are kept, as long as an index is open."""
    return {}


def nearest(
    meaning: Meaning,
    sentences: Sequence[Sentence],
    wanted: Wanted,
    count: int,
    compared: int = COMPARED,
    fits: Callable[[Sentence], bool] = lambda _: True,
) -> list[Sentence]:
    """Returns the sentences nearest to the question, the nearest first.

    Args:
        meaning: compares them with the question.
        sentences: all sentences.
        wanted: the question's terms.
        count: sentences wanted.
        compared: sentences that are compared in meaning, those with most of the terms.
        fits: tells the sentences that are of use; where none of those compared is, none is
            returned, and no model is asked.
    """
    total = _weight(wanted, wanted) or 1.0
    shares = [_weight(terms(s.text), wanted) / total for s in sentences]
    order = sorted(range(len(sentences)), key=lambda n: (-shares[n], n))[:compared]
    if not any(fits(sentences[n]) for n in order):
        return []
    near = dict(zip(order, meaning.near([sentences[n].text for n in order]), strict=True))
    useful = [
        n
        for n in order
        if (shares[n] >= SHARED or near[n] >= NEAR) and sentences[n].text.count("|") < DRAWN
    ]
    best = sorted(useful, key=lambda n: (-near[n] - 0.3 * shares[n], n))[:count]
    return [sentences[n] for n in best]


def _weight(found: Iterable[str], wanted: Wanted) -> float:
    """Returns what the question's terms among `found` are worth, each question term once."""
    return sum(worths(found, wanted).values())
