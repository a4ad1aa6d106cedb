"""Which files are the known end of a question: those beside which most of its answers stand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hdlgraph.query.relations.joint.rows import BASE
from hdlgraph.query.relations.joint.score import model

SIGNS = ("beside", "root of beside", "named", "plain", "place", "answer", "root of answer")
"""What tells of a file: the mass of rows whose known end it is, whether it is written by name, its
plain score and 1 / its rank, and the mass of rows that it answers; a mass is a softmax's."""
PLAIN, NAMED = BASE.index("plain"), BASE.index("named")


def signs(
    numbers: np.ndarray, known: np.ndarray, values: np.ndarray, scores: np.ndarray
) -> tuple[list[int], np.ndarray]:
    """Returns the files of some rows and SIGNS of each, float64 (files, signs).

    Args:
        numbers: the files that answer.
        known: the files of the known ends, -1 for none.
        values: of the rows, float32 (rows, width).
        scores: of the rows.
    """
    files = [int(one) for one in np.unique(np.concatenate([numbers, known])) if one >= 0]
    at = {number: place for place, number in enumerate(files)}
    chances = np.exp(scores - scores.max())
    chances /= chances.sum()
    answer, beside, plain, named = np.zeros((4, len(files)))
    own = np.asarray([at[one] for one in numbers.tolist()])
    np.add.at(answer, own, chances)
    has = known >= 0
    np.add.at(beside, [at[one] for one in known[has].tolist()], chances[has])
    plain[own], named[own] = values[:, PLAIN], values[:, NAMED] > 0
    rank = np.empty(len(files))
    rank[np.argsort(-plain, kind="stable")] = np.arange(1, len(files) + 1)
    return files, np.stack(
        [beside, beside**0.5, named, plain, 1 / rank, answer, answer**0.5], axis=1
    )  # fmt: skip


def likeliest(
    numbers: Sequence[int], known: Sequence[int], values: np.ndarray, scores: np.ndarray
) -> list[int]:
    """Returns the files, the likeliest known end first; arguments as of `signs`."""
    files, told = signs(np.asarray(numbers), np.asarray(known), values, scores)
    fit = told @ np.asarray(model()["known"])
    return [files[place] for place in np.argsort(-fit.round(6), kind="stable").tolist()]
