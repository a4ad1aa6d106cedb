"""How much two files together say of a question: each word of it by that end that says it better.

A question for a relation describes two things. For word t and files a, k with gains g, 0 to 1,
union = sum over t of w_t max(g_at, g_kt); a cut gives the words before a place to one file and
those behind it to the other, and the best place counts. w sums to 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from hdlgraph.query.features.feature import Asked as AskedFiles
from hdlgraph.query.relations.joint.sides import Words
from hdlgraph.store.lexical import TEXT

FIELDS = (TEXT, "explanation")
NAMES = ("asked", "known", "both", "asked alone", "known alone", "asked first", "known first")
"""What a channel tells of a pair, in the order of `shares`."""
WIDTH = len(NAMES)
EPS = 1e-6


class Channel(NamedTuple):
    """Weighted gains of things at the words of a question, float32 (things, words)."""

    gains: np.ndarray

    def shares(self, asked: np.ndarray, known: np.ndarray) -> np.ndarray:
        """Returns NAMES of pairs of rows, float32 (pairs, WIDTH)."""
        a, k = self.gains[asked], self.gains[known]
        own, other = a.sum(axis=1), k.sum(axis=1)
        both = np.maximum(a, k).sum(axis=1)
        a_begins, k_begins = np.cumsum(a, axis=1), np.cumsum(k, axis=1)
        a_first = (a_begins + other[:, None] - k_begins).max(axis=1, initial=0.0)
        k_first = (k_begins + own[:, None] - a_begins).max(axis=1, initial=0.0)
        return np.stack([own, other, both, both - other, both - own, a_first, k_first], axis=1)


def by_meaning(asked: AskedFiles, files: Sequence[int]) -> Channel:
    """Returns how near files are to each token; 0 for those that were not compared.

    Args:
        asked: the question.
        files: their numbers; the row behind the last one is 0, that of no file.
    """
    nearness = asked.nearness
    if nearness is None or not nearness.near.size:
        return Channel(np.zeros((len(files) + 1, 1), np.float32))
    low = np.median(nearness.near, axis=0)
    span = np.maximum(nearness.near.max(axis=0) - low, 0.0)
    every = np.clip(nearness.near - low, 0.0, None) / max(float(span.sum()), EPS)
    out = np.zeros((len(files) + 1, every.shape[1]), np.float32)
    at = {number: row for row, number in enumerate(nearness.files.tolist())}
    for row, number in enumerate(files):
        if number in at:
            out[row] = every[at[number]]
    return Channel(out)


def by_words(asked: AskedFiles, files: Sequence[int]) -> Channel:
    """Returns how much files say each content word; arguments as of `by_meaning`."""
    lexicon, groups = asked.index.lexicon, asked.question.groups
    out = np.zeros((len(files) + 1, max(len(groups), 1)), np.float32)
    numbers = np.asarray(files, np.int64)
    score = np.zeros(lexicon.n_files, np.float32)
    weights = [lexicon.group_idf(group, TEXT) for group in groups]
    for field in FIELDS:
        every = lexicon.bm25_of_each(groups, field, 1.2, 0.6)
        for at, (weight, (having, values)) in enumerate(zip(weights, every, strict=True)):
            top = float(values.max(initial=0.0))
            if top > 0:
                score[:] = 0
                score[having] = values
                out[:-1, at] += weight / len(FIELDS) * score[numbers] / top
    return Channel(out / max(sum(weights), EPS))


def by_names(words: Words, names: Sequence[Iterable[str]]) -> Channel:
    """Returns how much some names say of each word; the row behind the last one is 0."""
    return Channel(np.stack([*(words.gains(some) for some in names), words.gains(())]))


def behind_best(values: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns how far each value is behind the best, and above the mean, of its group.

    Args:
        values: float32 (pairs,).
        groups: the number of the group of each, from 0.
    """
    count = int(groups.max(initial=-1)) + 1
    best = np.full(count, -np.inf, np.float32)
    np.maximum.at(best, groups, values)
    sizes = np.bincount(groups, minlength=count)
    mean = np.bincount(groups, values, count) / np.maximum(sizes, 1)
    return values - best[groups], values - mean[groups]
