"""Learns a linear map of question vectors by contrast, in numpy.

The map W is one-sided: a question's vector q becomes W q / |W q|, the vectors of the index stay as
they are. For a question with right rows P and compared rows C (its own hard negatives, and the
right rows of the other questions of its batch) the loss is InfoNCE (van den Oord et al., 2018,
arXiv:1807.03748, eq. 4), several right rows counting together:

    L = - log (sum_{p in P} exp(w.p / t) / sum_{c in P + C} exp(w.c / t)) + l2 |W - I|^2

It is minimised by Adam (Kingma and Ba, 2015, arXiv:1412.6980, algorithm 1), from W = I.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

BETAS, EPSILON = (0.9, 0.999), 1e-8


@dataclass(frozen=True, slots=True)
class Example:
    """A question as training sees it: its vector (d,), and rows of the index.

    `right` are the rows that answer it, `wrong` hard negatives; `ignored` are neither, such as
    copies of the right ones.
    """

    vector: np.ndarray
    right: np.ndarray
    wrong: np.ndarray
    ignored: np.ndarray


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a map is learnt.

    `temperature` divides the cosines, `l2` holds the map near the identity, `rate` is Adam's step;
    training ends after `epochs`, or `patience` epochs without a gain on the examples kept aside.
    """

    temperature: float = 0.1
    l2: float = 0.3
    rate: float = 0.001
    batch: int = 64
    epochs: int = 40
    patience: int = 5
    seed: int = 0


def train_map(
    examples: Sequence[Example], aside: Sequence[Example], rows: np.ndarray, recipe: Recipe
) -> tuple[np.ndarray, int]:
    """Returns the map, float32 (d, d), and after how many epochs it was taken.

    Args:
        examples: questions to learn from.
        aside: questions that say when to end; without any, all epochs are run.
        rows: float32 (n, d), the vectors of the index, each of length 1.
        recipe: how.
    """
    d = rows.shape[1]
    shift = np.zeros((d, d), np.float32)  # W - I
    moments = [np.zeros_like(shift), np.zeros_like(shift)]
    dice = np.random.default_rng(recipe.seed)
    best, taken, step = shift, 0, 0
    least = mean_loss(shift, aside, rows, recipe) if aside else np.inf
    for epoch in range(1, recipe.epochs + 1):
        order = dice.permutation(len(examples))
        for start in range(0, len(order), recipe.batch):
            batch = [examples[n] for n in order[start : start + recipe.batch]]
            _, slope = loss(shift, batch, rows, recipe)
            step += 1
            shift = shift - _adam(moments, slope, step, recipe.rate)
        found = mean_loss(shift, aside, rows, recipe) if aside else -np.inf
        if found < least or not aside:
            best, taken, least = shift, epoch, found
        elif epoch - taken >= recipe.patience:
            break
    return np.eye(d, dtype=np.float32) + best, taken


def without_early_end(recipe: Recipe, epochs: int) -> Recipe:
    """Returns a recipe of so many epochs, for a last training on all examples."""
    return replace(recipe, epochs=max(epochs, 1))


def _adam(moments: list[np.ndarray], slope: np.ndarray, step: int, rate: float) -> np.ndarray:
    """Returns the change of one step; `moments` are brought up to date."""
    first, second = BETAS
    moments[0] = first * moments[0] + (1 - first) * slope
    moments[1] = second * moments[1] + (1 - second) * slope**2
    mean, spread = moments[0] / (1 - first**step), moments[1] / (1 - second**step)
    return (rate * mean / (np.sqrt(spread) + EPSILON)).astype(np.float32)


def mean_loss(
    shift: np.ndarray, examples: Sequence[Example], rows: np.ndarray, recipe: Recipe
) -> float:
    """Returns the contrast alone, without the penalty, over all examples."""
    total = 0.0
    for start in range(0, len(examples), recipe.batch):
        batch = examples[start : start + recipe.batch]
        total += loss(shift, batch, rows, replace(recipe, l2=0.0))[0] * len(batch)
    return total / max(len(examples), 1)


def loss(
    shift: np.ndarray, batch: Sequence[Example], rows: np.ndarray, recipe: Recipe
) -> tuple[float, np.ndarray]:
    """Returns the loss of a batch and its slope by W, float32 (d, d)."""
    asked = np.stack([one.vector for one in batch]).astype(np.float32)
    used = np.unique(np.concatenate([np.r_[one.right, one.wrong] for one in batch]))
    mapped = asked + asked @ shift.T
    length = np.linalg.norm(mapped, axis=1, keepdims=True)
    unit = mapped / np.maximum(length, 1e-9)
    logits = unit @ rows[used].T / recipe.temperature
    right = np.zeros(logits.shape, bool)
    for n, one in enumerate(batch):
        right[n, np.searchsorted(used, one.right)] = True
        hidden = np.intersect1d(one.ignored, used)
        logits[n, np.searchsorted(used, hidden)] = -np.inf
    share = np.exp(logits - logits.max(axis=1, keepdims=True))
    share /= share.sum(axis=1, keepdims=True)
    hit = np.maximum((share * right).sum(axis=1, keepdims=True), 1e-12)
    value = float(-np.log(hit).mean())
    by_logit = (share - np.where(right, share / hit, 0.0)) / (len(batch) * recipe.temperature)
    by_unit = by_logit @ rows[used]
    by_mapped = (by_unit - (by_unit * unit).sum(axis=1, keepdims=True) * unit) / length
    slope = by_mapped.T @ asked + 2 * recipe.l2 * shift
    return value + recipe.l2 * float((shift**2).sum()), slope.astype(np.float32)
