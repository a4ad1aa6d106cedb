"""Scores beside the file level: is the right design unit found, is the right file near the hits?

**Unit level.** Design units are the modules, interfaces, programs, packages, classes, checkers and
primitives of the project's graph that stand at the top level of a file. The right unit of a
question is the main unit of each right file: the one named like the file, else its longest. Units
are told apart by path and name, since the same name may be defined in several files. Systems rank
files; their ranking of units puts in place of each file the units that it declares, by line: a
system that knows the line to open gives the unit around that line first. So a file with five
modules costs the ranks of five, and a file without a unit (an include file) costs none. Questions
whose right files declare no unit are left out (`n` says how many remain).

**Subgraph level.** A right file counts as found when it is among the first k files or within h
hops of one of them in the file graph, whatever the kind and the direction of the edges. Hubs make
such a neighbourhood large, so `coverage@k` says beside it which share of the candidates lies in
it on average: what is hit by drawing as many files at random.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from hdlgraph.eval.scores.measures import recall
from hdlgraph.model import UNIT_KINDS

if TYPE_CHECKING:
    from hdlgraph.eval.scores.records import Ranking
    from hdlgraph.eval.sets.questions import Question
    from hdlgraph.graph.graph import Graph
    from hdlgraph.project import Project
    from hdlgraph.query.features.graph import FileGraph

HOPS = (1, 2)


class Units:
    """The top-level design units of every file of a graph, as (name, first line, last line)."""

    def __init__(self, graph: Graph) -> None:
        self.of: dict[str, list[tuple[str, int, int]]] = {}
        kinds = {kind.value for kind in UNIT_KINDS}
        columns = [
            graph.nodes.column(name)
            for name in ("kind", "path", "name", "line", "end_line", "detail", "origin")
        ]
        for kind, path, name, line, end_line, detail, origin in zip(*columns, strict=True):
            # The detail of a nested unit says `in PARENT`.
            if kind in kinds and path and origin == "ast" and not detail.startswith("in "):
                self.of.setdefault(path, []).append((name, line, end_line))
        for found in self.of.values():
            found.sort(key=lambda unit: (unit[1], unit[0]))

    def main(self, path: str) -> str | None:
        """Returns the unit named like a file, else its longest one; None without any."""
        found = self.of.get(path, [])
        stem = path.rpartition("/")[2].partition(".")[0]
        if any(name == stem for name, _, _ in found):
            return stem
        longest = sorted(found, key=lambda unit: (unit[1] - unit[2], unit[1]))
        return longest[0][0] if longest else None

    def ranked(self, ranking: Ranking, limit: int) -> list[str]:
        """Returns the first `limit` units (`path#name`) of a ranking of files."""
        out: list[str] = []
        for path in ranking.paths:
            line = ranking.lines.get(path, 0)
            found = self.of.get(path, [])
            around = [unit for unit in found if unit[1] <= line <= unit[2]]
            names = dict.fromkeys(name for name, _, _ in (*around, *found))
            out += [f"{path}#{name}" for name in names]
            if len(out) >= limit:
                break
        return out[:limit]

    def right(self, question: Question) -> tuple[str, ...]:
        """Returns the right units (`path#name`) of a question, () where no right file has one."""
        mains = {path: self.main(path) for path in question.relevant}
        return tuple(f"{path}#{name}" for path, name in mains.items() if name is not None)


def unit_scores(
    units: Units, rankings: Sequence[Ranking], questions: Sequence[Question], ks: Sequence[int]
) -> dict[str, float]:
    """Returns {"n", "recall@k"} of right units, over the questions that have one (else 0)."""
    asked = zip(rankings, map(units.right, questions), strict=True)
    both = [(ranking, wanted) for ranking, wanted in asked if wanted]
    out: dict[str, float] = {"n": len(both)}
    ranked = [units.ranked(ranking, max(ks)) for ranking, _ in both]
    for k in ks:
        found = [recall(names, wanted, k) for names, (_, wanted) in zip(ranked, both, strict=True)]
        out[f"recall@{k}"] = _mean(found)
    return out


class Surroundings:
    """Neighbourhoods in the file graph.

    Args:
        graph: the file graph; None for an index without one.
        paths: the files in the order of the graph's numbers.
        candidates: the paths that a ranking may name; coverage is a share of them.
    """

    def __init__(
        self, graph: FileGraph | None, paths: Sequence[str], candidates: Collection[str]
    ) -> None:
        self._number = {path: number for number, path in enumerate(paths)}
        self._candidates = {self._number[path] for path in candidates}
        self._beside: dict[int, set[int]] = {}
        for edge in graph.edges if graph else ():
            self._beside.setdefault(edge.source, set()).add(edge.target)
            self._beside.setdefault(edge.target, set()).add(edge.source)

    @classmethod
    def of(cls, project: Project, candidates: Collection[str]) -> Surroundings:
        """Returns the neighbourhoods in a project's file graph."""
        searcher = project.searcher()
        return cls(searcher.graph, searcher.lexicon.paths, candidates)

    def within(self, paths: Sequence[str], hops: int) -> set[int]:
        """Returns the numbers of the files within `hops` edges of `paths`, themselves included."""
        reached = {self._number[path] for path in paths}
        front = reached
        for _ in range(hops):
            front = {other for number in front for other in self._beside.get(number, ())} - reached
            reached = reached | front
        return reached

    def score(self, top: Sequence[str], relevant: Sequence[str], hops: int) -> tuple[float, float]:
        """Returns the shares of the right files and of the candidates within `hops` of `top`."""
        near = self.within(top, hops)
        found = sum(self._number[path] in near for path in relevant)
        return found / len(relevant), len(near & self._candidates) / len(self._candidates)


def subgraph_scores(
    around: Surroundings,
    rankings: Sequence[Ranking],
    questions: Sequence[Question],
    ks: Sequence[int],
) -> dict[str, dict[str, float]]:
    """Returns {"h1", "h2"}, each {"@k", "coverage@k"}: means over all questions."""
    out: dict[str, dict[str, float]] = {}
    for hops in HOPS:
        found = out[f"h{hops}"] = {}
        for k in ks:
            both = [
                around.score(r.paths[:k], q.relevant, hops)
                for r, q in zip(rankings, questions, strict=True)
            ]
            found[f"@{k}"] = _mean([share for share, _ in both])
            found[f"coverage@{k}"] = _mean([covered for _, covered in both])
    return out


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
