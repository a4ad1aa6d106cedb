"""Ranks the passages of an index for the flows: by vectors, by words, as hdlgraph ranks them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hdlgraph.query.documents.rank import BODY, RANKS, ranked
from hdlgraph.query.documents.show import make_passages
from hdlgraph.store.documents.words import WHOLE
from hdlgraph.words import question_terms

if TYPE_CHECKING:
    from hdlgraph.model.passage import Passage
    from hdlgraph.project import Project

LENGTH = 4_000
"""Characters of a question or another text that is searched for."""


class Retriever:
    """The passages of one project.

    Args:
        project: with documents in its index.

    Raises:
        UsageError: no documents are indexed.
    """

    def __init__(self, project: Project) -> None:
        self._view = project.document_view()
        self._fusion = project.settings.documents.fusion
        self._allowed = self._view.of_kind("doc")
        self.with_vectors = self._view.embedder is not None

    def plain(self, texts: Sequence[str], query: bool = True) -> np.ndarray:
        """Returns the mean similarity of every passage to some texts, as plain systems rank.

        By the cosine of vectors; by BM25 where the index has none.

        Args:
            texts: at least one.
            query: whether they are questions, which the embedder is told.
        """
        view = self._view
        if view.embedder is None:
            return self.by_words(texts)
        asked = [" ".join(text[:LENGTH].split()) for text in texts]
        vectors = view.embedder.embed(asked, query=query)
        return np.mean([view.cosines(one)[1] for one in vectors], axis=0)

    def by_words(self, texts: Sequence[str]) -> np.ndarray:
        """Returns the mean BM25 of every passage for some texts."""
        field = self._view.fields[WHOLE]
        return np.mean([field.bm25(question_terms(one[:LENGTH]), BODY) for one in texts], axis=0)

    def own(self, text: str, k: int, fusion: str = "") -> list[int]:
        """Returns the numbers of the `k` best sections as `Project.passages` ranks them.

        Args:
            text: a question.
            k: sections wanted.
            fusion: how the rankings become one; "" as the settings say.
        """
        asked = " ".join(text[:LENGTH].split())
        return [n for n, _ in ranked(self._view, asked, k, "doc", fusion or self._fusion)]

    def order(self, score: np.ndarray, k: int) -> list[int]:
        """Returns the numbers of the `k` best sections of documents, ties by path and place."""
        allowed = self._allowed
        return [int(n) for n in allowed[np.argsort(-score[allowed], kind="stable")][:k]]

    def fused(self, rankings: Sequence[Sequence[int]], k: int) -> list[int]:
        """Returns the `k` best of several rankings by the sum of 1 / (60 + rank).

        Source: Cormack, Clarke and Büttcher, Reciprocal Rank Fusion, SIGIR 2009.
        """
        total: dict[int, float] = {}
        for ranking in rankings:
            for rank, number in enumerate(ranking, 1):
                total[number] = total.get(number, 0.0) + 1.0 / (RANKS + rank)
        return sorted(total, key=lambda n: (-total[n], n))[:k]

    def passages(self, numbers: Sequence[int], question: str) -> tuple[Passage, ...]:
        """Returns passages with their whole text, in the order given."""
        return make_passages(self._view, [(n, 0.0) for n in numbers], question, full=True)

    def rarity(self, stem: str) -> float:
        """Returns the weight of a word by how few passages have it."""
        return self._view.fields[WHOLE].rarity(stem)
