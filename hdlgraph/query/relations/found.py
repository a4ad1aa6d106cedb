"""What answers a question for a relation: files with weights, and the edges that say so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple


class Stated(NamedTuple):
    """An edge of the design as people read it: where it is stated and what it says."""

    path: str
    line: int
    text: str


@dataclass(slots=True)
class Found:
    """The files that answer, by number: the weight of each and what states it.

    `sure`, 0 to 1, is how well what the question names fits what it was taken for. `weight` is 1
    for an answer of which nothing is in doubt. `stated` are the lines that say so, the surest
    first. `named` are the files of what the question names, the end that it does not ask for, with
    how well that fits. `ends` are the edges at whose ports a file drives or reads what is asked.
    """

    sure: float = 0.0
    weight: dict[int, float] = field(default_factory=dict)
    stated: dict[int, list[Stated]] = field(default_factory=dict)
    named: dict[int, float] = field(default_factory=dict)
    ends: dict[int, list[int]] = field(default_factory=dict)

    def add(self, number: int, weight: float, stated: Iterable[Stated] = ()) -> None:
        """Adds an answer; of several for one file the greatest weight counts."""
        if number < 0 or weight <= 0:
            return
        first = weight > self.weight.get(number, 0.0)
        known = self.stated.setdefault(number, [])
        new = [one for one in stated if one not in known]
        self.stated[number] = [*new, *known] if first else [*known, *new]
        self.weight[number] = max(weight, self.weight.get(number, 0.0))

    def mean(self, weight: float, number: int = -1) -> None:
        """Says that something answers for a thing that the question means with some weight.

        `number` is that of the file of the thing, -1 where it is an answer itself.
        """
        self.sure = max(self.sure, weight)
        if number >= 0:
            self.named[number] = max(weight, self.named.get(number, 0.0))

    def end(self, number: int, edge: int) -> None:
        """Says at which edge a file drives or reads what is asked for."""
        edges = self.ends.setdefault(number, [])
        if edge not in edges:
            edges.append(edge)

    @property
    def top(self) -> float:
        """Returns the greatest weight, 0 where nothing answers."""
        return max(self.weight.values(), default=0.0)
