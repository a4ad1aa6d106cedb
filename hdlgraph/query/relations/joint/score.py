"""How much speaks for each row as the answer: a small network over its numbers.

score(x) = w . x + v . relu(W z + b) with z = (x - mean) / deviation, clipped to LIMIT. Fitted by
`hdlgraph.eval.fit.relations`: per question, a softmax over its rows, whose mass on the right files
is to be large.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import msgspec
import numpy as np

PLAIN = 10.0
"""Score of a row whose file the plain ranking has first, before anything is fitted."""
LIMIT = 4.0
"""Standard deviations beyond which a number counts no more."""


class Network(NamedTuple):
    """The fitted numbers: `linear` (width), `hidden` (width, units), the others by name."""

    linear: np.ndarray
    mean: np.ndarray
    deviation: np.ndarray
    hidden: np.ndarray
    bias: np.ndarray
    out: np.ndarray

    def scores(self, values: np.ndarray) -> np.ndarray:
        """Returns the score of each row, float64 (rows,).

        Args:
            values: float32 (rows, width).
        """
        x = values.astype(np.float64)
        z = np.clip((x - self.mean) / self.deviation, -LIMIT, LIMIT)
        found: np.ndarray = x @ self.linear + np.maximum(z @ self.hidden + self.bias, 0) @ self.out
        return found.round(6)


@cache
def model() -> dict[str, Any]:
    """Returns the fitted numbers of the kinds and of the rows."""
    text = files(__package__).joinpath("model.json").read_bytes()
    found: dict[str, Any] = msgspec.json.decode(text)
    return found


@cache
def _network() -> Network:
    return Network(*(np.asarray(model()["rows"][name]) for name in Network._fields))


def scores_of(values: np.ndarray) -> np.ndarray:
    """Returns the score of each row; see `Network.scores`."""
    return _network().scores(values)
