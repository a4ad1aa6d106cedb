"""Puts the file of what a question names behind that which answers it."""

from __future__ import annotations

import numpy as np

from hdlgraph.query.relations.answer import Found

STEP = 0.01
"""Score by which the file of what is named falls behind."""
EXACT = 0.9
"""Weight of what is named from which nothing else can be meant."""
PLACES = 2
"""Places behind the best answer at which the file of what is described stands."""


def behind(found: Found, score: np.ndarray) -> dict[int, float]:
    """Returns what to add to the scores of the files of what a question names.

    They stand right behind the best answer where they are named, some places behind it where they
    are described: people look at both ends, and asked for the other one.

    Args:
        found: what answers.
        score: of all files, float32 (n_files,).
    """
    top = max(found.named.values(), default=0.0)
    chosen = [number for number, weight in sorted(found.named.items()) if weight >= top]
    answers = [number for number in found.weight if number not in chosen]
    if not answers or not chosen or len(chosen) > PLACES:
        return {}
    best = max(float(score[number]) for number in answers)
    place = best
    if top < EXACT and len(score) > PLACES:
        place = min(best, float(np.partition(score, -PLACES)[-PLACES]))
    change = {number: place - STEP - float(score[number]) for number in chosen}
    return change
