"""What the numbers mean: measures of one ranking, and comparisons over many.

A ranking is a sequence of paths, best first, without repetition. All measures are in [0, 1],
higher is better. Warning on names: IR's recall@k divides by the number of relevant files, so
recall@1 is at most 1/|R|; code-search papers usually print what is here called success@k ("a right
file is among the first k"). Both are equal when a question has one relevant file.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

SEED = 20260101
"""Seed of all resampling: the same rankings give the same intervals."""

RESAMPLES = 10_000


class Interval(NamedTuple):
    """A mean and the bounds of its confidence interval."""

    mean: float
    low: float
    high: float


class Duel(NamedTuple):
    """Questions that the first system wins, that the second wins, and that neither does."""

    wins: int
    losses: int
    ties: int


def recall(ranking: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Returns recall@k = |top-k(ranking) ∩ R| / |R| (R: relevant files; 0 if R is empty)."""
    wanted = frozenset(relevant)
    return len(wanted.intersection(ranking[:k])) / len(wanted) if wanted else 0.0


def lenient_recall(
    ranking: Sequence[str],
    relevant: Collection[str],
    equivalent: Collection[str],
    k: int,
    copies: Mapping[str, Collection[str]] = {},
) -> float:
    """Returns lenient recall@k = min(|R|, |C(top-k(ranking)) ∩ (R ∪ E)|) / |R|.

    An equivalent file stands in for a relevant one; with one relevant file this is 1 when any
    right or equivalent file is among the first k. C adds to each path the copies folded into it.
    Never below `recall`.
    """
    wanted = frozenset(relevant)
    paths = chain.from_iterable(expanded(ranking[:k], copies))
    found = len((wanted | frozenset(equivalent)).intersection(paths))
    return min(len(wanted), found) / len(wanted) if wanted else 0.0


def expanded(ranking: Sequence[str], copies: Mapping[str, Collection[str]]) -> list[list[str]]:
    """Returns the files that each hit of a ranking stands for: its path, then its copies."""
    return [[path, *sorted(copies.get(path, ()))] for path in ranking]


def success(ranking: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Returns success@k (hit rate): 1 if any of the first k is relevant, else 0."""
    return float(not frozenset(relevant).isdisjoint(ranking[:k]))


def first_rank(
    ranking: Sequence[str],
    relevant: Collection[str],
    copies: Mapping[str, Collection[str]] = {},
) -> int:
    """Returns the rank (from 1) of the first hit with a relevant file, or 0 when there is none."""
    wanted, hits = frozenset(relevant), enumerate(expanded(ranking, copies), 1)
    return next((rank for rank, paths in hits if not wanted.isdisjoint(paths)), 0)


def reciprocal_rank(ranking: Sequence[str], relevant: Collection[str]) -> float:
    """Returns 1 / (rank of the first relevant file), 0 when it is not ranked; its mean is MRR."""
    rank = first_rank(ranking, relevant)
    return 1 / rank if rank else 0.0


def ndcg(ranking: Sequence[str], relevant: Collection[str], k: int = 10) -> float:
    """Returns nDCG@k with binary gains: Σ 1/log2(rank + 1) over hits / the best possible sum.

    Source: Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 2002.
    """
    wanted = frozenset(relevant)
    gained = sum(1 / math.log2(i + 2) for i, path in enumerate(ranking[:k]) if path in wanted)
    best = sum(1 / math.log2(i + 2) for i in range(min(len(wanted), k)))
    return gained / best if best else 0.0


def interval(values: Sequence[float], level: float = 0.95, seed: int = SEED) -> Interval:
    """Returns the mean with its percentile bootstrap interval over questions.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
    """
    data = np.asarray(values, float)
    if not len(data):
        return Interval(0.0, 0.0, 0.0)
    means = data[_resampled(len(data), seed)].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(data.mean()), float(low), float(high))


def paired_p(first: Sequence[float], second: Sequence[float], seed: int = SEED) -> float:
    """Returns the two-sided paired bootstrap p-value of equal means.

    The per-question differences are shifted to mean 0 and resampled; p is the share of resampled
    means at least as far from 0 as the observed one, with one added to both counts. Of few
    questions the bootstrap says too little: p is never below 2 / 2^d, the least that an exact test
    by signs can say of d questions that differ.
    Source: Efron and Tibshirani 1993, sections 16.4 and 15.2 (permutation tests).
    """
    difference = np.asarray(first, float) - np.asarray(second, float)
    if not len(difference) or not difference.any():
        return 1.0
    observed = abs(difference.mean())
    centred = difference - difference.mean()
    means = centred[_resampled(len(difference), seed)].mean(axis=1)
    extreme = int((np.abs(means) >= observed - 1e-12).sum())
    least = 2.0 ** (1 - int(np.count_nonzero(difference)))
    return max((extreme + 1) / (len(means) + 1), least)


def paired_interval(
    first: Sequence[float], second: Sequence[float], level: float = 0.95, seed: int = SEED
) -> Interval:
    """Returns the mean difference first - second with its paired percentile bootstrap interval.

    Source: Efron and Tibshirani 1993, chapter 13, over the per-question differences.
    """
    return interval([a - b for a, b in zip(first, second, strict=True)], level, seed)


def percentile(values: Sequence[float], share: float) -> float:
    """Returns the percentile `share` in [0, 100], linear between order statistics; 0 of nothing."""
    return float(np.percentile(np.asarray(values, float), share)) if len(values) else 0.0


def duel(first: Sequence[float], second: Sequence[float]) -> Duel:
    """Returns wins, losses and ties of the first system over the same questions."""
    wins = sum(a > b for a, b in zip(first, second, strict=True))
    losses = sum(a < b for a, b in zip(first, second, strict=True))
    return Duel(wins, losses, len(first) - wins - losses)


@lru_cache(maxsize=2)
def _resampled(n: int, seed: int) -> np.ndarray:
    """Returns RESAMPLES rows of n indices drawn with replacement; do not change them."""
    return np.random.default_rng(seed).integers(0, n, (RESAMPLES, n), dtype=np.int32)
