"""Learns a linear re-ranker of the 100 best files from training questions, and judges it.

    python -m hdlgraph.eval.fit.train INDEX=QUESTIONS.jsonl... [--judge INDEX=QUESTIONS.jsonl...]

The training questions (`data/training`, 270) were written from the sources alone; no question set
has a part in it. A file's score is the sum of its weighted parts (`hdlgraph.query.rank`); learnt
is a factor of each part, by maximum likelihood of the right file among the 100 best:

    L(m) = - mean over questions of log softmax_f(a sum_p m_p part_p(f))[right] + l2 |m - 1|^2

Printed: recall@1, @5, @10 and MRR as it is and re-ranked, cross-validated in 5 folds by question
(seed 0), for several l2, and on the sets to judge with; and the factors of the best l2.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.eval.scores.measures import first_rank
from hdlgraph.eval.sets.questions import Question, read_questions

POOL = 100
FOLDS = 5
SEED = 0
PENALTIES = (0.003, 0.01, 0.03, 0.1, 0.3)
PARTS = (
    *("text", "window", "phrase", "declared", "incoming", "explanation", "head", "purpose"),
    *("behaviour", "token_vectors", "structure", "parents", "neighbours", "wanted_parent"),
    *("identifier", "role", "size", "scope"),
)


@dataclass(frozen=True, slots=True)
class BestFiles:
    """The best files of a question: parts float64 (files, len(PARTS)), and which are right."""

    parts: np.ndarray
    right: np.ndarray


def best_files(index: Path, questions: Sequence[Question]) -> list[BestFiles]:
    """Returns the best files of each question; none of them may be right."""
    from hdlgraph.project import Project

    searcher = Project.open(index).searcher()
    out = []
    for question in questions:
        found = searcher.ranking(question.text, 1)
        best = np.asarray(found.order[:POOL])
        zero = np.zeros(searcher.lexicon.n_files)
        parts = np.stack([found.parts.get(name, zero)[best] for name in PARTS], axis=1)
        paths = [searcher.lexicon.paths[number] for number in best]
        right = np.asarray([path in question.relevant for path in paths])
        out.append(BestFiles(parts.astype(np.float64), right))
    return out


def fit(known: Sequence[BestFiles], penalty: float, sharpness: float) -> np.ndarray:
    """Returns the factor of each part, float64 (len(PARTS),)."""
    from scipy.optimize import minimize

    useful = [pool for pool in known if pool.right.any()]

    def loss(factors: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = 0.0, np.zeros(len(PARTS))
        for pool in useful:
            score = sharpness * (pool.parts @ factors)
            share = np.exp(score - score.max())
            share /= share.sum()
            hit = share[pool.right].sum()
            value -= np.log(max(hit, 1e-300))
            wanted = np.where(pool.right, share / max(hit, 1e-300), 0.0)
            slope += sharpness * (pool.parts.T @ (share - wanted))
        away = factors - 1.0
        return (
            value / len(useful) + penalty * float(away @ away),
            slope / len(useful) + 2 * penalty * away,
        )

    return minimize(loss, np.ones(len(PARTS)), jac=True, method="L-BFGS-B").x


def ranks(known: Sequence[BestFiles], factors: np.ndarray) -> list[int]:
    """Returns the rank of the first right file per question, 0 when none is in the pool."""
    out = []
    for pool in known:
        order = np.argsort(-(pool.parts @ factors), kind="stable")
        out.append(first_rank([str(bool(pool.right[n])) for n in order], ("True",)))
    return out


def summary(found: Sequence[int]) -> str:
    """Returns recall@1, @5, @10 (one right file a question) and MRR as text."""
    at = [sum(0 < r <= k for r in found) / len(found) for k in (1, 5, 10)]
    mrr = sum(1 / r for r in found if r) / len(found)
    return " ".join(f"{value:.3f}" for value in (*at, mrr))


def sharpest(known: Sequence[BestFiles]) -> float:
    """Returns the softmax sharpness under which the present ranking is likeliest."""
    useful = [pool for pool in known if pool.right.any()]

    def loss(a: float) -> float:
        total = 0.0
        for pool in useful:
            score = a * pool.parts.sum(axis=1)
            share = np.exp(score - score.max())
            total -= np.log(share[pool.right].sum() / share.sum())
        return total

    return min((1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0), key=loss)


def cross_validated(known: Sequence[BestFiles], penalty: float, sharpness: float) -> list[int]:
    """Returns the ranks, each by factors that were learnt without its fold."""
    fold = np.random.default_rng(SEED).integers(0, FOLDS, len(known))
    out = [0] * len(known)
    for number in range(FOLDS):
        factors = fit(
            [p for p, f in zip(known, fold, strict=True) if f != number], penalty, sharpness
        )
        for place in np.flatnonzero(fold == number):
            (out[place],) = ranks([known[int(place)]], factors)
    return out


def _read(pairs: Sequence[str]) -> list[tuple[str, list[BestFiles]]]:
    out = []
    for pair in pairs:
        index, equals, questions = pair.partition("=")
        if not equals:
            raise UsageError(f"{pair}: write INDEX=QUESTIONS.jsonl")
        asked = read_questions(Path(questions))
        out.append((Path(questions).stem, best_files(Path(index), asked)))
    return out


def main(arguments: list[str] | None = None) -> int:
    """Learns, judges and prints; the command `python -m hdlgraph.eval.fit.train`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("training", nargs="+", metavar="INDEX=QUESTIONS.jsonl")
    parser.add_argument("--judge", nargs="*", default=[], metavar="INDEX=QUESTIONS.jsonl")
    given = parser.parse_args(arguments)
    try:
        known = [pool for _, found in _read(given.training) for pool in found]
        judged = _read(given.judge)
    except HdlgraphError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    for line in learn(known, judged):
        sys.stdout.write(line + "\n")
    return 0


def learn(known: Sequence[BestFiles], judged: Sequence[tuple[str, list[BestFiles]]]) -> list[str]:
    """Returns what was learnt as lines of text."""
    sharpness = sharpest(known)
    plain = np.ones(len(PARTS))
    lines = [f"{len(known)} training questions, sharpness {sharpness:g}"]
    lines.append(_line("as it is", ranks(known, plain), judged, plain))
    tried = {}
    for penalty in PENALTIES:
        found = cross_validated(known, penalty, sharpness)
        factors = fit(known, penalty, sharpness)
        tried[penalty] = (sum(1 / r for r in found if r), factors)
        lines.append(_line(f"l2 {penalty:g}, cross-validated", found, judged, factors))
    best = max(PENALTIES, key=lambda penalty: tried[penalty][0])
    learnt = ", ".join(f"{n} {m:.2f}" for n, m in zip(PARTS, tried[best][1], strict=True))
    return [*lines, f"factors at l2 {best:g}: {learnt}"]


def _line(
    name: str,
    found: Sequence[int],
    judged: Sequence[tuple[str, list[BestFiles]]],
    factors: np.ndarray,
) -> str:
    others = [f"{title} {summary(ranks(files, factors))}" for title, files in judged]
    return f"{name:26s} {' | '.join([summary(found), *others])}"


if __name__ == "__main__":
    raise SystemExit(main())
