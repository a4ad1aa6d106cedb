"""The scores of the baselines: one array over all texts for one question, higher is better."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from hdlgraph.eval.systems.texts import Tokenise, content_parts, plain_words, stemmed_parts

WHOLE = 512
"""Tokens of a text that the embedding baseline reads: all that bge-small can."""


class Scorer(Protocol):
    """Scores all texts of a corpus for a question."""

    def scores(self, question: str) -> np.ndarray:
        """Returns float scores, shape (number of texts,)."""
        ...


Text = str | list[str]
"""A text, or its `stemmed_parts` where they are known already."""


class Bm25:
    """BM25 (Lucene's variant, k1 1.5, b .9, as bm25s computes it).

    With `split`, identifiers are split and stemmed and the question's function words dropped: of
    36 settings tried on both development sets the strongest; otherwise words stay whole, b .75.
    Source: Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009, eq. 3.15.

    Args:
        texts: the corpus.
        split: whether identifiers are split; lists of parts need it.
        b: how much the length of a text counts, 0 to 1; None takes the value above.
    """

    def __init__(self, texts: Sequence[Text], split: bool = True, b: float | None = None) -> None:
        import bm25s

        self._query: Tokenise = content_parts if split else plain_words
        self._index = bm25s.BM25(k1=1.5, b=(0.9 if split else 0.75) if b is None else b)
        # bm25s cannot index a corpus without a single token.
        documents = [_tokens(text, split) or ["\0"] for text in texts]
        self._index.index(documents, show_progress=False)
        self._n = len(texts)

    def scores(self, question: str) -> np.ndarray:
        """Returns the BM25 score of each text."""
        known = [term for term in self._query(question) if term in self._index.vocab_dict]
        return self._index.get_scores(known) if known else np.zeros(self._n, np.float32)


def _tokens(text: Text, split: bool) -> list[str]:
    if isinstance(text, list):
        return text
    return stemmed_parts(text) if split else plain_words(text)


class TfIdf:
    """Cosine of sublinear TF-IDF vectors (scikit-learn) over split, stemmed identifiers."""

    def __init__(self, texts: Sequence[Text]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._vectorizer = TfidfVectorizer(analyzer=_as_is, sublinear_tf=True, dtype=np.float32)
        # An extra document keeps a corpus without a single token from being refused.
        documents = [["\0"], *(_tokens(text, split=True) for text in texts)]
        self._matrix = self._vectorizer.fit_transform(documents)[1:]

    def scores(self, question: str) -> np.ndarray:
        """Returns the cosine of each text with the question."""
        row = self._vectorizer.transform([content_parts(question)])
        return (self._matrix @ row.T).toarray().ravel()


def _as_is(tokens: list[str]) -> list[str]:
    return tokens


class Dense:
    """Cosine of embeddings of whole texts (the first 512 tokens of each).

    Args:
        texts: the corpus.
        embedder: an `hdlgraph.index.embed.embedder.Embedder`.
        cache: folder that keeps the vectors of a corpus between runs, or None.

    Attributes:
        vectors: float32 (n, dim), a row a text, of length 1.
    """

    def __init__(self, texts: Sequence[str], embedder: Any, cache: Path | None = None) -> None:
        self._embedder = embedder
        self.vectors = _cached_vectors(texts, embedder, cache)

    def scores(self, question: str) -> np.ndarray:
        """Returns the cosine of each text with the question."""
        return self.vectors @ self._embedder.embed([question], query=True)[0]


class MinMaxSum:
    """The weighted sum of scorers, each min-max normalised over the corpus per question.

    Half the sum of two is the average that the paper's baseline takes; the order is the same.

    Args:
        *parts: the scorers.
        weights: one weight a part; None weighs all alike.
    """

    def __init__(self, *parts: Scorer, weights: Sequence[float] | None = None) -> None:
        self._parts = parts
        self._weights = tuple(weights or [1.0] * len(parts))

    def scores(self, question: str) -> np.ndarray:
        """Returns the sum of the normalised scores, from 0 to the sum of the weights."""
        both = zip(self._parts, self._weights, strict=True)
        return np.sum([weight * min_max(part.scores(question)) for part, weight in both], axis=0)


RRF_K = 60


class RankFusion:
    """Reciprocal rank fusion: the sum of 1 / (60 + rank) over scorers, rank 1 the best.

    Source: Cormack, Clarke and Büttcher, Reciprocal Rank Fusion Outperforms Condorcet and
    Individual Rank Learning Methods, SIGIR 2009, with its k of 60.
    """

    def __init__(self, *parts: Scorer) -> None:
        self._parts = parts

    def scores(self, question: str) -> np.ndarray:
        """Returns the fused score of each text; a part ranks ties in the order of the texts."""
        places = [ranks(part.scores(question)) for part in self._parts]
        return np.sum([1.0 / (RRF_K + place) for place in places], axis=0)


def ranks(scores: np.ndarray) -> np.ndarray:
    """Returns the rank of each score, from 1 for the highest; equal ones in their order."""
    out = np.empty(len(scores), np.int64)
    out[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return out


def min_max(scores: np.ndarray) -> np.ndarray:
    """Returns scores scaled to [0, 1]; zeros when all are equal."""
    low, high = float(scores.min()), float(scores.max())
    return (scores - low) / (high - low) if high > low else np.zeros_like(scores)


def _cached_vectors(texts: Sequence[str], embedder: Any, cache: Path | None) -> np.ndarray:
    if cache is None:
        return np.asarray(embedder.embed(list(texts)), np.float32)
    state = hashlib.sha256(f"{embedder.name}\0{WHOLE}\0{len(texts)}".encode())
    for text in texts:
        state.update(hashlib.sha256(text.encode(errors="replace")).digest())
    path = cache / f"{state.hexdigest()[:32]}.npy"
    if path.is_file():
        return np.load(path, allow_pickle=False).astype(np.float32)
    # Rounded at once: the first run and those from the cache must give the same ties.
    vectors = np.asarray(embedder.embed(list(texts)), np.float16)
    cache.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.stem}.{os.getpid()}.npy")
    np.save(temporary, vectors)
    temporary.replace(path)
    return vectors.astype(np.float32)
