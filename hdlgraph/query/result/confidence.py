"""Estimates how probable it is that a search found the right file, from signs of the search.

P(right file among the first 5) = 1 / (1 + exp(-(b + sum of w_i x_i))), a logistic regression over
the signs below, fitted on questions of many repositories and on questions that no file answers:
one for searches whose first files the network put in order, one for other searches with vectors,
one for those by words alone. `python -m hdlgraph.eval.fit.calibrate` prints the constants. The
signs are shares, ranks and ratios, so that other weights of the ranking move them little.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from hdlgraph.model.kinds import UNIT_KINDS
from hdlgraph.query.features.feature import Ranking
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.question.analyse import Question
from hdlgraph.query.result.topic import log_odds
from hdlgraph.store.surfaces import KINDS
from hdlgraph.words import STOP_WORDS

FIRST = 5
"""The right file is among so many, or the search counts as failed."""
SEEN = 40  # files that the network gave numbers when the sign `network` was fitted
LOOKED_AT = 3  # best files whose words are counted
EXPANDED = 0.7  # worth of an expansion against the question's own word
DEEP = 50  # the hit that stands for files that have nothing to do with the question
CHANCE = 0.02
"""Gain of the nearest passage's cosine with ln(passages), by chance alone."""
KNOWN_EMBEDDER = "bge-small-en-v1.5"
TERSE, NEAR = 2, 0.5
"""A question of so few words that has so near a passage is not called weak for its words."""
WORD_SIGNS = ("covered", "unknown", "terms", "margin", "lead", "text_rank")
SIGNS = (*WORD_SIGNS, "near", "near_rank")
NETWORK_SIGNS = (*SIGNS, "network")
LEAST_ODDS = 0.001
"""Keeps the odds of a share of 0 or 1 finite."""

# Printed by `python -m hdlgraph.eval.fit.calibrate`.
LIMIT = 0.03
"""Confidence below which a reader sees a note that nothing found fits: that of a question which the
signs say is not about this index (`hdlgraph.query.result.topic`) is at most REFUSED."""
REFUSED = 0.02
NAMED, WORD_NAMED = 0.97, 0.93
"""Share of the questions that name what a file declares whose right file is among the first FIRST,
with vectors and by words alone."""
SMALL = 39
"""Files of the smallest index that the rule was fitted on: in a smaller one most words are rare."""
SOME = 0.2
"""Share of a question's words, by rarity, from which a small index does not refuse it."""
NETWORK_BIAS = -11.554
NETWORK_COEFFICIENTS = {
    "covered": 2.702,
    "unknown": -3.327,
    "terms": 2.174,
    "margin": 1.09,
    "lead": -0.442,
    "text_rank": 0.183,
    "near": 9.074,
    "near_rank": -0.015,
    "network": 0.762,
}
BIAS = -12.745
COEFFICIENTS = {
    "covered": 4.617,
    "unknown": -1.763,
    "terms": 1.862,
    "margin": 1.552,
    "lead": 2.895,
    "text_rank": 0.013,
    "near": 11.378,
    "near_rank": -0.142,
}
WORD_BIAS = -8.619
WORD_COEFFICIENTS = {
    "covered": 5.726,
    "unknown": -1.939,
    "terms": 2.018,
    "margin": 0.34,
    "lead": 3.724,
    "text_rank": -0.147,
}
NETWORK_UNSEEN, UNSEEN = (0.85, -0.25), (0.55, 0.55)
"""(slope, shift) of the log odds of the two with vectors: the network and the reading of relations
were fitted on the same repositories. From 671 questions that none of these fits saw, over thirteen
repositories, each counted alike; four of them were in no fit at all."""


def signs(ranking: Ranking) -> dict[str, float]:
    """Returns the signs of a search by name; without vectors those of words alone.

    They are those of SIGNS and of `hdlgraph.query.result.topic.TOPIC_SIGNS`, and `files`, the
    number of files in the index.

    Args:
        ranking: what was asked and found, with at least one file.
    """
    question, order, score, raw = ranking.question, ranking.order, ranking.score, ranking.raw
    lexicon, passages = ranking.asked.index.lexicon, known_passages(ranking)
    best, groups = order[0], question.groups
    values = [float(score[n]) for n in order[: DEEP + 1]]
    spread = max(values[0] - values[-1], 1e-6)
    fifth = values[min(FIRST, len(values) - 1)]
    unknown = sum(
        not any(lexicon.document_frequency(term) for term, _ in group.members) for group in groups
    )
    rarity = [lexicon.idf(lexicon.document_frequency(group.term)) for group in groups]
    absent = lexicon.idf(0)
    together = float(raw["phrase"][list(order[:LOOKED_AT])].max())
    found = {
        "covered": float(coverage(lexicon, question, order[:LOOKED_AT]).max()),
        "unknown": unknown / max(len(groups), 1),
        "strange": sum(one for one in rarity if one == absent) / max(sum(rarity), 1e-6),
        "terms": math.log1p(len(groups)),
        "margin": (values[0] - values[min(1, len(values) - 1)]) / spread,
        "lead": (values[0] - fifth) / spread,
        "text_rank": _log_rank(raw["text"], best),
        "together": math.log1p(together / absent),
        "files": float(lexicon.n_files),
    }
    if ranking.network is not None:
        found["network"] = _network_sign(ranking.network)
    cosines = [raw[kind] for kind in KINDS if kind in raw]
    if passages and cosines:
        nearest = np.max(cosines, axis=0)
        chance = CHANCE * math.log(passages)
        found["near"] = float(nearest[list(order[:LOOKED_AT])].max()) - chance
        found["near_rank"] = _log_rank(nearest, best)
    return found


