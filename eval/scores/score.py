"""Computes the measures of the rankings that the systems of one run gave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from hdlgraph.eval.scores import measures
from hdlgraph.eval.scores.records import Pair, Ranking, Raw, SystemResult
from hdlgraph.eval.scores.units import Surroundings, Units, subgraph_scores, unit_scores

if TYPE_CHECKING:
    from hdlgraph.eval.sets.questions import Question
    from hdlgraph.project import Project


@dataclass
class Judge:
    """Measures the systems of one run; the graph is read once, when first needed.

    Args:
        project: the indexed repository, for the graph.
        paths: the candidates.
        questions: what was asked.
        ks: cutoffs, from 1.
        roles: role of each judged path.
    """

    project: Project
    paths: tuple[str, ...]
    questions: Sequence[Question]
    ks: tuple[int, ...]
    roles: Mapping[str, str]

    @cached_property
    def units(self) -> Units:
        """Returns the design units of the repository."""
        return Units(self.project.graph())

    @cached_property
    def around(self) -> Surroundings:
        """Returns the neighbourhoods of the repository's files."""
        return Surroundings.of(self.project, self.paths)

    def measure(self, raw: Raw, about: str = "") -> SystemResult:
        """Returns the measures of one system."""
        asked, rankings = self.questions, raw.rankings
        both = list(zip(rankings, asked, strict=True))
        values = _values(both, self.ks)
        seconds = [ranking.seconds for ranking in rankings]
        right = [(*q.relevant, *q.equivalent) for q in asked]
        return SystemResult(
            name=raw.name,
            measures={key: measures.interval(found) for key, found in values.items()},
            by_kind=self._groups(values, lambda q: q.kind),
            rankings=rankings,
            ranks=tuple(measures.first_rank(r.paths, q.relevant) for r, q in both),
            values=values,
            setup_seconds=raw.setup,
            query_seconds=mean(seconds),
            model=raw.used,
            about=about,
            by_role=self._groups(values, lambda q: self.roles.get(q.relevant[0], "")),
            lenient_ranks=tuple(
                measures.first_rank(r.paths, paths, r.copies)
                for r, paths in zip(rankings, right, strict=True)
            ),
            unit=unit_scores(self.units, rankings, asked, self.ks),
            subgraph=subgraph_scores(self.around, rankings, asked, self.ks),
            p50_seconds=measures.percentile(seconds, 50),
            p99_seconds=measures.percentile(seconds, 99),
            memory_mb=raw.memory_mb,
        )

    def _groups(
        self, values: Mapping[str, Sequence[float]], of: Callable[[Question], str]
    ) -> dict[str, dict[str, float]]:
        """Returns n, recall@k and mrr of each group of questions; "" is no group."""
        out: dict[str, dict[str, float]] = {}
        keys = [*(f"recall@{k}" for k in self.ks), "mrr"]
        for name in sorted({of(q) for q in self.questions} - {""}):
            rows = [n for n, q in enumerate(self.questions) if of(q) == name]
            found: dict[str, float] = {"n": len(rows)}
            out[name] = found | {key: mean([values[key][n] for n in rows]) for key in keys}
        return out


def _values(both: Sequence[tuple[Ranking, Question]], ks: Sequence[int]) -> dict[str, list[float]]:
    values: dict[str, list[float]] = {}
    for k in ks:
        values[f"recall@{k}"] = [measures.recall(r.paths, q.relevant, k) for r, q in both]
        values[f"lenient@{k}"] = [
            measures.lenient_recall(r.paths, q.relevant, q.equivalent, k, r.copies) for r, q in both
        ]
        values[f"success@{k}"] = [measures.success(r.paths, q.relevant, k) for r, q in both]
    values["mrr"] = [measures.reciprocal_rank(r.paths, q.relevant) for r, q in both]
    values["ndcg@10"] = [measures.ndcg(r.paths, q.relevant) for r, q in both]
    return values


def compare(results: Sequence[SystemResult]) -> tuple[Pair, ...]:
    """Compares each pair of systems, the later named one first (hdlgraph against baselines)."""
    out = []
    for i, second in enumerate(results):
        for first in results[i + 1 :]:
            rr = first.values["mrr"], second.values["mrr"]
            at1 = _at_1(first), _at_1(second)
            out.append(
                Pair(
                    first=first.name,
                    second=second.name,
                    by_rank=measures.duel(*rr),
                    at_1=measures.duel(*at1),
                    p_mrr=measures.paired_p(*rr),
                    p_at_1=measures.paired_p(*at1),
                )
            )
    return tuple(out)


def _at_1(result: SystemResult) -> list[float]:
    return [float(rank == 1) for rank in result.ranks]


def mean(values: Sequence[float]) -> float:
    """Returns the mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0
