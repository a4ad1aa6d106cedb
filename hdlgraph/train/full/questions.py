"""The pairs of several indexes as examples: each question with numbers of texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hdlgraph.train.examples import Asked
from hdlgraph.train.full.fit import Line
from hdlgraph.train.full.material import Source
from hdlgraph.train.full.tunable import Tunable


@dataclass(frozen=True)
class Question:
    """A pair of a source, as an example, in a group that is not parted."""

    source: int
    asked: Asked
    line: Line


def gather(sources: Sequence[Source], model: Tunable) -> tuple[list[str], list[Question]]:
    """Returns all texts, and the pairs of all sources that have right texts and wrong ones.

    Args:
        sources: indexes with their pairs.
        model: gives the texts of rows, and what stands before a question.
    """
    nearest = model.recipe.right
    texts: list[str] = []
    found: list[Question] = []
    for number, one in enumerate(sources):
        start = len(texts)
        texts += [*model.texts(one), *one.material.texts]
        for asked in one.material.asked:
            example = asked.example
            wrong = _nearest(one.material.rows, example.wrong, example.vector) + start
            right = example.right + start
            if len(right) and len(wrong):
                fits = frozenset([*right.tolist(), *(example.ignored + start).tolist()])
                if nearest:
                    by_nearness = _nearest(one.material.rows, example.right, example.vector)
                    right = by_nearness[:nearest] + start
                line = Line(len(texts), tuple(right.tolist()), tuple(wrong.tolist()), fits)
                texts.append(model.prefix + asked.pair.query)
                found.append(Question(number, asked, line))
    return texts, found


def _nearest(rows: np.ndarray, chosen: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Returns numbers of rows, the nearest to a vector first."""
    return chosen[np.argsort(-(rows[chosen] @ vector), kind="stable")]


def groups(questions: Sequence[Question]) -> list[int]:
    """Returns the number of the group of each question: those of one file of one source."""
    names = [(one.source, one.asked.group) for one in questions]
    order = {name: number for number, name in enumerate(sorted(set(names)))}
    return [order[name] for name in names]
