"""Learns all weights of an encoder by contrast, in JAX.

For the questions of a batch, with a right text and hard negatives of each, the loss is InfoNCE
(van den Oord et al., 2018, arXiv:1807.03748, eq. 4) over all texts of the batch, but for those
that answer the question too. It is minimised by Adam (Kingma and Ba, 2015, arXiv:1412.6980,
algorithm 1), the slope cut to a length of 1 (Pascanu et al., 2013, arXiv:1211.5063), the rate
rising over the first tenth of the steps. How near a question is to a text is what the model says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from hdlgraph.train.contrastive import BETAS, EPSILON

HIDDEN = -1e9
"""In place of the nearness of a text that answers a question without being the one drawn."""


@dataclass(frozen=True, slots=True)
class FullRecipe:
    """How an encoder is learnt.

    `tokens` of a text are read; `hard` negatives are drawn for a question, from its first `near`;
    training ends after `epochs`, or after one without a gain on the examples kept aside, which
    are asked `checks` times in each. So many of the `last` layers are learnt, 0 for all weights; of
    the rows that answer, the `right` nearest ones are drawn from, 0 for all.
    """

    temperature: float = 0.05
    rate: float = 2e-5
    batch: int = 8
    hard: int = 1
    near: int = 10
    tokens: int = 64
    epochs: int = 3
    checks: int = 1
    last: int = 0
    right: int = 0
    warm: float = 0.1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """A question with its texts as numbers: the right ones, hard negatives, and all that fit."""

    question: int
    right: tuple[int, ...]
    wrong: tuple[int, ...]
    fits: frozenset[int]


@dataclass(frozen=True, slots=True)
class Tokens:
    """Texts as tokens: ids int32 (n, tokens) and mask float32 (n, tokens)."""

    ids: np.ndarray
    mask: np.ndarray


Progress = Callable[[int, int], None]


class Nearness(Protocol):
    """A model as its training sees it."""

    def near(self, weights: Any, ids: Any, mask: Any, count: int) -> Any:
        """Returns how near questions are to texts, about -1 to 1, (count, n - count), in JAX.

        Args:
            weights: of the model.
            ids: int32 (n, tokens): first `count` questions, then texts.
            mask: float32 (n, tokens), 1 where a token is.
            count: of questions.
        """
        ...


class Learner:
    """Learns from examples; the same seed gives the same weights on one machine.

    Args:
        tokens: of all texts and questions.
        model: says how near they are.
        recipe: how.
    """

    def __init__(self, tokens: Tokens, model: Nearness, recipe: FullRecipe) -> None:
        import jax

        self._tokens, self._model, self._recipe = tokens, model, recipe
        self._loss = jax.jit(self._of)
        self._step = jax.jit(self._stepped, donate_argnums=(0, 1))

    def learn(
        self,
        weights: dict[str, Any],
        examples: Sequence[Line],
        aside: Sequence[Line],
        progress: Progress | None = None,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Returns the weights that were best on what is kept aside, and what the training did.

        Args:
            weights: to begin with, as the model has them.
            examples: to learn from.
            aside: that say when to end.
            progress: how many of how many steps are done.
        """
        import jax

        weights = jax.tree.map(jax.numpy.asarray, weights)
        losses = [self.mean_loss(weights, aside)]
        best, taken, at, done = jax.tree.map(np.array, weights), 0, 0, 0
        for done, epoch, ends, found in self._checked(weights, examples, progress):
            losses.append(self.mean_loss(found, aside))
            if losses[-1] < min(losses[:-1]):
                best, taken, at = jax.tree.map(np.array, found), epoch, done
            if ends and taken < epoch:
                break
        told = [round(loss, 4) for loss in losses]
        return best, {"epochs": taken, "taken": at, "steps": done, "loss_aside": told}

    def _checked(
        self, weights: Any, examples: Sequence[Line], progress: Progress | None
    ) -> Iterator[tuple[int, int, bool, Any]]:
        """Yields (steps done, epoch, whether it ends, weights) whenever they are to be checked."""
        import jax

        recipe = self._recipe
        dice = np.random.default_rng(recipe.seed)
        a_pass = -(-len(examples) // recipe.batch)
        steps, done = recipe.epochs * a_pass, 0
        checked = {-(-a_pass * n // recipe.checks) for n in range(1, recipe.checks + 1)}
        moments = [jax.tree.map(jax.numpy.zeros_like, weights) for _ in range(2)]
        for epoch in range(1, recipe.epochs + 1):
            parts = batches(dice.permutation(len(examples)), recipe.batch)
            for number, lines in enumerate(parts, 1):
                done += 1
                rate = recipe.rate * min(1.0, done / max(recipe.warm * steps, 1))
                batch = self._drawn([examples[n] for n in lines], dice)
                weights, moments = self._step(weights, moments, batch, rate, float(done))
                if progress:
                    progress(done, steps)
                if number in checked:
                    yield done, epoch, number == a_pass, weights

    def mean_loss(self, weights: Any, lines: Sequence[Line]) -> float:
        """Returns the loss over examples, each with texts that are the same at every call."""
        dice = np.random.default_rng(self._recipe.seed)
        order = np.arange(len(lines))
        found = [
            float(self._loss(weights, self._drawn([lines[n] for n in some], dice)))
            for some in batches(order, self._recipe.batch)
        ]
        return float(np.mean(found))

    def _drawn(self, lines: Sequence[Line], dice: np.random.Generator) -> tuple[np.ndarray, ...]:
        """Returns ids, mask and hidden pairs of a batch: questions, right texts, then negatives."""
        hard, near = self._recipe.hard, self._recipe.near
        right = [int(dice.choice(line.right)) for line in lines]
        wrong = [int(dice.choice(line.wrong[:near])) for line in lines for _ in range(hard)]
        texts = [*right, *wrong]
        hidden = np.zeros((len(lines), len(texts)), np.float32)
        for row, line in enumerate(lines):
            hidden[row] = [HIDDEN * (text in line.fits) for text in texts]
            hidden[row, row] = 0.0
        used = [line.question for line in lines] + texts
        return self._tokens.ids[used], self._tokens.mask[used], hidden

    def _of(self, weights: Any, batch: tuple[Any, ...]) -> Any:
        import jax

        ids, mask, hidden = batch
        near = self._model.near(weights, ids, mask, len(hidden))
        logits = near / self._recipe.temperature + hidden
        return -jax.numpy.diagonal(jax.nn.log_softmax(logits, axis=1)).mean()

    def _stepped(self, weights: Any, moments: Any, batch: Any, rate: Any, step: Any) -> Any:
        import jax

        return stepped(weights, moments, jax.grad(self._of)(weights, batch), rate, step)


def stepped(weights: Any, moments: Any, slope: Any, rate: Any, step: Any) -> tuple[Any, Any]:
    """Returns weights and moments after a step of Adam, the slope cut to a length of 1."""
    import jax

    length = sum((one**2).sum() for one in jax.tree.leaves(slope)) ** 0.5
    cut = jax.numpy.minimum(1.0, 1.0 / (length + EPSILON))
    first, second = BETAS
    mean = jax.tree.map(lambda m, g: first * m + (1 - first) * cut * g, moments[0], slope)
    spread = jax.tree.map(
        lambda v, g: second * v + (1 - second) * (cut * g) ** 2, moments[1], slope
    )
    by_mean, by_spread = 1 - first**step, 1 - second**step
    weights = jax.tree.map(
        lambda w, m, v: w - rate * (m / by_mean) / ((v / by_spread) ** 0.5 + EPSILON),
        weights,
        mean,
        spread,
    )
    return weights, [mean, spread]


def batches(order: np.ndarray, size: int) -> list[list[int]]:
    """Returns an order in parts of one size; the last is filled up from the beginning."""
    count = -(-len(order) // size) * size
    whole = np.resize(order, count)
    return [whole[start : start + size].tolist() for start in range(0, count, size)]
