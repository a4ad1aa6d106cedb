"""Fits the rule that decides whether passages answer a question; prints its constants.

    python -m hdlgraph.eval.fit.answerable INDEX=QUESTIONS.jsonl... [--judge INDEX=QUESTIONS.jsonl]

Each index has vectors of the embedded model. Its questions are answered by its documents; those of
`data/off-topic.jsonl` by none. The signs are the two of `query/answer/documents/fits.py`. Each
index is judged by what was fitted on the others; those of `--judge` are never fitted on. Every
index, and either side of it, counts the same.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hdlgraph.errors import telling_errors
from hdlgraph.eval.fit.calibrate import off_topic
from hdlgraph.project import Project

STRENGTH = 30.0
"""Inverse of the L2 penalty."""


class Case(NamedTuple):
    """A question asked of an index: whether its documents answer, and the signs."""

    corpus: str
    answered: bool
    covered: float
    near: float


def cases(index: Path, questions: Sequence[Path]) -> Iterator[Case]:
    """Yields the cases of one index.

    Raises:
        ValueError: it has no vectors of the embedded model.
    """
    project = Project.open(index)
    asked = [json.loads(row)["question"] for path in questions for row in path.open("rb")]
    for answered, texts in ((True, asked), (False, [text for text, _ in off_topic()])):
        for text in texts:
            beside = project.beside(text)
            if beside is None:
                raise ValueError(f"{index}: no documents are indexed")
            papers = project.papers(beside, project.search(text, kind="doc"))
            if papers.near is None:
                raise ValueError(f"{index}: its documents have no vectors of the embedded model")
            yield Case(str(index), answered, papers.covered, papers.near)


def fitted(found: Sequence[Case]) -> np.ndarray:
    """Returns (bias, weight of `covered`, weight of `near`) of a logistic regression."""
    from sklearn.linear_model import LogisticRegression

    sides = [(one.corpus, one.answered) for one in found]
    weight = np.asarray([1 / sides.count(side) for side in sides])
    model = LogisticRegression(C=STRENGTH, max_iter=5000)
    model.fit(_signs(found), [one.answered for one in found], weight * len(found) / weight.sum())
    return np.asarray([model.intercept_[0], *model.coef_[0]])


def judged(constants: np.ndarray, found: Sequence[Case]) -> str:
    """Returns the shares of questions that are answered and refused rightly."""
    odds = constants[0] + _signs(found) @ constants[1:]
    on = np.asarray([one.answered for one in found])
    return f"answered {np.mean(odds[on] >= 0):.2f}, others refused {np.mean(odds[~on] < 0):.2f}"


def _signs(found: Sequence[Case]) -> np.ndarray:
    return np.asarray([(one.covered, one.near) for one in found])


def _named(text: str) -> tuple[Path, list[Path]]:
    index, _, questions = text.partition("=")
    return Path(index), [Path(one) for one in questions.split(",")]


@telling_errors
def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser("python -m hdlgraph.eval.fit.answerable")
    about = "INDEX=QUESTIONS.jsonl[,MORE.jsonl]"
    parser.add_argument("fit", nargs="+", metavar=about, type=_named)
    parser.add_argument("--judge", action="append", default=[], metavar=about, type=_named)
    options = parser.parse_args(arguments)
    known = [list(cases(*one)) for one in options.fit]
    out = sys.stdout
    for number, one in enumerate(known):
        rest = [case for other in known if other is not one for case in other]
        if rest:
            out.write(f"{options.fit[number][0]}, left out: {judged(fitted(rest), one)}\n")
    constants = fitted([case for one in known for case in one])
    for place in options.judge:
        out.write(f"{place[0]}, judged: {judged(constants, list(cases(*place)))}\n")
    out.write("BIAS, COVERED, NEAR = " + ", ".join(f"{one:.1f}" for one in constants) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
