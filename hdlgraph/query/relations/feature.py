"""Relations: a question that names a relation of the design means the files at its other end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hdlgraph.query.features.feature import Asked as AskedFiles
from hdlgraph.query.features.feature import Ranking, Scores
from hdlgraph.query.relations.answer import Found
from hdlgraph.query.relations.answers import answers
from hdlgraph.query.relations.design import Design
from hdlgraph.query.relations.detect import asked_relation
from hdlgraph.query.relations.readings.around import joining_first
from hdlgraph.query.relations.readings.behind import behind
from hdlgraph.query.relations.readings.blend import blended, may_count
from hdlgraph.query.relations.readings.read import readings
from hdlgraph.query.relations.resolve import resolver_of
from hdlgraph.results import Evidence

KEPT = 0.3
"""Share of the other features' scores where a relation is asked for."""
FIRST = 5
"""Files among which edges are told as well: what is described, and what answers."""
SHOWN = 3
"""Edges that the evidence of a file has."""


class Related:
    """Scores the files that answer a question for a relation by the edges of the design."""

    name = "relation"

    def score(self, asked: AskedFiles) -> Scores | None:
        """Returns the part relation, None where the question asks for none or nothing answers."""
        if not asked.hops:
            return None
        text = asked.question.text
        relation = asked_relation(text)
        # The graph is loaded for a question that may name a relation alone.
        read = list(filter(may_count, readings(text))) if relation is None else []
        resolver = asked.index.part(resolver_of) if relation or read else None
        if resolver is None:
            return None
        found = answers(relation, resolver) if relation else None
        read = read or readings(text) if found is None else []
        so_far = asked.so_far()
        if found is None:
            found = blended(read, resolver, so_far)
        if found is None:
            return None
        sure = min(1.0, found.sure)
        part = np.zeros(asked.n_files, np.float32)
        part -= (1 - KEPT) * (sure if read else 1.0) * so_far  # mostly of what is named
        for number, weight in found.weight.items():
            part[number] += asked.weights.relation * weight * sure / found.top
        for number, change in behind(found, so_far + part, not read).items():
            part[number] += change
        mask = asked.mask
        if mask is not None:
            part[~mask] = 0
        return RelatedScores({"relation": part}, found=found, design=resolver.design)


@dataclass(frozen=True, kw_only=True)
class RelatedScores(Scores):
    """Scores by relations, with what was found."""

    found: Found
    design: Design

    def evidence(self, ranking: Ranking, number: int) -> Iterator[Evidence]:
        """Yields the edges by which a file answers, each where it is stated."""
        score = ranking.part("relation", number)
        told = list(self.found.stated.get(number, ())[:SHOWN])
        told += joining_first(self.design, number, ranking.order[:FIRST], told)
        for one in told:
            walk = (f"{one.text} ({one.path}:{one.line})",)
            yield Evidence("relation", one.path, one.line, one.text, score, walk)
