"""Puts the file of what a question names behind that which answers it."""

from __future__ import annotations

import numpy as np

from hdlgraph.query.relations.found import Found

STEP = 0.01
"""Score by which the file of what is named falls behind."""
EXACT = 0.9
"""Weight of what is named from which nothing else can be meant."""
ALIKE = 0.75
"""Share of the best answer's weight from which others are as good."""
BOTH = 0.6
"""Share of the best answer's weight from which what is described is taken for an answer itself."""
PLACES = 2
"""Files of what is named at most; place behind which that of what is described stands."""


def behind(found: Found, score: np.ndarray, form: bool) -> dict[int, float]:
    """Returns what to add to the scores of the files of what a question names.

    They stand right behind the answers where they are named, behind the second file where they are
    described: people look at both ends, and asked for the other one.

    Args:
        found: what answers.
        score: of all files, float32 (n_files,).
        form: whether the question has a known form: its answers are no guesses.
    """
    top = max(found.named.values(), default=0.0)
    exact = top >= EXACT
    chosen = [
        number
        for number, weight in sorted(found.named.items())
        if weight >= top and (exact or not form or found.weight.get(number, 0.0) < BOTH * found.top)
    ]
    answers = {number: weight for number, weight in found.weight.items() if number not in chosen}
    if not answers or not chosen or len(chosen) > PLACES:
        return {}
    best = max(answers.values())
    alike = [number for number, weight in answers.items() if weight >= ALIKE * best]
    if exact:
        place = min(float(score[number]) for number in alike)
    else:
        second = float(np.sort(score)[-min(PLACES, len(score))])
        place = min(max(float(score[number]) for number in answers), second)
    change = {number: place - STEP - float(score[number]) for number in chosen}
    return change
