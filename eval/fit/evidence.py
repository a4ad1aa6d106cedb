"""Fits which lines say best why a file answers a question for a relation.

    python -m hdlgraph.eval.fit.evidence OUT QUESTIONS INDEX [QUESTIONS INDEX ...]

Right are the lines within NEAR of a question's `evidence`. What is printed was measured with the
corpora of each of the folds of `relations` left out in turn. OUT becomes
`hdlgraph/query/relations/evidence/weights.json`.
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from hdlgraph.eval.fit.relation_questions import FOLDS
from hdlgraph.eval.structural.elaborated import say
from hdlgraph.eval.structural.relations import FIRST, NEAR
from hdlgraph.project import Project
from hdlgraph.query.relations.evidence.weighed import features, single, values
from hdlgraph.query.relations.feature import MOST, RelatedScores
from hdlgraph.query.relations.readings.statement import placed
from hdlgraph.query.search import Searcher
from hdlgraph.results import Evidence

RIDGE = 1e-3
"""Of the weights, for each file."""


class File(NamedTuple):
    """What is told of a file for a question.

    Args:
        corpus: of the question.
        question: its place among those of the corpus.
        rank: of the file.
        values: of its lines, float32 (lines, features).
        right: which lines state the relation.
        places: the path and line of each.
    """

    corpus: str
    question: int
    rank: int
    values: np.ndarray
    right: np.ndarray
    places: tuple[tuple[str, int], ...]


def told_of(
    asked: dict[str, Any], at: int, searcher: Searcher, lines: Callable[[str], list[str]]
) -> Iterator[File]:
    """Yields what is told of each of the first files of a question where edges decide."""
    ranking = searcher.ranking(" ".join(asked["question"].split()), 1)
    found = ranking.scores.get("relation")
    if not isinstance(found, RelatedScores) or found.question is None or found.decided is None:
        return
    path, _, line = asked["evidence"].rpartition(":")
    wanted = int(line.partition("-")[0])
    first = ranking.order[:FIRST]
    for rank, number in enumerate(first, 1):
        told = single(found.told(searcher.index, number, first))
        if not told:
            continue
        seen = [placed(Evidence("relation", one.line.path, one.line.line, one.line.text, 0.0),
                       lines) for one in told]  # fmt: skip
        right = [one.path == path and abs(one.line - wanted) <= NEAR for one in seen]
        yield File(
            asked["corpus"], at, rank,
            values(told, found.design, found.question, number, first).astype(np.float32),
            np.asarray(right), tuple((one.line.path, one.line.line) for one in told),
        )  # fmt: skip


def read(questions: Path, project: Project, begin: int) -> Iterator[File]:
    """Yields what is told of the questions of a set, numbered from `begin`."""
    texts: dict[str, list[str]] = {}

    def lines(path: str) -> list[str]:
        if path not in texts:
            texts[path] = project.source_text(path).splitlines()
        return texts[path]

    for at, line in enumerate(questions.read_text("utf-8").splitlines()):
        asked = json.loads(line)
        if asked.get("evidence", "").rpartition(":")[0]:
            yield from told_of(asked, begin + at, project.searcher(), lines)


def fit(every: Sequence[File]) -> np.ndarray:
    """Returns the weights by which right lines are likeliest among those of their file."""
    used = [one for one in every if one.right.any() and not one.right.all()]
    x = np.concatenate([one.values for one in used]).astype(np.float64)
    right = np.concatenate([one.right for one in used])
    sizes = np.asarray([len(one.right) for one in used])
    begins = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    of = np.repeat(np.arange(len(used)), sizes)

    def loss(now: np.ndarray) -> tuple[float, np.ndarray]:
        score = x @ now
        chance = np.exp(score - np.maximum.reduceat(score, begins)[of])
        chance /= np.add.reduceat(chance, begins)[of]
        good = np.add.reduceat(np.where(right, chance, 0.0), begins) + 1e-9
        slope = x.T @ (chance - np.where(right, chance / good[of], 0.0)) / len(used)
        return float(-np.log(good).mean() + RIDGE * (now**2).sum()), slope + 2 * RIDGE * now

    return minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B").x


def shown(one: File, weights: np.ndarray) -> list[bool]:
    """Returns which of the lines that are shown of a file, the best first, are right."""
    found: dict[tuple[str, int], bool] = {}
    for at in np.argsort(-(one.values @ weights).round(6), kind="stable").tolist():
        found.setdefault(one.places[at], bool(one.right[at]))
    return list(found.values())[:MOST]


def measure(every: Sequence[File]) -> dict[str, float]:
    """Returns shares of questions: a right line shown, told at all, first of a file that has one.

    The corpora of each fold are left out of the fit by which they are measured.
    """
    corpora = sorted({one.corpus for one in every})
    tried: dict[tuple[str, int], list[bool]] = {}
    first: list[bool] = []
    for fold in range(FOLDS):
        apart = set(corpora[fold::FOLDS])
        weights = fit([one for one in every if one.corpus not in apart])
        for one in every:
            if one.corpus in apart:
                lines = shown(one, weights)
                tried.setdefault((one.corpus, one.question), []).append(any(lines))
                if one.right.any():
                    first.append(lines[0])
    told = {(one.corpus, one.question) for one in every if one.right.any()}
    return {
        "shown": sum(any(some) for some in tried.values()) / len(tried),
        "told": len(told) / len(tried),
        "first": sum(first) / len(first),
    }


def main() -> None:
    """Reads the command line, fits, measures and writes the weights."""
    parser = argparse.ArgumentParser(
        prog="python -m hdlgraph.eval.fit.evidence", description=(__doc__ or "")
    )
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("pairs", nargs="+", type=Path, metavar="QUESTIONS INDEX")
    parser.add_argument("--keep", type=Path, metavar="FILE",
                        help="write what was read, for trials")  # fmt: skip
    given = parser.parse_args()
    every: list[File] = []
    projects: dict[Path, Project] = {}
    for questions, folder in zip(given.pairs[::2], given.pairs[1::2], strict=True):
        project = projects.setdefault(folder, Project.open(folder))
        every += read(questions, project, len(every))
    if given.keep:
        given.keep.write_bytes(pickle.dumps(every))
    for name, share in measure(every).items():
        say(f"{name:8} {share:.3f}")
    write(given.out, fit(every))


def write(out: Path, weights: np.ndarray) -> None:
    """Writes weights by the names of the features."""
    found = {name: round(float(one), 4) for name, one in zip(features(), weights, strict=True)}
    out.write_text(json.dumps({name: one for name, one in found.items() if one}) + "\n", "utf-8")


if __name__ == "__main__":
    main()
