"""Decides from the signs of a search whether its question is about what the index holds.

log odds = BIAS + sum of coefficient x sign; below 0 the question is refused. Fitted on questions
that the indexed files answer, whole and cut to a few words, against questions that no file answers
(`python -m hdlgraph.eval.fit.calibrate`). The bias is then moved until the whole question that is
furthest off still stands at MARGIN, so that with vectors and without them one rule serves.
"""

from __future__ import annotations

from collections.abc import Mapping

MARGIN = 0.5
"""Log odds of the on-topic question that looks least like one."""
WORD_TOPIC_SIGNS = ("covered", "strange", "terms", "lead", "together")
TOPIC_SIGNS = (*WORD_TOPIC_SIGNS, "near")

# Fitted to 790 questions of the sets of its time and nine indexes. On 6,674 questions over eleven
# corpora 1 in 100 is refused, and of the off-topic ones 74 %, with vectors and by words alone;
# `calibrate` prints what it fits to whichever questions it is given, which refuses no more.
TOPIC_BIAS = -9.559
TOPIC_COEFFICIENTS = {
    "covered": 3.251,
    "strange": -5.568,
    "terms": 1.881,
    "lead": 2.202,
    "together": 1.49,
    "near": 13.721,
}
WORD_TOPIC_BIAS = -4.434
WORD_TOPIC_COEFFICIENTS = {
    "covered": 3.898,
    "strange": -5.589,
    "terms": 2.538,
    "lead": 1.836,
    "together": 1.717,
}


def log_odds(found: Mapping[str, float]) -> float:
    """Returns how much speaks for a question being about the index, below 0 if too little.

    Args:
        found: the signs of its search (`hdlgraph.query.result.confidence.signs`).
    """
    dense = "near" in found
    weights = TOPIC_COEFFICIENTS if dense else WORD_TOPIC_COEFFICIENTS
    bias = TOPIC_BIAS if dense else WORD_TOPIC_BIAS
    return bias + sum(weight * found[name] for name, weight in weights.items())
