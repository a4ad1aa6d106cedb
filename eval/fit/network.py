"""Fits a network that scores the rows of a question (`hdlgraph.query.network`).

Loss of a question: -log of the mass that a softmax over its rows gives to those of the right
files (listwise, Cao et al., ICML 2007, with several right rows). Adam (Kingma & Ba, ICLR 2015) with
a falling rate; inputs are dropped at random (Srivastava et al., JMLR 2014). Networks from several
starts are averaged, which is one wider network (Hansen & Salamon, PAMI 1990).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hdlgraph.query.network import LIMIT, Network


class Recipe(NamedTuple):
    """How a network is trained.

    `plain` is the weight of the first number of a row before anything is learnt, `hidden` the
    number of hidden units, `dropped` the share of inputs left out of a step. `ridge` holds linear
    weights near their start and `decay` the others near 0; linear weights learn `linear` times as
    fast. `starts` networks are averaged: one alone puts another file first for a question in ten by
    chance.
    """

    plain: float
    hidden: int = 32
    epochs: int = 30
    dropped: float = 0.15
    ridge: float = 2e-4
    decay: float = 5e-4
    linear: float = 5.0
    starts: int = 3


BATCH, RATE = 64, 3e-3
WARM, LAST = 50, 0.01
"""Steps until the full rate, and the share of it at the end."""
BETA, BETA_2, EPS = 0.9, 0.999, 1e-8


class Listed(NamedTuple):
    """The rows of one question: float32 (rows, width), which are right, which count, its weight."""

    values: np.ndarray
    right: np.ndarray
    counts: np.ndarray
    weight: float


def train(questions: Sequence[Listed], recipe: Recipe) -> Network:
    """Returns the network that fits some questions: the mean of those from several starts."""
    return mean_of([_train(questions, recipe, seed) for seed in range(recipe.starts)])


def mean_of(networks: Sequence[Network]) -> Network:
    """Returns the network whose scores are the means of those of some, all of the same inputs."""
    first, count = networks[0], len(networks)
    return Network(
        np.mean([one.linear for one in networks], axis=0), first.mean, first.deviation,
        np.concatenate([one.hidden for one in networks], axis=1),
        np.concatenate([one.bias for one in networks]),
        np.concatenate([one.out for one in networks]) / count,
    )  # fmt: skip


def _train(questions: Sequence[Listed], recipe: Recipe, seed: int) -> Network:
    """Returns the network that fits some questions from one start."""
    random = np.random.default_rng(seed)
    used = [one for one in questions if one.right.any()]
    every = np.concatenate([one.values for one in used])
    mean, deviation = every.mean(axis=0), every.std(axis=0)
    deviation[deviation < 1e-3] = 1.0
    width = every.shape[1]
    start = np.zeros(width, np.float32)
    start[0] = recipe.plain
    weights = {
        "linear": start.copy(),
        "hidden": _normal(random, (width, recipe.hidden), width**-0.5),
        "bias": np.zeros(recipe.hidden, np.float32),
        "out": _normal(random, (recipe.hidden,), 0.1),
    }
    adam = _Adam(weights, recipe.linear, recipe.epochs * (len(used) // BATCH + 1))
    for _ in range(recipe.epochs):
        order = random.permutation(len(used))
        for begin in range(0, len(used), BATCH):
            batch = [used[at] for at in order[begin : begin + BATCH]]
            keep = np.asarray(random.random(width) > recipe.dropped, np.float32) / (
                1 - recipe.dropped
            )
            slopes = _slopes(batch, weights, (mean, deviation), keep)
            slopes["linear"] += 2 * recipe.ridge * (weights["linear"] - start)
            for name in ("hidden", "out"):
                slopes[name] += 2 * recipe.decay * weights[name]
            adam.step(slopes)
    return Network(
        weights["linear"], mean, deviation, weights["hidden"], weights["bias"], weights["out"]
    )


def _normal(random: np.random.Generator, shape: tuple[int, ...], scale: float) -> np.ndarray:
    return (random.standard_normal(shape) * scale).astype(np.float32)


def _slopes(
    batch: Sequence[Listed], weights: dict[str, np.ndarray], scale: tuple[np.ndarray, np.ndarray],
    keep: np.ndarray,
) -> dict[str, np.ndarray]:  # fmt: skip
    """Returns the slopes of the mean loss of a batch by each weight."""
    x = np.concatenate([one.values for one in batch])
    right = np.concatenate([one.right for one in batch])
    counts = np.concatenate([one.counts for one in batch])
    sizes = np.asarray([len(one.right) for one in batch])
    begins = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    of = np.repeat(np.arange(len(batch)), sizes)
    z = np.clip((x - scale[0]) / scale[1], -LIMIT, LIMIT) * keep
    active = np.maximum(z @ weights["hidden"] + weights["bias"], 0)
    score = np.where(counts, x @ weights["linear"] + active @ weights["out"], -1e4)
    chance = np.exp(score - np.maximum.reduceat(score, begins)[of])
    chance /= np.add.reduceat(chance, begins)[of]
    good = np.add.reduceat(np.where(right, chance, 0), begins) + 1e-9
    share = np.asarray([one.weight for one in batch])[of] / len(batch)
    slope = ((chance - np.where(right, chance / good[of], 0)) * share).astype(np.float32)
    inner = np.outer(slope, weights["out"]) * (active > 0)
    return {
        "linear": x.T @ slope, "out": active.T @ slope, "hidden": z.T @ inner,
        "bias": inner.sum(axis=0),
    }  # fmt: skip


class _Adam:
    """Moves weights against their slopes, in place.

    Args:
        weights: by name.
        linear: how much faster the linear ones learn.
        steps: that will be made.
    """

    def __init__(self, weights: dict[str, np.ndarray], linear: float, steps: int) -> None:
        self.linear = linear
        self.weights, self.steps, self.at = weights, steps, 0
        self.first = {name: np.zeros_like(one) for name, one in weights.items()}
        self.second = {name: np.zeros_like(one) for name, one in weights.items()}

    def step(self, slopes: dict[str, np.ndarray]) -> None:
        """Makes one step."""
        self.at += 1
        fall = 0.5 * (1 + np.cos(np.pi * self.at / self.steps)) + LAST
        rate = RATE * min(1.0, self.at / WARM) * fall
        for name, slope in slopes.items():
            first, second = self.first[name], self.second[name]
            first += (1 - BETA) * (slope - first)
            second += (1 - BETA_2) * (slope**2 - second)
            mean = first / (1 - BETA**self.at)
            spread = np.sqrt(second / (1 - BETA_2**self.at)) + EPS
            own = rate * (self.linear if name == "linear" else 1.0)
            self.weights[name] -= (own * mean / spread).astype(np.float32)