def _network_sign(values: np.ndarray) -> float:
    """Returns the log odds that the network gives the first FIRST files together, by softmax.

    Counted are the SEEN best: of so many it was fitted.
    """
    shares = np.exp(values[:SEEN] - values.max())
    first = float(shares[:FIRST].sum() / shares.sum())
    return math.log((first + LEAST_ODDS) / (1 - first + LEAST_ODDS))


def named(ranking: Ranking) -> bool:
    """Returns whether the question names what one of the first files declares.

    It writes an identifier of the index, as it is spelt there, or is little more than the name of a
    unit.
    """
    if ranking.question.respelt:
        return False
    if "identifier" in ranking.parts:
        return True
    words = [group.term for group in ranking.question.groups]
    if len(words) > TERSE:
        return False
    lexicon, first = ranking.asked.index.lexicon, set(ranking.order[:FIRST])
    asked = {word.lower() for word in re.findall(r"[A-Za-z]\w+", ranking.question.text)}
    return any(
        place[0] in first and place[2] in UNIT_KINDS
        for word in asked - STOP_WORDS
        for place in lexicon.places(word)
    )


def any_known(ranking: Ranking) -> bool:
    """Returns whether any word of the question, or an expansion of it, stands in the index."""
    lexicon = ranking.asked.index.lexicon
    return any(
        lexicon.document_frequency(term)
        for group in ranking.question.groups
        for term, _ in group.members
    )


def reads_all_languages(ranking: Ranking) -> bool:
    """Returns whether the index is searched by an embedder that may know more than English."""
    surfaces = ranking.asked.index.surfaces
    if surfaces is None or ranking.asked.index.embedder is None:
        return False
    return not surfaces.models.embedder.startswith(KNOWN_EMBEDDER)


def known_passages(ranking: Ranking) -> int:
    """Returns how many vectors the index has; 0 for none, or cosines of an unknown scale."""
    surfaces = ranking.asked.index.surfaces
    if surfaces is None or ranking.asked.index.embedder is None:
        return 0
    known = surfaces.models.embedder.startswith(KNOWN_EMBEDDER)
    return len(surfaces.owner) if known else 0


def confidence(found: dict[str, float]) -> float:
    """Returns P(right file among the first FIRST), 0 to 1, of a search with these signs."""
    slope, shift = 1.0, 0.0
    if "network" in found and "near" in found:
        total, weights, (slope, shift) = NETWORK_BIAS, NETWORK_COEFFICIENTS, NETWORK_UNSEEN
    elif "near" in found:
        total, weights, (slope, shift) = BIAS, COEFFICIENTS, UNSEEN
    else:
        total, weights = WORD_BIAS, WORD_COEFFICIENTS
    total += sum(weight * found[name] for name, weight in weights.items())
    total = slope * total + shift
    value = 1.0 / (1.0 + math.exp(-max(min(total, 30.0), -30.0)))
    return max(value, LIMIT) if _on_topic(found) else min(value, REFUSED)


def sure_of_name(found: dict[str, float]) -> float:
    """Returns the same of a search whose question names what one of its first files declares."""
    return NAMED if "near" in found else WORD_NAMED


def _on_topic(found: dict[str, float]) -> bool:
    # So few words tell little against a passage that is near.
    if found["terms"] <= math.log1p(TERSE) and found.get("near", 0.0) >= NEAR:
        return True
    if found["files"] < SMALL and found["covered"] >= SOME:
        return True
    return log_odds(found) >= 0


def coverage(lexicon: Lexicon, question: Question, numbers: Sequence[int]) -> np.ndarray:
    """Returns the share, 0 to 1, of the question's idf that each file's words account for."""
    files = lexicon.some(numbers)
    total, found = 0.0, np.zeros(len(numbers))
    for group in question.groups:
        weight = lexicon.idf(lexicon.document_frequency(group.term))
        total += weight
        worth = np.zeros(len(numbers))
        for term, _ in group.members:
            worth = np.maximum(worth, files.has(term) * (1.0 if term == group.term else EXPANDED))
        found += weight * worth
    return found / total if total else found


def _log_rank(values: np.ndarray, number: int) -> float:
    """Returns ln of the place, from 1, that a file takes by one feature."""
    return math.log1p(int((values > values[number]).sum()))
