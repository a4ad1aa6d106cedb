"""Relations: a question that names a relation of the design means the files at its other end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hdlgraph.query.features.feature import Asked as AskedFiles
from hdlgraph.query.features.feature import Ranking, Scores
from hdlgraph.query.index_view import IndexView
from hdlgraph.query.relations.design import Design
from hdlgraph.query.relations.detect import asked_relation
from hdlgraph.query.relations.evidence.formed import of_form
from hdlgraph.query.relations.find import answers
from hdlgraph.query.relations.found import Found, Stated
from hdlgraph.query.relations.joint.decide import LIKELY, Decided, asked_of, decide
from hdlgraph.query.relations.joint.kinds import kinds, meaning, placed
from hdlgraph.query.relations.joint.question import Question
from hdlgraph.query.relations.readings.around import joining_first
from hdlgraph.query.relations.readings.behind import behind
from hdlgraph.query.relations.readings.blend import blended, may_count
from hdlgraph.query.relations.readings.clauses import is_report
from hdlgraph.query.relations.readings.read import Reading, readings
from hdlgraph.query.relations.resolve import Resolver, resolver_of
from hdlgraph.results import Evidence

if TYPE_CHECKING:
    from hdlgraph.query.relations.evidence.weighed import Told

KEPT = 0.3
"""Share of the other features' scores where a relation is asked for."""
FIRST = 5
"""Files among which edges are told as well: what is described, and what answers."""
TOLD = 0.2
"""Probability that a question asks for a relation from which edges are told; they decide from
`joint.decide.LIKELY` on."""
WHOLE = 0.75
"""Probability that a question asks for a relation from which it is not taken apart, and edges may
outweigh a known form."""
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
        if is_report(text):
            return None
        relation = asked_relation(text)
        read = readings(text)
        # The graph is loaded for a question that may name a relation alone.
        vector = meaning(text, asked.vectors, asked.index)
        likely = kinds(text, read, vector)
        joint = sum(likely) >= TOLD
        if relation is None and not joint and not any(may_count(one) for one in read):
            return None
        resolver = asked.index.part(resolver_of)
        if resolver is None:
            return None
        form = answers(relation, resolver) if relation else None
        done = by_readings(read, resolver, asked, form)
        if joint and (form is None or sum(likely) >= WHOLE):
            place = placed(text, read, vector)
            return self._joint(asked, resolver, read, likely, done, form, place)
        if done is None:
            return None
        part = _masked(done.part, asked)
        likely = of_form(relation.sought, likely) if relation is not None and form else likely
        question = asked_of(asked, resolver, read, likely, None) if joint or form else None
        return RelatedScores(
            {"relation": part}, found=done.found, design=resolver.design, question=question
        )

    def _joint(
        self, asked: AskedFiles, resolver: Resolver, read: Sequence[Reading],
        likely: tuple[float, ...], done: Answered | None, form: Found | None, place: float,
    ) -> Scores:  # fmt: skip
        """Returns the scores by the edges around what both ends of a question may mean."""
        part = done.part if done else None
        question = asked_of(asked, resolver, read, likely, part, form, place)
        decided = decide(question, asked.so_far(), asked.candidates)
        found = done.found if done else Found()
        sure = sum(likely) >= LIKELY
        part = decided.part if sure else done.part if done else np.zeros_like(decided.part)
        part = _masked(part, asked)
        return RelatedScores(
            {"relation": part}, found=found, design=resolver.design, decided=decided,
            question=question, decides=sure or done is not None,
        )  # fmt: skip


class Answered(NamedTuple):
    """What answers, and what it adds to the scores of all files, float32 (n_files,)."""

    found: Found
    part: np.ndarray


def by_readings(
    read: Sequence[Reading], resolver: Resolver, asked: AskedFiles, form: Found | None
) -> Answered | None:
    """Returns what answers the known form of a question, or its readings where it has none."""
    if form is not None:
        return _told(form, asked, form=True)
    found = blended(list(filter(may_count, read)), resolver, asked.so_far())
    return None if found is None else _told(found, asked, form=False)


def _told(found: Found, asked: AskedFiles, form: bool) -> Answered:
    """Returns what answers, with what it adds to the scores."""
    so_far, sure = asked.so_far(), min(1.0, found.sure)
    part = np.zeros(asked.n_files, np.float32)
    part -= (1 - KEPT) * (1.0 if form else sure) * so_far  # mostly of what is named
    for number, weight in found.weight.items():
        part[number] += asked.weights.relation * weight * sure / found.top
    for number, change in behind(found, so_far + part, form).items():
        part[number] += change
    return Answered(found, part)


def _masked(part: np.ndarray, asked: AskedFiles) -> np.ndarray:
    mask = asked.mask
    if mask is not None:
        part[~mask] = 0
    return part


@dataclass(frozen=True, kw_only=True)
class RelatedScores(Scores):
    """Scores by relations, with what was found.

    Where they do not decide, a question may ask for no relation: its edges stand behind its words,
    in evidence and in answers.
    `chosen` keeps the lines that are shown of some files together.
    """

    found: Found
    design: Design
    decided: Decided | None = None
    question: Question | None = None
    decides: bool = True
    chosen: dict[tuple[int, ...], dict[int, list[Stated]]] = field(default_factory=dict)

    @property
    def is_whole(self) -> bool:
        """Returns whether all that a question says belongs to one relation, parts of it to none."""
        return self.decided is None or sum(self.question.likely if self.question else ()) >= WHOLE

    def evidence(self, ranking: Ranking, number: int) -> Iterator[Evidence]:
        """Yields the edges by which a file answers, each where it is stated."""
        score = ranking.part("relation", number) if self.decides else 0.0
        first = tuple(ranking.order[:FIRST])
        for one in self._shown(ranking.asked.index, number, first):
            walk = (f"{one.text} ({one.path}:{one.line})",)
            yield Evidence("relation", one.path, one.line, one.text, score, walk)

    def _shown(self, index: IndexView, number: int, first: tuple[int, ...]) -> list[Stated]:
        """Returns the lines that are shown of a file, each once."""
        formed = self.found.stated.get(number, ())[:SHOWN]
        if number not in first:
            return list(dict.fromkeys(formed))
        from hdlgraph.query.relations.evidence import lines  # loads the readers of signals
        from hdlgraph.query.relations.evidence.chosen import chosen, flat

        if self.question is None:
            inner = lines.inner(self.design, index, self.found.ends.get(number, ()))
            own = [*formed, *inner]
            return flat([*own, *joining_first(self.design, number, first, own)])
        if first not in self.chosen:
            told = {one: self.told(index, one, first) for one in first}
            self.chosen[first] = chosen(told, self.design, self.question)
        return self.chosen[first][number]

    def told(self, index: IndexView, number: int, first: Sequence[int]) -> list[Told]:
        """Returns the lines that may say why a file answers."""
        from hdlgraph.query.relations.evidence import lines
        from hdlgraph.query.relations.evidence.weighed import Told

        assert self.question is not None
        found = list(lines.told(self.decided, self.question, index, number, first))
        formed = self.found.stated.get(number, ())[:SHOWN]
        inner = lines.inner(self.design, index, self.found.ends.get(number, ()))
        found += [Told(one, "form", place) for place, one in enumerate(formed)]
        found += [Told(one, "inner", place) for place, one in enumerate(inner)]
        joining = joining_first(self.design, number, first, ())
        found += [Told(one, "joining", place) for place, one in enumerate(joining)]
        return found
