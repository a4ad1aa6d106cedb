"""States in words how likely it is that a search found the right file."""

from __future__ import annotations

LEVELS = ((0.9, "very likely"), (0.65, "likely"), (0.3, "perhaps"), (0.0, "unlikely"))
"""Least confidence of each word; `python -m hdlgraph.eval.fit.calibrate` prints what they hold."""


def in_words(confidence: float | None) -> str:
    """Returns the word for a probability, 0 to 1; "" where it is not known."""
    if confidence is None:
        return ""
    return next(word for least, word in LEVELS if confidence >= least)
