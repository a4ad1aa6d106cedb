"""Ranks passages for a question: the sum of what words and vectors say, and its best clause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hdlgraph.query.documents.clauses import clauses
from hdlgraph.query.documents.scores import Shape, spread
from hdlgraph.query.documents.view import DocumentsView
from hdlgraph.store.documents.words import HEADING, WHOLE, count
from hdlgraph.words import content_stems, question_terms

BODY, TITLE = Shape(1.2, 0.75), Shape(1.2, 0.3)
"""BM25 of title and text together, and of titles alone, whose lengths say little."""
RANKS = 60
"""The constant k of reciprocal rank fusion."""
POOL = 50
"""Passages among which mmr chooses."""
RELEVANCE = 0.7
"""How much the score counts in mmr against what is new."""


def scores(view: DocumentsView, question: str, fusion: str = "sum") -> np.ndarray:
    """Returns the score of every passage.

    Args:
        view: the passages.
        question: free text.
        fusion: "sum" adds the scores of all features, each spread from 0 to 1; "rrf" adds
            1 / (60 + rank) instead.
    """
    parts = clauses(question)
    near = _nearness(view, [question, *parts])
    whole = _total(_features(view, question, near), fusion)
    if parts:
        each = [_total(_features(view, one, near), fusion) for one in parts]
        whole = spread(whole) + np.max(np.stack([spread(one) for one in each]), axis=0)
    return spread(whole) + view.prior


def _nearness(
    view: DocumentsView, texts: Sequence[str]
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Returns of each text what `DocumentsView.cosines` gives; nothing without an embedder."""
    if view.embedder is None:
        return {}
    wanted = list(dict.fromkeys(texts))
    vectors = view.embedder.embed(wanted, query=True)
    return dict(zip(wanted, map(view.cosines, vectors), strict=True))


def _features(
    view: DocumentsView, text: str, near: Mapping[str, tuple[np.ndarray, np.ndarray]]
) -> list[np.ndarray]:
    """Returns the scores of every passage by each feature."""
    asked, fields = question_terms(text), view.fields
    found = [
        fields[WHOLE].bm25(asked, BODY),
        fields[HEADING].bm25(asked, TITLE),
        fields[WHOLE].tfidf(count(asked)),
    ]
    return [*found, *near.get(text, ())]


def _total(features: Sequence[np.ndarray], fusion: str) -> np.ndarray:
    if fusion != "rrf":
        return np.sum([spread(one) for one in features], axis=0)
    total = np.zeros(len(features[0]), np.float32)
    for one in features:
        order = np.argsort(-one, kind="stable")
        rank = np.empty(len(one), np.float32)
        rank[order] = np.arange(1, len(one) + 1)
        # What a feature says nothing of has no rank in it.
        total += np.where(one > one.min(), 1.0 / (RANKS + rank), 0.0)
    return total


def ranked(
    view: DocumentsView, question: str, k: int, kind: str = "", fusion: str = "sum"
) -> list[tuple[int, float]]:
    """Returns the `k` best passages of a kind, or of all for "", with their scores.

    Passages that no feature says anything of are none.
    """
    if not len(view.of_kind(kind)):
        return []
    score = scores(view, question, "sum" if fusion == "mmr" else fusion)
    return in_order(view, score, k, kind, fusion)


def in_order(
    view: DocumentsView, score: np.ndarray, k: int, kind: str = "", fusion: str = "sum"
) -> list[tuple[int, float]]:
    """Returns the `k` best passages of a kind by their scores, without those that have none."""
    allowed = view.of_kind(kind)
    # Passages are sorted by document and place, so that a stable sort breaks ties by path.
    order = allowed[np.argsort(-score[allowed], kind="stable")]
    order = order[score[order] > 0]
    if fusion == "mmr":
        order = np.asarray(_diverse(view, order[:POOL], score, k), np.int64)
    return [(int(n), round(float(score[n]), 4)) for n in order[:k]]


def _diverse(view: DocumentsView, order: np.ndarray, score: np.ndarray, k: int) -> list[int]:
    """Returns passages by maximal marginal relevance: each as unlike those before as it can be."""
    words = {int(n): frozenset(content_stems(view.passages[n].text)) for n in order}
    chosen: list[int] = []
    left = [int(n) for n in order]
    while left and len(chosen) < k:
        best = max(left, key=lambda n: (_worth(n, score, words, chosen), -n))
        chosen.append(best)
        left.remove(best)
    return chosen


def _worth(
    n: int, score: np.ndarray, words: dict[int, frozenset[str]], chosen: Sequence[int]
) -> float:
    like = max((_alike(words[n], words[one]) for one in chosen), default=0.0)
    return RELEVANCE * float(score[n]) - (1 - RELEVANCE) * like


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(len(one | other), 1)
