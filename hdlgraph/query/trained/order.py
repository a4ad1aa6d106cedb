"""Orders the first files of a search by a trained weight of each part of their scores.

value(f) = sum over inputs i of w_i x_i(f), where x is the score of the file and its parts
(`hdlgraph.query.weights.PARTS`). Only the first FIRST files change places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hdlgraph.errors import WeightsMissingError
from hdlgraph.query.weights import PARTS
from hdlgraph.store.trained.folder import RERANKER, read_trained, read_weights

FIRST = 20
"""Files that may change places."""
SCORE = "score"
INPUTS = (SCORE, *PARTS)
"""What the weights belong to: the whole score, and its parts."""
WEIGHTS = "weights"
"""Name of the array of weights."""
NOT_OF = ("relation", "identifier")
"""Parts of questions that name what they want: their order is left alone."""


@dataclass(frozen=True)
class TrainedOrder:
    """Weights, float32 (len(names),), of inputs by name."""

    names: tuple[str, ...]
    weights: np.ndarray

    def apply(self, order: list[int], score: np.ndarray, parts: Mapping[str, np.ndarray]) -> None:
        """Puts the first files of an order anew; each takes the score of its new place.

        Args:
            order: file numbers, best first; changed in place.
            score: of every file; changed in place.
            parts: of the score, by name.
        """
        if any(name in parts for name in NOT_OF):
            return
        first = order[:FIRST]
        value = inputs(score, parts, first, self.names) @ self.weights
        anew = [first[n] for n in np.argsort(-value, kind="stable")]
        scores = score[first]
        order[:FIRST] = anew
        score[anew] = scores


def inputs(
    score: np.ndarray,
    parts: Mapping[str, np.ndarray],
    files: Sequence[int],
    names: Sequence[str] = INPUTS,
) -> np.ndarray:
    """Returns the inputs of files, float32 (files, names); 0 for a part that a search has not."""
    chosen = np.asarray(files, np.int64)
    known = {SCORE: score, **parts}
    zero = np.zeros(len(score), np.float32)
    return np.stack([known.get(name, zero)[chosen] for name in names], axis=1).astype(np.float32)


def read_order(folder: str) -> TrainedOrder | None:
    """Returns the order that a folder has, None where it has none in use.

    Raises:
        WeightsMissingError: the folder cannot be used, or it is of other inputs.
    """
    place = Path(folder).expanduser()
    model = read_trained(place).models.get(RERANKER) if folder else None
    if model is None or not model.better:
        return None
    weights = read_weights(place, RERANKER, model).get(WEIGHTS)
    if weights is None or weights.shape != (len(model.names),) or set(model.names) - set(INPUTS):
        raise WeightsMissingError(
            f"{place}: its {RERANKER} weighs what this version has not; train it again"
        )
    return TrainedOrder(model.names, weights)
