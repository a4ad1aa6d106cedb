"""The confidence of a search as a logistic regression, and how well it is calibrated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hdlgraph.errors import UsageError

AWAY = "off-topic"
"""What the kinds of questions that no file answers begin with."""
SHORTENED = "cut short"


@dataclass(frozen=True, slots=True)
class Case:
    """One search: where, what kind of question, its signs, whether the right file was found.

    `origin` is that of the index: indexes of one origin are left out together.
    """

    origin: str
    kind: str
    fold: int
    signs: dict[str, float]
    found: bool

    @property
    def is_away(self) -> bool:
        """Returns whether no file answers the question."""
        return self.kind.startswith(AWAY)


@dataclass(frozen=True, slots=True)
class Model:
    """A logistic regression over named signs."""

    names: tuple[str, ...]
    bias: float
    weights: tuple[float, ...]

    def of(self, case: Case) -> float:
        """Returns P(right file among the first FIRST)."""
        return float(1 / (1 + np.exp(-self.log_odds(case))))

    def log_odds(self, case: Case) -> float:
        """Returns the natural logarithm of the odds, the weighted sum of the signs."""
        total = sum(w * case.signs[n] for n, w in zip(self.names, self.weights, strict=True))
        return float(self.bias + total)


def fit(cases: Iterable[Case], names: tuple[str, ...]) -> Model:
    """Returns the model fitted to cases (L2 on standardised signs, C = 1).

    Raises:
        UsageError: the right file was found for all of them, or for none.
    """
    from sklearn.linear_model import LogisticRegression

    chosen = [case for case in cases if all(name in case.signs for name in names)]
    if len({case.found for case in chosen}) < 2:
        raise UsageError(
            f"all {len(chosen)} questions of a fit end alike: name more questions, and indexes"
        )
    x = np.array([[case.signs[name] for name in names] for case in chosen])
    mean, deviation = x.mean(axis=0), np.maximum(x.std(axis=0), 1e-9)
    model = LogisticRegression(C=1.0, max_iter=1000)
    model.fit((x - mean) / deviation, np.array([case.found for case in chosen]))
    weights = model.coef_[0] / deviation
    bias = float(model.intercept_[0] - weights @ mean)
    return Model(names, round(bias, 3), tuple(round(float(w), 3) for w in weights))


def calibration_error(scored: Sequence[tuple[Case, float]], bins: int = 5) -> float:
    """Returns the expected calibration error over `bins` equal bins of [0, 1].

    Source: Naeini, Cooper and Hauskrecht, AAAI 2015, eq. 3.
    """
    p = np.array([value for _, value in scored])
    found = np.array([case.found for case, _ in scored], float)
    place = np.minimum((p * bins).astype(int), bins - 1)
    gaps = [abs(p[place == b].sum() - found[place == b].sum()) for b in range(bins)]
    return float(sum(gaps) / len(p)) if len(p) else 0.0
