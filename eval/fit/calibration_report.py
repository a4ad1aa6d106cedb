"""Prints the findings of `calibrate`: constants, calibration, coverage and precision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hdlgraph.eval.fit.confidence_model import Case, Model, calibration_error
from hdlgraph.query.result.likely import LEVELS as LEVELS_IN_WORDS
from hdlgraph.query.result.likely import in_words

LEVELS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)

Scored = Sequence[tuple[Case, float]]


def constants(model: Model, prefix: str = "") -> Iterator[str]:
    """Yields the constants of a model as they stand in `hdlgraph/query/result`.

    Args:
        model: as fitted.
        prefix: of the constants' names.
    """
    yield f"{prefix}BIAS = {model.bias}"
    yield f"{prefix}COEFFICIENTS = {{"
    for sign, weight in zip(model.names, model.weights, strict=True):
        yield f'    "{sign}": {weight},'
    yield "}"


def refused(cases: Sequence[Case], topic: Model) -> Iterator[str]:
    """Yields for each kind of question which share a model of topics refuses."""
    for kind in sorted({case.kind for case in cases}):
        some = [topic.log_odds(case) < 0 for case in cases if case.kind == kind]
        yield f"{kind}: {sum(some)} of {len(some)}, {sum(some) / len(some):.3f}"


def table(on: Scored, away: Scored, limit: float) -> Iterator[str]:
    """Yields coverage against precision.

    At each level: share of the on-topic questions at or above it, share of these with the right
    file among the first five, share of the off-topic questions below it.
    """
    yield f"calibration error {calibration_error(on):.3f}, on-topic questions {len(on)}"
    yield "level  answered  right among these  off-topic refused"
    for level in sorted({*LEVELS, round(limit, 3)}):
        kept = [case.found for case, p in on if p >= level]
        right = sum(kept) / len(kept) if kept else 0.0
        refused = share_below(away, level)
        mark = "  <- LIMIT" if level == round(limit, 3) else ""
        yield f"{level:5.3f}  {len(kept) / len(on):8.3f}  {right:17.3f}  {refused:17.3f}{mark}"
    for kind in sorted({case.kind for case, _ in away}):
        some = [(case, p) for case, p in away if case.kind == kind]
        yield f"{kind}: {share_below(some, limit):.3f} refused at LIMIT"
    yield from by_word(on)


def by_word(scored: Scored) -> Iterator[str]:
    """Yields for each word of confidence how many searches have it, and how many are right."""
    for _, word in LEVELS_IN_WORDS:
        some = [case.found for case, p in scored if in_words(p) == word]
        right = f"{sum(some) / len(some):.3f}" if some else "-"
        yield f"{word}: {len(some)} searches, right among these {right}"


def by_kind(scored: Scored) -> Iterator[str]:
    """Yields for each kind of question its share of right ones, mean confidence and Brier score.

    Source of the score: Brier, Monthly Weather Review 78 (1950).
    """
    for kind in (*sorted({case.kind for case, _ in scored}), "all"):
        some = [(p, case.found) for case, p in scored if kind in (case.kind, "all")]
        right, sure = (
            sum(column) / len(some) for column in ([f for _, f in some], [p for p, _ in some])
        )
        brier = sum((p - found) ** 2 for p, found in some) / len(some)
        yield f"{kind}: {len(some)}, right {right:.3f}, confidence {sure:.3f}, Brier {brier:.4f}"


def share_below(scored: Scored, level: float) -> float:
    """Returns the share of the cases whose confidence is below a level; 0 without cases."""
    return sum(p < level for _, p in scored) / len(scored) if scored else 0.0
