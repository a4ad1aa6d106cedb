"""Puts what answers the readings of a question together, each by how likely it is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hdlgraph.query.relations.find import looked_up
from hdlgraph.query.relations.found import Found
from hdlgraph.query.relations.readings.clauses import has_name
from hdlgraph.query.relations.readings.read import Reading
from hdlgraph.query.relations.readings.weighed import Weighed
from hdlgraph.query.relations.resolve import Resolver
from hdlgraph.words import STOP_WORDS
from hdlgraph.words import words as words_of

LEAST = 0.07
"""Readings whose likelihood times the weight of what is named is smaller say nothing."""
NAMED = 0.15
"""Sureness from which a reading of what is named as it is written counts as a known form does."""
EXACT = 0.9
"""Sureness from which what is named is no other thing."""
TOLD, WORDS = 0.9, 2
"""Least likelihood of a reading whose argument is described, and least words that describe it."""
PLAIN, PLAIN_NAMED = 0.8, 0.3
"""Share of an answer's weight that the plain ranking of its file gives; and where it is named."""


def blended(readings: Sequence[Reading], resolver: Resolver, plain: np.ndarray) -> Found | None:
    """Returns what answers the readings of a question together, None where nothing does.

    Args:
        readings: what it may ask for.
        resolver: of the index.
        plain: the scores of all files by the features before, float32 (n_files,).
    """
    total = Found()
    low, high = float(plain.min()), float(plain.max())
    scale = (plain - low) / (high - low) if high > low else plain * 0
    weighed = Weighed(resolver, scale)
    for reading in readings:
        found = looked_up(reading.asked, weighed)
        sure = reading.likely * min(1.0, found.sure)
        named = has_name(reading.asked.name) and found.sure >= EXACT
        if sure < LEAST or not found.weight or not (named or _is_told(reading)):
            continue
        plain_share = PLAIN_NAMED if named else PLAIN
        total.mean(sure)
        for number, weight in found.named.items():
            total.named[number] = max(weight, total.named.get(number, 0.0))
        for number, weight in found.weight.items():
            share = 1 - plain_share + plain_share * float(scale[number])
            total.add(number, weight * sure * share / found.top, found.stated[number])
            for edge in found.ends.get(number, ()):
                total.end(number, edge)
    if any(has_name(one.asked.name) for one in readings) and total.sure >= NAMED:
        total.sure = 1.0
    return total if total.weight else None


def may_count(reading: Reading) -> bool:
    """Tells whether a reading may say something, before anything is looked up for it."""
    return has_name(reading.asked.name) or _is_told(reading)


def _is_told(reading: Reading) -> bool:
    """Tells whether a reading counts whose argument is described, not named."""
    words = {word for word in words_of(reading.asked.name) if word not in STOP_WORDS}
    return reading.likely >= TOLD and len(words) >= WORDS
