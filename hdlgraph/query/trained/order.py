"""Orders the first files of a search by a trained weight of each part of their scores.

value(f) = sum over inputs i of w_i x_i(f), where x is the score of the file and its parts
(`hdlgraph.query.weights.PARTS`). Only the first FIRST files change places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hdlgraph.errors import WeightsMissingError
from hdlgraph.query.weights import PARTS
from hdlgraph.store.trained.folder import RERANKER, read_trained, read_weights

if TYPE_CHECKING:
    from hdlgraph.query.features.feature import Ranking

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

    def apply(self, ranking: Ranking) -> None:
        """Puts the first files of a ranking in order; each takes the score of its new place."""
        if any(name in ranking.parts for name in NOT_OF):
            return
        first = ranking.order[:FIRST]
        value = inputs(ranking, first, self.names) @ self.weights
        order = [first[n] for n in np.argsort(-value, kind="stable")]
        scores = ranking.score[first]
        ranking.order[:FIRST] = order
        ranking.score[order] = scores


def inputs(ranking: Ranking, files: Sequence[int], names: Sequence[str] = INPUTS) -> np.ndarray:
    """Returns the inputs of files, float32 (files, names); 0 for a part that a ranking has not."""
    chosen = np.asarray(files, np.int64)
    known = {SCORE: ranking.score, **ranking.parts}
    zero = np.zeros(len(ranking.score), np.float32)
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
