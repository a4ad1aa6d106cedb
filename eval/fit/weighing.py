"""Fits the weights of the ranking features to how questions are worded.

    python -m hdlgraph.eval.fit.weighing OUT QUESTIONS INDEX [QUESTIONS INDEX ...]

OUT becomes `hdlgraph/query/weighing.json`. A file's score is the sum of its weighted parts
(`hdlgraph.query.rank`); learnt are the numbers c of `hdlgraph.query.weighing`, by maximum
likelihood of the right files among the best ones:

    L(c) = - sum over questions of w log softmax_f(SHARP score(f; c))[right] + sum of l2 c^2

where a question of an index weighs 1 / sqrt(the number of those), times SHARES of its kind.
Printed: recall@1, @5 and @20 as the search is and fitted on the other indexes, for each index and
for each kind of question.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hdlgraph.errors import telling_errors
from hdlgraph.eval.fit.judged import judged
from hdlgraph.eval.fit.recall import table
from hdlgraph.eval.sets.questions import Question, read_questions
from hdlgraph.query.question.wording import SIGNS
from hdlgraph.query.search import Searcher
from hdlgraph.query.weighing import FIELDS, HIGHEST, LOWEST, factors, fitted

POOL = 120
"""Files that are best by the present ranking; the right ones are always among them."""
SHARP = 4.0
"""Sharpness of the softmax."""
L2_ALWAYS, L2 = 0.001, 0.002
"""Penalty of the numbers of the sign `always`, and of those of the others."""
HALVED = {"size": 0.5}
"""What is written of the numbers of a part: whole, a small file would stand before one whose
explanation alone has the words of a question."""
SHAPE = len(FIELDS), len(SIGNS)
SHARES = {
    **dict.fromkeys(("natural", "hard"), 2.0),
    **dict.fromkeys(
        ("functional", "parameter", "safety_security", "signal_flow", "structural"), 6.0
    ),
}
"""How often questions of a kind count, 1 for others: people ask most what a design does, and the
sets that are hardest (written without any name) have few questions."""


@dataclass(frozen=True)
class Asked:
    """A question with its best files.

    `parts`: float64 (files, parts), without what is learnt; `rest`: float64 (files,), the parts
    whose weights are not learnt; `right`, `ignored`: bool (files,); `signs`: float64 (signs,).
    """

    index: str
    kind: str
    signs: np.ndarray
    parts: np.ndarray
    rest: np.ndarray
    right: np.ndarray
    ignored: np.ndarray


def collect(index: Path, questions: Sequence[Question]) -> Iterator[Asked]:
    """Yields the questions of which a right file is in the index, with their best files."""
    for searcher, question, right, equal in judged(index, questions):
        yield asked(searcher, question, right, equal, index.name)


def asked(
    searcher: Searcher, question: Question, right: Sequence[int], equal: Sequence[int], index: str
) -> Asked:
    """Returns a question with its best files.

    Args:
        searcher: of the index.
        question: the question.
        right: numbers of the right files.
        equal: numbers of files that are as good.
        index: the name of the index.
    """
    ranking = searcher.ranking(question.text, 1)
    pool = np.asarray(list(dict.fromkeys([*ranking.order[:POOL], *right, *equal])))
    signs = searcher.signs(ranking.question)
    present = dict(zip(fitted().parts, factors(_present(), signs[None])[0], strict=True))
    zero = np.zeros(searcher.lexicon.n_files)
    learnt = [ranking.parts.get(part, zero)[pool] / present[part] for part in FIELDS]
    others = [values[pool] for part, values in ranking.parts.items() if part not in FIELDS]
    return Asked(
        index, question.kind, signs, np.stack(learnt, axis=1).astype(np.float64),
        np.sum(others, axis=0) if others else np.zeros(len(pool)),
        np.isin(pool, right), np.isin(pool, equal) & ~np.isin(pool, right),
    )  # fmt: skip


def _present() -> np.ndarray:
    return np.asarray(fitted().numbers)


class Together:
    """Questions with their files in one array each, for sums over the files of a question."""

    def __init__(self, questions: Sequence[Asked]) -> None:
        self.parts = np.concatenate([one.parts for one in questions])
        self.rest = np.concatenate([one.rest for one in questions])
        self.right = np.concatenate([one.right for one in questions])
        self.ignored = np.concatenate([one.ignored for one in questions])
        self.signs = np.stack([one.signs for one in questions])
        counts = [len(one.right) for one in questions]
        self.start = np.concatenate(([0], np.cumsum(counts)[:-1]))
        self.question = np.repeat(np.arange(len(questions)), counts)
        per_index = Counter(one.index for one in questions)
        shares = np.asarray([
            per_index[one.index] ** -0.5 * SHARES.get(one.kind, 1.0) for one in questions
        ])  # fmt: skip
        self.shares = shares / shares.sum()

    def scores(self, numbers: np.ndarray) -> np.ndarray:
        """Returns the score of every file of every question."""
        return (self.parts * factors(numbers, self.signs)[self.question]).sum(axis=1) + self.rest

    def loss(self, flat: np.ndarray) -> tuple[float, np.ndarray]:
        """Returns L(c) without its penalty, and its slope."""
        numbers = flat.reshape(SHAPE)
        exponent = self.signs @ numbers.T
        inside = (exponent > LOWEST) & (exponent < HIGHEST)
        found = np.where(self.ignored, -1e9, SHARP * self.scores(numbers))
        found -= np.maximum.reduceat(found, self.start)[self.question]
        chance = np.exp(found)
        chance /= np.add.reduceat(chance, self.start)[self.question]
        hit = np.add.reduceat(np.where(self.right, chance, 0.0), self.start)
        hit = np.maximum(hit, 1e-12)
        away = chance - np.where(self.right, chance / hit[self.question], 0.0)
        away *= SHARP * self.shares[self.question]
        slope = np.add.reduceat(self.parts * away[:, None], self.start, axis=0)
        slope *= factors(numbers, self.signs) * inside
        return float(-(self.shares * np.log(hit)).sum()), (slope.T @ self.signs).ravel()


def fit(questions: Sequence[Asked]) -> np.ndarray:
    """Returns the numbers of the gate, float64 (parts, signs)."""
    from scipy.optimize import minimize

    every = Together(questions)
    penalty = np.full(SHAPE, L2)
    penalty[:, 0] = L2_ALWAYS

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = every.loss(flat)
        numbers = flat.reshape(SHAPE)
        return value + float((penalty * numbers**2).sum()), slope + 2 * (penalty * numbers).ravel()

    start = np.zeros(SHAPE).ravel()
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return found.x.reshape(SHAPE)


def ranks(questions: Sequence[Asked], numbers: np.ndarray) -> np.ndarray:
    """Returns the rank of the first right file of each question."""
    every = Together(questions)
    found = every.scores(numbers)
    out = []
    for one, first in zip(questions, every.start, strict=True):
        mine = found[first : first + len(one.right)]
        out.append(1 + int((mine[~one.right] > mine[one.right].max()).sum()))
    return np.asarray(out)


def left_out(questions: Sequence[Asked]) -> np.ndarray:
    """Returns the rank of the first right file of each question, fitted on the other indexes."""
    out = np.zeros(len(questions), np.int64)
    for index in sorted({one.index for one in questions}):
        mine = np.asarray([one.index == index for one in questions])
        numbers = fit([one for one in questions if one.index != index])
        out[mine] = ranks([one for one in questions if one.index == index], numbers)
    return out


@telling_errors
def main(arguments: list[str] | None = None) -> int:
    """Reads the command line, fits, measures and writes the numbers."""
    parser = argparse.ArgumentParser(
        prog="python -m hdlgraph.eval.fit.weighing", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("pairs", nargs="+", type=Path, metavar="QUESTIONS INDEX")
    given = parser.parse_args(arguments)
    if len(given.pairs) % 2:
        parser.error("name an index behind each question set")
    questions: list[Asked] = []
    for path, index in zip(given.pairs[::2], given.pairs[1::2], strict=True):
        questions += collect(index, read_questions(path))
    columns = {"as it is": ranks(questions, _present()), "index left out": left_out(questions)}
    for line in table(questions, columns):
        sys.stdout.write(line + "\n")
    write(given.out, fit(questions))
    return 0


def write(out: Path, numbers: np.ndarray) -> None:
    """Writes numbers as `hdlgraph.query.weighing` reads them."""
    shares = [HALVED.get(part, 1.0) for part in FIELDS]
    rows = [
        [round(float(value) * share, 4) for value in row]
        for row, share in zip(numbers, shares, strict=True)
    ]
    found = {"parts": list(FIELDS), "signs": SIGNS, "numbers": rows}
    out.write_text(json.dumps(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
