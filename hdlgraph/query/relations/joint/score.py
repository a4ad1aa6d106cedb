"""How much speaks for each row as the answer: a small network over its numbers.

Fitted by `hdlgraph.eval.fit.relations`: per question, a softmax over its rows, whose mass on the
right files is to be large.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
import numpy as np

from hdlgraph.query.network import Network

PLAIN = 10.0
"""Score of a row whose file the plain ranking has first, before anything is fitted."""


@cache
def model() -> dict[str, Any]:
    """Returns the fitted numbers of the kinds and of the rows."""
    text = files(__package__).joinpath("model.json").read_bytes()
    found: dict[str, Any] = msgspec.json.decode(text)
    return found


@cache
def _network() -> Network:
    return Network(*(np.asarray(model()["rows"][name]) for name in Network._fields))


def of_files(numbers: Sequence[int], scores: np.ndarray) -> dict[int, float]:
    """Returns the score of each file: the log of the mass of its rows, as the network was fitted.

    Args:
        numbers: the file of each row.
        scores: of the rows.
    """
    most: dict[int, float] = {}
    for number, score in zip(numbers, scores.tolist(), strict=True):
        most[number] = max(score, most.get(number, score))
    mass = dict.fromkeys(most, 0.0)
    for number, score in zip(numbers, scores.tolist(), strict=True):
        mass[number] += math.exp(score - most[number])
    return {number: round(top + math.log(mass[number]), 6) for number, top in most.items()}


def scores_of(values: np.ndarray) -> np.ndarray:
    """Returns the score of each row; see `Network.scores`."""
    return _network().scores(values)
