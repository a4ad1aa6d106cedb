"""Learns a cross-encoder, in JAX: of a few cards the right one is to have the highest score.

The loss of a question is that of a softmax over a right card and hard negatives, drawn anew in each
epoch from the files that the search has first (Nogueira and Cho, 2019, arXiv:1901.04085; the
listwise form is that of Gao et al., ECIR 2021, "localized contrastive estimation", eq. 4). Adam
with a rate that rises over the first tenth of the steps and falls to 0, so that the last weights
are taken. The tables of words stay as they are: few steps move few of their rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hdlgraph.train.cross.cards import Pieces, rows
from hdlgraph.train.full.encoder import Shape, first_states
from hdlgraph.train.full.fit import batches, stepped


@dataclass(frozen=True, slots=True)
class CrossRecipe:
    """How a cross-encoder is learnt.

    `layers` of the model to begin with are kept, the `last` of these are learnt; `tokens` of a pair
    are read. A batch has `batch` questions, each with a right card and `hard` negatives from the
    first `near` files.
    """

    start: str = "reranker"
    layers: int = 6
    last: int = 3
    tokens: int = 128
    rate: float = 1e-4
    batch: int = 6
    hard: int = 4
    near: int = 10
    epochs: int = 1
    warm: float = 0.1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """A question with cards as numbers of texts: those of right files, and hard negatives."""

    question: int
    right: tuple[int, ...]
    wrong: tuple[int, ...]


Progress = Callable[[int, int], None]


class CrossLearner:
    """Learns from lines; the same seed gives the same weights on one machine.

    Args:
        known: all texts as tokens.
        shape: of the model.
        recipe: how.
    """

    def __init__(self, known: Pieces, shape: Shape, recipe: CrossRecipe) -> None:
        import jax

        self._known, self._shape, self._recipe = known, shape, recipe
        self._loss = jax.jit(self._of)
        self._step = jax.jit(self._stepped, donate_argnums=(0, 1))

    def learn(
        self,
        weights: Mapping[str, Any],
        lines: Sequence[Line],
        aside: Sequence[Line],
        progress: Progress | None = None,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Returns what is learnt, as arrays, and what the training did.

        Args:
            weights: to begin with, as of `Start.weights`.
            lines: to learn from.
            aside: whose loss is told, before and after each epoch.
            progress: how many of how many steps are done.
        """
        import jax

        recipe, dice = self._recipe, np.random.default_rng(self._recipe.seed)
        fixed = jax.tree.map(jax.numpy.asarray, weights["fixed"])
        learnt = jax.tree.map(jax.numpy.array, weights["learnt"])  # copies: a step takes them over
        moments: Any = [jax.tree.map(jax.numpy.zeros_like, learnt) for _ in range(2)]
        steps, done = recipe.epochs * -(-len(lines) // recipe.batch), 0
        losses = [self.mean_loss(learnt, fixed, aside)]
        for _ in range(recipe.epochs):
            for some in batches(dice.permutation(len(lines)), recipe.batch):
                done += 1
                rate = recipe.rate * _share(done, steps, recipe.warm)
                drawn = self._drawn([lines[n] for n in some], dice)
                learnt, moments = self._step(learnt, moments, fixed, drawn, rate, float(done))
                if progress:
                    progress(done, steps)
            losses.append(self.mean_loss(learnt, fixed, aside))
        told = [round(loss, 4) for loss in losses]
        return jax.tree.map(np.array, learnt), {"steps": done, "loss_aside": told}

    def mean_loss(self, learnt: Any, fixed: Any, lines: Sequence[Line]) -> float:
        """Returns the loss over lines, each with cards that are the same at every call."""
        dice = np.random.default_rng(self._recipe.seed)
        found = [
            float(self._loss(learnt, fixed, self._drawn([lines[n] for n in some], dice)))
            for some in batches(np.arange(len(lines)), self._recipe.batch)
        ]
        return float(np.mean(found))

    def _drawn(self, lines: Sequence[Line], dice: np.random.Generator) -> tuple[np.ndarray, ...]:
        """Returns ids, kinds and mask of a batch; of each question a right card, then wrong ones.

        A question with fewer wrong cards than wanted has some of them twice.
        """
        pairs = []
        for line in lines:
            wrong = dice.permutation(np.asarray(line.wrong[: self._recipe.near]))
            cards = [int(dice.choice(line.right)), *np.resize(wrong, self._recipe.hard).tolist()]
            pairs += [(line.question, card) for card in cards]
        found = rows(self._known, pairs, self._recipe.tokens)
        return found.ids, found.kinds, found.mask

    def _of(self, learnt: Any, fixed: Any, batch: tuple[Any, ...]) -> Any:
        import jax

        found = scores({"fixed": fixed, "learnt": learnt}, batch, self._shape)
        found = found.reshape(-1, 1 + self._recipe.hard)
        return -jax.nn.log_softmax(found, axis=1)[:, 0].mean()

    def _stepped(
        self, learnt: Any, moments: Any, fixed: Any, batch: Any, rate: Any, step: Any
    ) -> Any:
        import jax

        slope = jax.grad(self._of)(learnt, fixed, batch)
        return stepped(learnt, moments, slope, rate, step)


def scores(weights: Mapping[str, Any], batch: tuple[Any, ...], shape: Shape) -> Any:
    """Returns the score of each pair, float32 (n,).

    Args:
        weights: of `Start.weights`.
        batch: ids, kinds and mask of the pairs.
        shape: of the model.
    """
    import jax

    ids, kinds, mask = batch
    fixed, learnt = weights["fixed"], weights["learnt"]
    tables, head = fixed["tables"], learnt["head"]
    state = tables["word_embeddings"][ids] + tables["token_type_embeddings"][kinds]
    state = state + tables["position_embeddings"][: ids.shape[1]]
    first = first_states({**fixed, **learnt}, state, mask, shape)
    inner = jax.numpy.tanh(first @ head["dense.weight"] + head["dense.bias"])
    return inner @ head["out.weight"] + head["out.bias"]


def _share(done: int, steps: int, warm: float) -> float:
    """Returns the share of the full rate at a step."""
    rising = done / max(warm * steps, 1)
    falling = (steps - done) / max(steps * (1 - warm), 1)
    return max(min(1.0, rising, falling), 0.0)
