"""The evidence for the hits of one repository, in numbers comparable with those of another.

A ranking scales its features within its own index, and counts how rare a word is there: the best
file of a repository that has nothing to do with a question has as good a score as the right one.
Kept here are the values before scaling, and the counts from which words are weighed over all
repositories together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hdlgraph.query.features.feature import Ranking
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.result.confidence import EXPANDED
from hdlgraph.store.lexical import TEXT
from hdlgraph.store.surfaces import KINDS

DECLARED = "declared"
UNSURE = 0.5
"""Confidence of a search that has none."""
SURE = 0.995
"""The greatest value that a confidence counts as; the least is 1 - SURE."""
SCALED = ("text", DECLARED, "incoming", "explanation", "phrase", "window", *KINDS)
"""Parts of a score that are a weight times a value scaled within the index."""
TOKENS = "token_vectors"


@dataclass(frozen=True)
class Part:
    """A scaled part of a score: its weight, the index's bounds, and the value of each hit."""

    weight: float
    low: float
    high: float
    values: np.ndarray


@dataclass(frozen=True)
class Evidence:
    """What can be compared of a search of one repository; arrays are by hit, best first.

    `files`: in the index; `length`: mean words of a file; `frequencies`: in how many files each
    term of the question stands. `counts` and `declared`, float32 (terms, hits): how often a term,
    with its expansions, stands in a hit and in what it declares; `holds`, likewise, 1 where it
    does, less for an expansion alone, 0 where not; `lengths`: words of each hit. `nearest`: cosine
    of the nearest passage, `tokens`: mean nearness of the question's tokens, `verbatim`: share of
    the question that stands there word by word; `rest`: the parts that are not scaled. `sure`: the
    log odds of the search's confidence; `unknown`: share of the question's terms that no file has;
    `dense`: whether it was searched by vectors too.
    """

    files: int
    length: float
    frequencies: dict[str, int]
    counts: np.ndarray
    declared: np.ndarray
    holds: np.ndarray
    lengths: np.ndarray
    nearest: np.ndarray
    tokens: np.ndarray
    verbatim: np.ndarray
    parts: dict[str, Part]
    rest: np.ndarray
    sure: float
    unknown: float
    dense: bool


def evidence_of(ranking: Ranking, paths: Sequence[str], confidence: float | None) -> Evidence:
    """Returns the evidence of a search.

    Args:
        ranking: of the question in the repository.
        paths: the hits, best first.
        confidence: what the search says of itself.
    """
    lexicon, groups = ranking.asked.index.lexicon, ranking.question.groups
    numbers = np.asarray([lexicon.number(path) for path in paths], np.int64)
    frequencies = {one.term: lexicon.document_frequency(one.term) for one in groups}
    missing = sum(
        not any(lexicon.document_frequency(term) for term, _ in one.members) for one in groups
    )
    raw, lengths = ranking.raw, lexicon.lengths(TEXT)
    cosines = [raw[kind][numbers] for kind in KINDS if kind in raw]
    sure = min(max(UNSURE if confidence is None else confidence, 1 - SURE), SURE)
    parts = _parts(ranking, numbers)
    return Evidence(
        lexicon.n_files,
        float(np.mean(lengths)) if len(lengths) else 0.0,
        frequencies,
        _counts(lexicon, ranking, numbers, TEXT),
        _counts(lexicon, ranking, numbers, DECLARED),
        _holds(lexicon, ranking, numbers),
        np.asarray(lengths)[numbers].astype(np.float32),
        np.max(cosines, axis=0) if cosines else np.zeros(len(numbers), np.float32),
        _tokens(ranking, numbers),
        raw["verbatim"][numbers] if "verbatim" in raw else np.zeros(len(numbers), np.float32),
        parts,
        sum(
            (values[numbers] for name, values in ranking.parts.items() if name not in parts),
            np.zeros(len(numbers), np.float32),
        ),
        math.log(sure / (1 - sure)),
        missing / max(len(groups), 1),
        bool(cosines) and ranking.asked.nearness is not None,
    )


def _parts(ranking: Ranking, numbers: np.ndarray) -> dict[str, Part]:
    found, raw, weights = {}, ranking.raw, ranking.asked.weights
    for name in SCALED:
        if name in raw:
            values = raw[name]
            bounds = float(values.min()), float(values.max())
            found[name] = Part(getattr(weights, name), *bounds, values[numbers])
    near = ranking.asked.nearness
    if near is not None and len(near.files):
        whole = near.near.sum(axis=1)
        low, high = float(whole.min()), float(whole.max())
        values = np.full(ranking.asked.n_files, low, np.float32)
        values[near.files] = whole
        found[TOKENS] = Part(weights.token_vectors, low, high, values[numbers])
    return found


def _counts(lexicon: Lexicon, ranking: Ranking, numbers: np.ndarray, field: str) -> np.ndarray:
    groups = ranking.question.groups
    rows = [lexicon.group_frequency(one, field)[numbers] for one in groups]
    return np.stack(rows) if rows else np.zeros((0, len(numbers)), np.float32)


def _holds(lexicon: Lexicon, ranking: Ranking, numbers: np.ndarray) -> np.ndarray:
    groups = ranking.question.groups
    out = np.zeros((len(groups), len(numbers)), np.float32)
    files = lexicon.some(numbers)
    for row, group in enumerate(groups):
        for term, _ in group.members:
            worth = 1.0 if term == group.term else EXPANDED
            out[row] = np.maximum(out[row], files.has(term) * worth)
    return out


def _tokens(ranking: Ranking, numbers: np.ndarray) -> np.ndarray:
    near, out = ranking.asked.nearness, np.zeros(len(numbers), np.float32)
    if near is None or not len(near.files):
        return out
    mean = dict(zip(near.files.tolist(), near.near.mean(axis=1).tolist(), strict=True))
    return np.asarray([mean.get(number, 0.0) for number in numbers.tolist()], np.float32)
