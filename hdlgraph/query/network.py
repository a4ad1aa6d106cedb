"""A small neural network that scores rows of numbers; `hdlgraph.eval.fit.network` fits it.

score(x) = w . x + v . relu(W z + b) with z = (x - mean) / deviation, clipped to LIMIT.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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
