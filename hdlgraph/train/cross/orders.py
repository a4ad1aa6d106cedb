"""What scores of a cross-encoder make of the first files: a weighted sum, or inputs of the network.

A question's `near` are the scores of its first files by the sum. For the network the files behind
them take the lowest of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hdlgraph.eval.fit.listwise import Asked
from hdlgraph.query.listwise.inputs import PLACES
from hdlgraph.train.cross.material import Listed

WEIGHTS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Of a score beside the search's own number, whose first files are about 1 apart."""
COLUMNS = ("near", "behind near", "place near")


def moved(values: np.ndarray, near: np.ndarray, weight: float, first: int) -> np.ndarray:
    """Returns the order of files, the first ones by value + weight * near, the others as they were.

    Args:
        values: float64 (files,), by which they are in order.
        near: scores of files by their number, at least of the first ones.
        weight: of the scores.
        first: files that may change places.
    """
    order = np.argsort(-values, kind="stable")
    chosen = order[:first]
    chosen = chosen[chosen < len(near)]
    anew = chosen[np.argsort(-(values[chosen] + weight * near[chosen]), kind="stable")]
    order[np.isin(order, chosen)] = anew
    return order


def rank_of(one: Asked, order: np.ndarray) -> int:
    """Returns the rank of the first right file in an order of the files that were seen."""
    if not one.right.any():
        return one.rank
    kept = order[~one.ignored[order]]
    return 1 + int(np.flatnonzero(one.right[kept])[0])


def summed(
    listed: Sequence[Listed],
    values: Sequence[np.ndarray],
    near: Sequence[np.ndarray],
    weight: float,
    first: int,
) -> np.ndarray:
    """Returns the rank of each question by values + weight * near."""
    return np.asarray([
        rank_of(one.asked, moved(value, score, weight, first))
        for one, value, score in zip(listed, values, near, strict=True)
    ])  # fmt: skip


def best_weight(
    listed: Sequence[Listed],
    values: Sequence[np.ndarray],
    near: Sequence[np.ndarray],
    first: int,
) -> float:
    """Returns the weight of WEIGHTS with the highest mean reciprocal rank; of equals the least."""
    found = {w: float((1 / summed(listed, values, near, w, first)).mean()) for w in WEIGHTS}
    return max(found, key=lambda weight: (round(found[weight], 9), -weight))


def widened(one: Listed, near: np.ndarray) -> Asked:
    """Returns a question whose files have the columns COLUMNS as well."""
    lowest = near.min() if len(near) else 0.0
    full = np.full(len(one.files), lowest, np.float32)
    full[: len(near)] = near[: len(full)]
    place = np.empty(len(full))
    place[np.argsort(-full, kind="stable")] = np.arange(len(full))
    more = np.stack([full, full - full.max(), 1 / (1 + place / PLACES)], axis=1)
    values = np.concatenate([one.asked.values, more.astype(np.float32)], axis=1)
    return replace(one.asked, values=values)
