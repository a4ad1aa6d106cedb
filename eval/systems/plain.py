"""The baselines: plain retrieval over the text of the files or over their explanations."""

from __future__ import annotations

import numpy as np

from hdlgraph.eval.scores.records import ModelUse
from hdlgraph.eval.systems.baselines import Bm25, Dense, MinMaxSum, RankFusion, Scorer, TfIdf
from hdlgraph.eval.systems.candidates import Corpus, System

BESIDE = 0.75
"""Weight of the explanation beside the whole text in `bm25-fields`, and its b."""


class ScoredSystem:
    """A baseline: sorts the candidates by a scorer, ties by path."""

    def __init__(self, name: str, corpus: Corpus, scorer: Scorer) -> None:
        self.name = name
        self.used: ModelUse | None = None
        self._paths = corpus.paths
        self._scorer = scorer

    def warm(self, question: str, k: int) -> None:
        """Ranks once."""
        self.rank(question, k)

    def rank(self, question: str, k: int) -> list[str]:
        """Returns the `k` best candidates."""
        order = np.argsort(-self._scorer.scores(question), kind="stable")[:k]
        return [self._paths[number] for number in order]


def bm25(name: str, corpus: Corpus, kind: str) -> System:
    """Returns BM25 over split identifiers."""
    return ScoredSystem(name, corpus, _bm25(corpus, kind))


def bm25_plain(name: str, corpus: Corpus, kind: str) -> System:
    """Returns BM25 over whole words."""
    scorer = corpus.scorer("bm25-plain", kind, lambda: Bm25(corpus.texts(kind), split=False))
    return ScoredSystem(name, corpus, scorer)


def tfidf(name: str, corpus: Corpus, kind: str) -> System:
    """Returns TF-IDF."""
    return ScoredSystem(name, corpus, _tfidf(corpus, kind))


def embedding(name: str, corpus: Corpus, kind: str) -> System:
    """Returns the cosine of embeddings."""
    return ScoredSystem(name, corpus, dense(corpus, kind))


def paper(name: str, corpus: Corpus, kind: str) -> System:
    """Returns the baseline of the paper: TF-IDF and embedding of one text."""
    return ScoredSystem(name, corpus, MinMaxSum(_tfidf(corpus, kind), dense(corpus, kind)))


def minmax(name: str, corpus: Corpus, kind: str) -> System:
    """Returns the min-max sum of BM25 and embedding of one text."""
    return ScoredSystem(name, corpus, MinMaxSum(_bm25(corpus, kind), dense(corpus, kind)))


def bm25_fields(name: str, corpus: Corpus, kind: str) -> System:
    """Returns BM25 over fields with a length normalisation each: whole text, explanation.

    The strongest lexical one of 84 settings tried on both development sets. It is the min-max sum
    of BM25 over path and text (b .9) and .75 times BM25 over the explanation (b .75). BM25F
    (Robertson and Zaragoza, 2009) over path with unit names, comments, code and explanation came
    close and was less even between the sets (recall@1 .367 / .433 against .417 / .417); sums of
    BM25 over those four lost to the whole text.
    """
    parts = _bm25(corpus, "code"), _beside(corpus)
    return ScoredSystem(name, corpus, MinMaxSum(*parts, weights=(1.0, BESIDE)))


def minmax_fields(name: str, corpus: Corpus, kind: str) -> System:
    """Returns the strongest plain method: BM25 over text and explanation, plus the embedding.

    Both fields weigh alike here, and so do words and embedding; of 55 settings tried on both
    development sets the best. Where a model wrote the explanations, sums over these alone
    (`minmax`, `tfidf-embedding`) are stronger.
    """
    words = MinMaxSum(_bm25(corpus, "code"), _beside(corpus))
    return ScoredSystem(name, corpus, MinMaxSum(words, dense(corpus, "explanations")))


def rrf(name: str, corpus: Corpus, kind: str) -> System:
    """Returns the reciprocal rank fusion of BM25 over the code and of the embedding.

    `kind` is the text that is embedded.
    """
    return ScoredSystem(name, corpus, RankFusion(_bm25(corpus, "code"), dense(corpus, kind)))


def _bm25(corpus: Corpus, kind: str) -> Scorer:
    return corpus.scorer("bm25", kind, lambda: Bm25(corpus.parts(kind)))


def _beside(corpus: Corpus) -> Scorer:
    kind = "explanations"
    return corpus.scorer("bm25-beside", kind, lambda: Bm25(corpus.parts(kind), b=BESIDE))


def _tfidf(corpus: Corpus, kind: str) -> Scorer:
    return corpus.scorer("tfidf", kind, lambda: TfIdf(corpus.parts(kind)))


def dense(corpus: Corpus, kind: str) -> Dense:
    """Returns the embeddings of the texts of a kind, shared between systems."""

    def make() -> Dense:
        return Dense(corpus.texts(kind), corpus.embedder(), corpus.cache)

    return corpus.shared("dense", kind, make=make)
