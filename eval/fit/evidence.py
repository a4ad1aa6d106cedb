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

from hdlgraph.errors import telling_errors
from hdlgraph.eval.fit.relation_questions import FOLDS
from hdlgraph.eval.structural.elaborated import say
from hdlgraph.eval.structural.relations import FIRST, NEAR
from hdlgraph.project import Project
from hdlgraph.query.relations.evidence.chosen import choices
from hdlgraph.query.relations.evidence.quoted import quote, speaks
from hdlgraph.query.relations.evidence.weighed import Told, features, single, values
from hdlgraph.query.relations.feature import RelatedScores
from hdlgraph.query.relations.readings.statement import placed
from hdlgraph.query.search import Searcher
from hdlgraph.results import Evidence

RIDGE, STEPS = 1e-3, 200
"""Of the weights, for each question, and steps of the fit."""
OWN = features().index("own path")


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
    if not isinstance(found, RelatedScores) or found.question is None:
        return
    path, _, line = asked["evidence"].rpartition(":")
    wanted = int(line.partition("-")[0])
    first = ranking.order[:FIRST]
    for rank, number in enumerate(first, 1):
        told = single(found.told(searcher.index, number, first))
        if not told:
            continue
        told, seen = _seen(told, lines)
        if not told:
            continue
        right = [one.path == path and abs(one.line - wanted) <= NEAR for one in seen]
        yield File(
            asked["corpus"], at, rank,
            values(told, found.design, found.question, number, first).astype(np.float32),
            np.asarray(right), tuple((one.path, one.line) for one in seen),
        )  # fmt: skip


def _seen(
    told: Sequence[Told], lines: Callable[[str], list[str]]
) -> tuple[list[Told], list[Evidence]]:
    """Returns the lines that are shown, as they are told and as they are seen."""
    found = []
    for one in told:
        where = Evidence("relation", one.line.path, one.line.line, one.line.text, 0.0)
        seen = quote(where, lines) if speaks(where) else placed(where, lines)
        if seen is not None:
            found.append((one, seen))
    return [one for one, _ in found], [seen for _, seen in found]


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


def by_question(every: Sequence[File]) -> dict[tuple[str, int], list[File]]:
    """Returns what is told of the files of each question, in their order."""
    found: dict[tuple[str, int], list[File]] = {}
    for one in sorted(every, key=lambda one: one.rank):
        found.setdefault((one.corpus, one.question), []).append(one)
    return found


def fit(every: Sequence[File]) -> np.ndarray:
    """Returns the weights by which right lines are likeliest among those of their question."""
    used = [some for some in by_question(every).values()
            if any(one.right.any() for one in some)]  # fmt: skip
    x = np.concatenate([one.values for some in used for one in some])
    right = np.concatenate([one.right for some in used for one in some])
    sizes = np.asarray([sum(len(one.right) for one in some) for some in used])
    begins = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    of = np.repeat(np.arange(len(used)), sizes)

    def loss(now: np.ndarray) -> tuple[float, np.ndarray]:
        score = (x @ now.astype(np.float32)).astype(np.float64)
        chance = np.exp(score - np.maximum.reduceat(score, begins)[of])
        chance /= np.add.reduceat(chance, begins)[of]
        good = np.add.reduceat(np.where(right, chance, 0.0), begins) + 1e-9
        wrong = (chance - np.where(right, chance / good[of], 0.0)) / len(used)
        slope = (x.T @ wrong.astype(np.float32)).astype(np.float64)
        return float(-np.log(good).mean() + RIDGE * (now**2).sum()), slope + 2 * RIDGE * now

    given = {"maxiter": STEPS}
    return minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B", options=given).x


def shown(files: Sequence[File], weights: np.ndarray) -> list[tuple[int, bool]]:
    """Returns (the file, whether it is right) of the lines shown of a question, the best first."""
    scores = [one.values @ weights for one in files]
    paths = [next((place[0] for place, own in zip(one.places, one.values[:, OWN], strict=True)
                   if own), "") for one in files]  # fmt: skip
    return [(found.file, bool(files[found.file].right[found.line]))
            for found in choices(scores, [one.places for one in files], paths)]  # fmt: skip


def measure(every: Sequence[File]) -> dict[str, dict[str, float]]:
    """Returns corpus -> shares of its questions: a right line told, shown, the first one; lines.

    The corpora of each fold are left out of the fit by which they are measured.
    """
    corpora = sorted({one.corpus for one in every})
    found: dict[str, list[tuple[float, ...]]] = {}
    for fold in range(FOLDS):
        apart = set(corpora[fold::FOLDS])
        weights = fit([one for one in every if one.corpus not in apart])
        for (corpus, _), files in by_question(every).items():
            if corpus in apart:
                lines = [right for _, right in shown(files, weights)]
                row = (any(one.right.any() for one in files), any(lines), lines[0], len(lines))
                for name in ("all", corpus):
                    found.setdefault(name, []).append(row)
    names = ("told", "shown", "first", "lines")
    return {
        corpus: dict(zip(names, np.mean(rows, axis=0).tolist(), strict=True))
        for corpus, rows in sorted(found.items())
    }


@telling_errors
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
    for name, shares in measure(every).items():
        say(f"{name:12} " + " ".join(f"{key} {one:.3f}" for key, one in shares.items()))
    write(given.out, fit(every))


def write(out: Path, weights: np.ndarray) -> None:
    """Writes weights by the names of the features."""
    found = {name: round(float(one), 4) for name, one in zip(features(), weights, strict=True)}
    out.write_text(json.dumps({name: one for name, one in found.items() if one}) + "\n", "utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
