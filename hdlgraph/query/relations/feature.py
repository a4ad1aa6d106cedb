"""Relations: a question that names a relation of the design means the files at its other end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hdlgraph.query.features.feature import Asked as AskedFiles
from hdlgraph.query.features.feature import Ranking, Scores
from hdlgraph.query.relations.answer import Found
from hdlgraph.query.relations.answers import answers
from hdlgraph.query.relations.asked import Asked
from hdlgraph.query.relations.detect import asked_relation
from hdlgraph.query.relations.resolve import resolver_of
from hdlgraph.results import Evidence

KEPT = 0.3
"""Share of the other features' scores where a relation is asked for."""
SHOWN = 3
"""Edges that the evidence of a file has."""


class Related:
    """Scores the files that answer a question for a relation by the edges of the design."""

    name = "relation"

    def score(self, asked: AskedFiles) -> Scores | None:
        """Returns the part relation, None where the question asks for none or nothing answers."""
        relation = asked_relation(asked.question.text)
        if relation is None or not asked.hops:
            return None
        resolver = asked.index.part(resolver_of)
        found = answers(relation, resolver) if resolver else None
        if found is None:
            return None
        part = np.zeros(asked.n_files, np.float32)
        part -= (1 - KEPT) * asked.so_far()  # which mostly fits what the question names
        for number, weight in found.weight.items():
            part[number] += asked.weights.relation * weight * min(1.0, found.sure) / found.top
        mask = asked.mask
        if mask is not None:
            part[~mask] = 0
        return RelatedScores({"relation": part}, asked=relation, found=found)


@dataclass(frozen=True, kw_only=True)
class RelatedScores(Scores):
    """Scores by relations, with what was asked and found."""

    asked: Asked
    found: Found

    def evidence(self, ranking: Ranking, number: int) -> Iterator[Evidence]:
        """Yields the edges by which a file answers, each where it is stated."""
        score = ranking.part("relation", number)
        for one in self.found.stated.get(number, ())[:SHOWN]:
            yield Evidence("relation", one.path, one.line, one.text, score)
