"""Printed: files whose messages, named checks or instances stand in a text that a run printed.

value(f) = max over messages m of f of covered(m)^2 sqrt(share(m)) + CHECK where the text names a
check of f + INSTANCE / n where one of its n paths of instances ends in f. covered(m) is the share
of the message that the text has (`hdlgraph.query.printed.messages`), share(m) that of the text
which these words are, both by idf.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hdlgraph.query.features.feature import Asked, Ranking, Scores
from hdlgraph.query.printed.instances import has_path, instances_of
from hdlgraph.query.printed.messages import printed_of, text_of
from hdlgraph.results import Evidence

COVERED = 0.6
"""Share of a message that a text must have, by the idf of its words."""
CHECK, INSTANCE = 0.25, 0.5
"""What a check's name and the end of a path count; a message counts 1 at most."""


class WhatIsPrinted:
    """Scores files by what a text that a run printed has of them."""

    name = "printed"

    def score(self, asked: Asked) -> Scores | None:
        """Returns the part printed, None where the text has nothing of any file."""
        value = np.zeros(asked.n_files, np.float32)
        places: dict[int, Place] = {}
        _add_messages(asked, value, places)
        for number, line in asked.index.part(printed_of).checks(asked.question.text).items():
            value[number] += CHECK
            places.setdefault(number, Place("", line, "the check of that name stands here"))
        _add_instances(asked, value, places)
        if not places:
            return None
        parts = {"printed": asked.weights.printed * value}
        return PrintedScores(parts, {"printed": value}, places=places)


@dataclass(frozen=True, slots=True)
class Place:
    """Why a file gains: a line of `path`, "" for the file itself, and what stands there."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, kw_only=True)
class PrintedScores(Scores):
    """Scores by what is printed; `places` is file -> why."""

    places: dict[int, Place]

    def evidence(self, ranking: Ranking, number: int) -> Iterator[Evidence]:
        """Yields one line: the message, the check, or the instance at which a path ends."""
        place = self.places.get(number)
        if place is not None:
            path = place.path or ranking.asked.index.lexicon.paths[number]
            yield Evidence("printed", path, place.line, place.text, ranking.part("printed", number))


def _add_messages(asked: Asked, value: np.ndarray, places: dict[int, Place]) -> None:
    """Adds the best message of each file."""
    printed = asked.index.part(printed_of)
    text = text_of(asked.question.text)
    whole = sum(map(printed.idf, text.words)) or 1.0
    for one in printed.matches(text, COVERED):
        found = one.covered**2 * (one.weight / whole) ** 0.5
        if one.covered >= COVERED and found > value[one.number]:
            value[one.number] = found
            places[one.number] = Place("", one.line, "prints that message")


def _add_instances(asked: Asked, value: np.ndarray, places: dict[int, Place]) -> None:
    """Adds the files in which a path of instances ends."""
    if not (asked.hops and has_path(asked.question.text)):
        return  # all instances are read for a path alone
    instances = asked.index.part(instances_of)
    ends = instances.ends(asked.question.text) if instances else {}
    for number, step in ends.items():
        value[number] += INSTANCE / len(ends)
        text = f"{step.parent} instantiates {step.child}, at which the path ends"
        places.setdefault(number, Place(step.path, step.line, text))
