"""Judges a ranking before and after training, on questions that were not trained on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import msgspec
import numpy as np

from hdlgraph.eval.scores.measures import duel, paired_interval, paired_p

FOLDS = 5
KS = (1, 5, 10)
P = 0.05
"""Chance of a gain by luck from which on a model is not used."""


class Compared(msgspec.Struct, frozen=True):
    """Ranks of the first right item, question by question, before and after; 0 for none."""

    name: str
    before: tuple[int, ...]
    after: tuple[int, ...]

    def recall(self, k: int) -> tuple[float, float]:
        """Returns the share of questions with a right item among the first k, before and after."""
        return _mean(_at(self.before, k)), _mean(_at(self.after, k))

    @property
    def mrr(self) -> tuple[float, float]:
        """Returns the mean reciprocal rank before and after."""
        return _mean(_reciprocal(self.before)), _mean(_reciprocal(self.after))

    @property
    def p(self) -> float:
        """Returns the paired bootstrap p-value of equal mean reciprocal ranks."""
        return paired_p(_reciprocal(self.after), _reciprocal(self.before))

    @property
    def better(self) -> bool:
        """Returns whether after is better: by mean reciprocal rank, p < P, no question fewer first.

        The reciprocal rank counts every question, where recall at 1 counts few.
        """
        (before, after), (first, last) = self.mrr, self.recall(1)
        return after > before and last >= first and self.p < P

    def to_dict(self) -> dict[str, Any]:
        """Returns the figures as JSON has them."""
        won = duel(_at(self.after, 1), _at(self.before, 1))
        gain = paired_interval(_at(self.after, 1), _at(self.before, 1))
        return {
            "name": self.name,
            "questions": len(self.before),
            "recall": {str(k): [round(v, 4) for v in self.recall(k)] for k in KS},
            "mrr": [round(value, 4) for value in self.mrr],
            "p": round(self.p, 4),
            "p_at_1": round(paired_p(_at(self.after, 1), _at(self.before, 1)), 4),
            "gain_at_1": [round(v, 4) for v in (gain.mean, gain.low, gain.high)],
            "won": won.wins,
            "lost": won.losses,
        }


def folds(groups: Sequence[int], seed: int, count: int = FOLDS) -> np.ndarray:
    """Returns the fold of each question, int64 (n,): the same for all of one group."""
    names = np.unique(np.asarray(groups, np.int64))
    order = np.random.default_rng(seed).permutation(len(names))
    fold = dict(zip(names[order].tolist(), (np.arange(len(names)) % count).tolist(), strict=True))
    return np.asarray([fold[group] for group in groups], np.int64)


def first_right(order: Iterable[int], right: Collection[int], ignored: Collection[int]) -> int:
    """Returns the rank of the first right item, those ignored left out; 0 where there is none."""
    rank = 0
    for item in order:
        if item in right:
            return rank + 1
        rank += item not in ignored
    return 0


def _at(ranks: Sequence[int], k: int) -> list[float]:
    return [float(0 < rank <= k) for rank in ranks]


def _reciprocal(ranks: Sequence[int]) -> list[float]:
    return [1 / rank if rank else 0.0 for rank in ranks]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
