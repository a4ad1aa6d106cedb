"""Scores passages by their words: BM25, and the cosine of TF-IDF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hdlgraph.store.documents.words import Postings

SMALL = 1_000
"""Passages of a collection from which on its own numbers say how rare a word is."""


class Shape(NamedTuple):
    """The two constants of BM25."""

    k1: float
    b: float


class Field:
    """A field of all passages, ready to be scored.

    Args:
        postings: its words.
    """

    def __init__(self, postings: Postings) -> None:
        self.postings = postings
        self._lengths = np.bincount(
            postings.rows, weights=postings.counts, minlength=postings.passages
        ).astype(np.float32)
        self._mean = float(self._lengths.mean()) if postings.passages else 0.0

    def bm25(self, terms: Sequence[str], shape: Shape) -> np.ndarray:
        """Returns the BM25 of every passage for the terms of a question."""
        score = np.zeros(self.postings.passages, np.float32)
        k1, b = shape
        norm = k1 * (1 - b + b * self._lengths / (self._mean or 1.0))
        for term in dict.fromkeys(terms):
            rows, counts = self.postings.of(term)
            if len(rows):
                idf = self._idf(len(rows))
                score[rows] += idf * counts * (k1 + 1) / (counts + norm[rows])
        return score

    def rarity(self, term: str) -> float:
        """Returns the weight of a term by how few passages have it."""
        return self._idf(len(self.postings.of(term)[0]))

    def _idf(self, frequency: int) -> float:
        return float(np.log1p((self.postings.passages - frequency + 0.5) / (frequency + 0.5)))

    def idf_of(self, term: str) -> float:
        """Returns how rare a term is, as if there were SMALL passages where there are fewer.

        One that no passage has is rarest. Of a few passages most words stand in most of them,
        which makes none of them less telling.
        """
        frequency = len(self.postings.of(term)[0])
        passages = max(self.postings.passages, SMALL)
        return float(np.log1p((passages - frequency + 0.5) / (frequency + 0.5)))

    @cached_property
    def _weighted(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns (idf of each term, weight of each posting in a passage's vector of length 1)."""
        postings = self.postings
        frequency = np.diff(postings.starts)
        idf = (np.log((1 + postings.passages) / (1 + frequency)) + 1).astype(np.float32)
        weights = (1 + np.log(postings.counts)) * np.repeat(idf, frequency)
        length = np.sqrt(np.bincount(postings.rows, weights**2, minlength=postings.passages))
        return idf, (weights / np.maximum(length[postings.rows], 1e-9)).astype(np.float32)

    def tfidf(self, terms: Mapping[str, int]) -> np.ndarray:
        """Returns the cosine of every passage with the terms of a question, but for its length."""
        postings = self.postings
        score = np.zeros(postings.passages, np.float32)
        idf, weights = self._weighted
        for term, count in terms.items():
            number = postings.terms.get(term)
            if number is not None:
                part = slice(postings.starts[number], postings.starts[number + 1])
                score[postings.rows[part]] += weights[part] * idf[number] * (1 + np.log(count))
        return score


def spread(score: np.ndarray) -> np.ndarray:
    """Returns scores from 0 (the worst) to 1 (the best); all 0 where they are the same."""
    if not len(score):
        return score
    low, high = float(score.min()), float(score.max())
    return (score - low) / (high - low) if high > low else np.zeros_like(score)
