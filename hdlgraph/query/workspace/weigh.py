"""Estimates for the hits of several repositories how likely each is the right one.

P(hit) = exp(w . x(hit)) / (exp(w_0) + sum over all hits exp(w . x)): a conditional logit
(McFadden 1974) over the first hits of every repository and the case that none is right. x are the
signs below, made of values that compare between repositories; words weigh what they are worth in
all repositories together. The numbers were fitted by `python -m hdlgraph.eval.fit.workspace`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from hdlgraph.query.workspace.evidence import Evidence

DEPTH = 10
"""Hits of each repository that are weighed against each other."""
K1, B = 1.5, 0.8
"""Of BM25 over the text of files, as the search has them."""
K1_DECLARED = 1.2
SIGNS = (
    "place", "gap", "sure", "together", "words", "declared", "covered", "nearest", "tokens",
    "verbatim", "unknown", "files", "named",
)  # fmt: skip
"""What `signs` gives of each hit, in this order: ln of its place in its own repository, how far its
score is behind that of the first there, the log odds of that search's confidence; the score that
it would have with all features scaled over all repositories; BM25 of its text and of what it
declares, and the share of the question's words that it has, each by what words are worth in all
repositories together and as a share of the question's worth; cosine of its nearest passage, mean
nearness of the question's tokens, share of the question that it has word by word; share of the
question's words that its repository has not; ln of the files there, and whether the question names
the repository."""

# Printed by `python -m hdlgraph.eval.fit.workspace`, the second two with --words.
NONE = 8.153
WEIGHTS = (
    -0.609, -0.182, 0.436, 1.115, 3.005, 0.679, -1.453, 9.276, 1.876,
    1.450, -0.961, -0.755, 0.871,
)  # fmt: skip
WORD_NONE = 4.508
WORD_WEIGHTS = (
    -0.881, -0.010, 0.586, 0.722, 2.662, 2.190, 0.0, 0.0, 0.0,
    2.240, -0.190, 0.017, 0.871,
)  # fmt: skip
"""Of repositories of which one was searched by words alone."""


def signs(
    found: Mapping[str, Evidence], scores: Mapping[str, np.ndarray], question: str
) -> dict[str, np.ndarray]:
    """Returns the signs of the hits of each repository, float64 (hits, len(SIGNS)).

    Args:
        found: the evidence of each repository, by its name.
        scores: the scores of its hits, best first.
        question: as asked.
    """
    total = sum(one.files for one in found.values())
    length = sum(one.length * one.files for one in found.values()) / max(total, 1)
    frequencies: dict[str, int] = {}
    for one in found.values():
        for term, count in one.frequencies.items():
            frequencies[term] = frequencies.get(term, 0) + count
    worth = {term: math.log1p((total - n + 0.5) / (n + 0.5)) for term, n in frequencies.items()}
    bounds = _bounds(list(found.values()))
    return {
        name: _signs_of(
            one, scores[name], worth, max(length, 1.0), bounds, is_named(name, question)
        )
        for name, one in found.items()
    }


def _bounds(found: Sequence[Evidence]) -> dict[str, tuple[float, float]]:
    """Returns the lowest and the highest value of each part over all repositories.

    A part that one of them does not have, for want of vectors, says nothing of the others either.
    """
    shared = set.intersection(*(set(one.parts) for one in found)) if found else set()
    return {
        name: (
            min(one.parts[name].low for one in found),
            max(one.parts[name].high for one in found),
        )
        for name in sorted(shared)
    }


def _signs_of(
    one: Evidence,
    score: np.ndarray,
    worth: Mapping[str, float],
    length: float,
    bounds: Mapping[str, tuple[float, float]],
    named: bool,
) -> np.ndarray:
    """Returns the signs of the hits of one repository, float64 (hits, signs); see `weigh`.

    Args:
        one: the evidence of its search.
        score: the scores of its hits, best first.
        worth: the weight of each term of the question over all repositories.
        length: mean words of a file over all repositories.
        bounds: (low, high) of each scaled part of a score over all repositories.
        named: whether the question names the repository.
    """
    count = len(score)
    rare = np.asarray([worth[term] for term in one.frequencies], np.float64)[:, None]
    whole = max(float(rare.sum()), 1e-6)
    norm = K1 * (1 - B + B * one.lengths / length)
    words = (rare * one.counts * (K1 + 1) / (one.counts + norm)).sum(axis=0)
    declared = (rare * one.declared * (K1_DECLARED + 1) / (one.declared + K1_DECLARED)).sum(axis=0)
    together = one.rest.astype(np.float64)
    for name, (low, high) in bounds.items():
        part = one.parts[name]
        if high > low:
            together = together + part.weight * (part.values - low) / (high - low)
    every = np.ones(count)
    return np.stack(
        [
            np.log1p(np.arange(count)),
            score[:1] - score,
            one.sure * every,
            together,
            words / whole,
            declared / whole,
            (rare * one.holds).sum(axis=0) / whole,
            one.nearest,
            one.tokens,
            one.verbatim,
            one.unknown * every,
            math.log(max(one.files, 1)) * every,
            named * every,
        ],
        axis=1,
    )


def is_named(name: str, question: str) -> bool:
    """Returns whether a question names a repository, by a word of its own."""
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", question, re.IGNORECASE) is not None


def probabilities(features: Mapping[str, np.ndarray], dense: bool = True) -> dict[str, np.ndarray]:
    """Returns how likely each hit is the right one, 0 to 1.

    Those of the first DEPTH hits of all repositories are at most 1 together; a longer list does not
    change them.

    Args:
        features: the `signs` of the hits of each repository.
        dense: whether all of them were searched by vectors too.
    """
    none, weights = (NONE, WEIGHTS) if dense else (WORD_NONE, WORD_WEIGHTS)
    logits = {name: one @ np.asarray(weights) for name, one in features.items()}
    top = max([none, *(float(one.max()) for one in logits.values() if len(one))])
    powers = {name: np.exp(one - top) for name, one in logits.items()}
    whole = math.exp(none - top) + sum(float(one[:DEPTH].sum()) for one in powers.values())
    return {name: one / whole for name, one in powers.items()}
