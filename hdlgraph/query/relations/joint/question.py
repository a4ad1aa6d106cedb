"""A question for a relation as rows are made of it, and what a row is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hdlgraph.query.best import few_best
from hdlgraph.query.mentions.nearby import Nearby
from hdlgraph.query.relations.facts.held import Held
from hdlgraph.query.relations.facts.written import Written
from hdlgraph.query.relations.found import Found
from hdlgraph.query.relations.joint.candidates import NAMED, by_word
from hdlgraph.query.relations.joint.pairs import Pair
from hdlgraph.query.relations.joint.score import model
from hdlgraph.query.relations.joint.sides import Sides, Words
from hdlgraph.query.relations.readings.read import Reading
from hdlgraph.query.relations.wording import roles

PLACES = 80
"""Files that the plain ranking finds first and whose places count."""


class Row(NamedTuple):
    """A file that may answer: alone (`kind` -1) or by an edge of a kind.

    `said` is which share of the question, and of its identifiers, the names of the edge say;
    `near` that which stands around its lines.
    """

    number: int
    kind: int = -1
    pair: Pair | None = None
    said: tuple[float, float] = (0.0, 0.0)
    near: float = 0.0

    @property
    def worth(self) -> float:
        """Returns how much the names and lines of the edge say."""
        return sum(self.said) + self.near

    @property
    def known(self) -> int:
        """Returns the number of the file of the known end, -1 for none."""
        return self.pair.known if self.pair else -1


@dataclass(frozen=True)
class Question:
    """A question as rows are made of it.

    `likely` are the probabilities of `kinds.KINDS`, `present` the scores of all files with what
    readings say, 0 to 1; `first` is the file that is best by these where they say anything, or -1.
    `form` is what answers the known form that a question has, None where it has none. `placed` is
    how likely the file that states the edge is asked for, `weights` those of the roles of tokens.
    """

    text: str
    likely: tuple[float, ...]
    readings: tuple[Reading, ...]
    sides: Sides
    words: Words
    present: np.ndarray
    first: int
    form: Found | None = None
    placed: float = 0.5
    weights: np.ndarray | None = None

    @cached_property
    def _by_word(self) -> dict[str, list[int]]:
        return by_word(self.words, self.sides.resolver)

    @cached_property
    def by_name(self) -> list[int]:
        """Returns the units and files that the question writes by name."""
        every = self._by_word.values()
        return list(dict.fromkeys(row for rows in every for row in rows))[:NAMED]

    @cached_property
    def name_groups(self) -> list[frozenset[int]]:
        """Returns the units and files that each name means that the question writes."""
        found = (frozenset(rows) for rows in self._by_word.values() if rows)
        return list(dict.fromkeys(found))

    @cached_property
    def written(self) -> Written:
        """Returns where the names stand that the question writes of what is no unit."""
        names = [word for word, rows in sorted(self._by_word.items()) if not rows]
        return Written(names, self.sides.resolver)

    @cached_property
    def held(self) -> Held:
        """Returns where the parts and their ends stand that the question names."""
        return Held(self.words.identifiers, self.by_name, self.sides.resolver.design)

    @cached_property
    def nearby(self) -> Nearby:
        """Returns how much of it stands around lines."""
        asked = self.sides.asked
        return Nearby(asked.index.lexicon, asked.question.groups)

    @property
    def named(self) -> list[int]:
        """Returns the numbers of the files of what the question writes by name."""
        design = self.sides.resolver.design
        numbers = dict.fromkeys(design.file(row) for row in self.by_name)
        return [number for number in numbers if number >= 0]

    @cached_property
    def _places(self) -> dict[int, float]:
        order = few_best(self.sides.plain, PLACES).tolist()
        return {number: 1 / rank for rank, number in enumerate(order, 1)}

    def place(self, number: int) -> float:
        """Returns 1 / the rank of a file in the plain ranking, 0 for one far behind and for -1."""
        return self._places.get(number, 0.0)

    @cached_property
    def told(self) -> np.ndarray:
        """Returns what tells of the role of each token, float32 (tokens, features)."""
        tokens, spans = self.sides.asked.vectors.tokens, self.sides.spans
        if tokens is None or not spans:
            return np.zeros((0, 0), np.float32)
        return roles.features(self.text, spans, tokens, self.likely)

    @cached_property
    def roles(self) -> np.ndarray:
        """Returns how much each token tells of what is asked for, less than 0 of what is named."""
        weights = self.weights if self.weights is not None else np.asarray(model()["roles"])
        return self.told @ weights if self.told.size else np.zeros(0)

    @cached_property
    def shares(self) -> list[float]:
        """Returns the roots of the probabilities: a kind that is not sure counts as well."""
        return [float(one**0.5) for one in self.likely]
