"""Chooses which lines the first files of an answer have as evidence: the likeliest of all of them.

The files of an answer often tell the same edge. Each place is shown once, where it says most, so
that there is room for others; only the best line of a file is shown whatever the others have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from hdlgraph.query.relations.answer import Stated
from hdlgraph.query.relations.design import Design
from hdlgraph.query.relations.evidence.weighed import Told, scores, single
from hdlgraph.query.relations.joint.question import Question

LINES, EACH = 26, 10
"""Places that the files of an answer show together, and lines of one of them."""
BESIDE = 1
"""Lines around a place that is shown on which no other one is: they say little more."""

Place = tuple[str, int]


class Choice(NamedTuple):
    """A line that is shown: the number of its file, its own among those of the file, its place."""

    file: int
    line: int
    place: Place


def chosen(
    told: Mapping[int, Sequence[Told]], design: Design, question: Question
) -> dict[int, list[Stated]]:
    """Returns the lines that are shown of each file, the likeliest first.

    Args:
        told: the lines that may say why each of the first files is one, in their order.
        design: the design.
        question: the question.
    """
    first = list(told)
    every = [single(told[number]) for number in first]
    weighed = [
        scores(lines, design, question, number, first) if lines else np.zeros(0)
        for number, lines in zip(first, every, strict=True)
    ]
    places = [[(one.line.path, one.line.line) for one in lines] for lines in every]
    out: dict[int, list[Stated]] = {number: [] for number in first}
    for one in choices(weighed, places):
        out[first[one.file]].append(every[one.file][one.line].line)
    return out


def choices(weighed: Sequence[np.ndarray], places: Sequence[Sequence[Place]]) -> Iterator[Choice]:
    """Yields the lines that are shown, those of a file in the order in which they are.

    Args:
        weighed: the scores of the lines of each file.
        places: where they stand.
    """
    order = sorted(
        (-round(float(score), 6), file, line)
        for file, some in enumerate(weighed)
        for line, score in enumerate(some)
    )
    shown: set[Place] = set()
    count = [0] * len(weighed)
    for _, file, line in order:
        path, at = place = places[file][line]
        known = any((path, near) in shown for near in range(at - BESIDE, at + BESIDE + 1))
        if count[file] and (known or len(shown) >= LINES or count[file] >= EACH):
            continue
        count[file] += 1
        shown.add(place)
        yield Choice(file, line, place)


def flat(lines: Iterable[Stated]) -> list[Stated]:
    """Returns lines, the first of each place."""
    found: dict[Place, Stated] = {}
    for one in lines:
        found.setdefault((one.path, one.line), one)
    return list(found.values())
