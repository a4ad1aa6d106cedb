"""Chooses which lines the first files of an answer have as evidence: the likeliest of all of them.

The files of an answer often tell the same edge. Each place is shown once, of the file in which it
stands, so that there is room for others; only the best line of a file is shown whatever the others
have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from hdlgraph.query.relations.design import Design
from hdlgraph.query.relations.evidence.heads import with_heads
from hdlgraph.query.relations.evidence.weighed import Told, scores, single
from hdlgraph.query.relations.found import Stated
from hdlgraph.query.relations.joint.question import Question

LINES, EACH = 28, 10
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
    paths = [question.sides.resolver.path(number) for number in first]
    out: dict[int, list[Stated]] = {number: [] for number in first}
    for one in choices(weighed, places, paths):
        out[first[one.file]].append(every[one.file][one.line].line)
    return with_heads(out, design)


def choices(
    weighed: Sequence[np.ndarray], places: Sequence[Sequence[Place]], paths: Sequence[str]
) -> Iterator[Choice]:
    """Yields the lines that are shown, those of a file in the order in which they are.

    A line of one of the files is shown of that one, where it is told of it as well.

    Args:
        weighed: the scores of the lines of each file.
        places: where they stand.
        paths: of the files.
    """
    order = sorted(
        (-round(float(score), 6), file, line)
        for file, some in enumerate(weighed)
        for line, score in enumerate(some)
    )
    best: list[dict[Place, int]] = [{} for _ in weighed]
    for _, file, line in order:
        best[file].setdefault(places[file][line], line)
    shown: set[Place] = set()
    count = [0] * len(weighed)
    for _, file, line in order:
        path, at = place = places[file][line]
        if count[file]:
            known = any((path, near) in shown for near in range(at - BESIDE, at + BESIDE + 1))
            if known or len(shown) >= LINES:
                continue
            home = paths.index(path) if path in paths else file
            if place in best[home] and count[home] < EACH:
                file, line = home, best[home][place]
            elif count[file] >= EACH:
                continue
        if count[file] or path not in paths or path == paths[file]:
            shown.add(place)
        count[file] += 1
        yield Choice(file, line, place)


def flat(lines: Iterable[Stated]) -> list[Stated]:
    """Returns lines, the first of each place."""
    found: dict[Place, Stated] = {}
    for one in lines:
        found.setdefault((one.path, one.line), one)
    return list(found.values())
