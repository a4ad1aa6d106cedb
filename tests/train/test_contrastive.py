"""The map of question vectors: its slope, what it learns, when it ends, that it is repeatable."""

from __future__ import annotations

import numpy as np
import pytest

from hdlgraph.query.trained.query_map import mapped
from hdlgraph.train.contrastive import Example, Recipe, loss, mean_loss, train_map

D = 8
NONE = np.zeros(0, np.int64)


def units(n: int, seed: int) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(n, D)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def examples(rows: np.ndarray, misled: float) -> list[Example]:
    """Each row is asked for by itself, drawn towards one direction that all questions share."""
    drawn = rows + misled * np.eye(D, dtype=np.float32)[0]
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    out = []
    for n, vector in enumerate(drawn):
        wrong = np.setdiff1d(np.argsort(-(rows @ vector))[:5], [n])
        out.append(Example(vector, np.asarray([n]), np.sort(wrong), NONE))
    return out


def first(asked: list[Example], rows: np.ndarray, matrix: np.ndarray) -> float:
    """Returns how many questions have their own row first."""
    near = mapped(np.stack([one.vector for one in asked]), matrix) @ rows.T
    return float(np.mean(near.argmax(axis=1) == [one.right[0] for one in asked]))


@pytest.mark.parametrize("ignored", [False, True])
def test_the_slope_is_that_of_the_loss(ignored: bool) -> None:
    rows = units(12, 1)
    batch = examples(rows, 1.0)[:4]
    if ignored:
        batch[0] = Example(batch[0].vector, np.asarray([0, 3]), batch[0].wrong, np.asarray([1]))
    recipe = Recipe(l2=0.2)
    shift = 0.1 * np.random.default_rng(2).normal(size=(D, D))
    _, slope = loss(shift, batch, rows, recipe)
    for i, j in ((0, 0), (2, 5), (7, 1)):
        step = np.zeros((D, D))
        step[i, j] = 1e-3
        up, down = (loss(shift + s, batch, rows, recipe)[0] for s in (step, -step))
        assert slope[i, j] == pytest.approx((up - down) / 2e-3, rel=0.02, abs=1e-3)


def test_a_direction_that_misleads_is_unlearnt_for_questions_never_seen() -> None:
    rows = units(200, 3)
    asked = examples(rows, 2.0)
    known, aside, unseen = asked[:120], asked[120:150], asked[150:]
    recipe = Recipe(l2=0.01, rate=0.01)
    matrix, epochs = train_map(known, aside, rows, recipe)
    assert first(unseen, rows, matrix) > first(unseen, rows, np.eye(D, dtype=np.float32)) + 0.2
    again, same = train_map(known, aside, rows, recipe)
    assert same == epochs
    np.testing.assert_array_equal(again, matrix)
    other, _ = train_map(known, aside, rows, Recipe(l2=0.01, rate=0.01, seed=1))
    assert not np.array_equal(other, matrix)


def test_what_gains_nothing_aside_leaves_the_identity() -> None:
    rows = units(60, 4)
    asked = examples(rows, 0.0)
    turned = [Example(-one.vector, one.right, one.wrong, NONE) for one in asked[:40]]
    # So sharp a contrast is nearly perfect aside, where a question is its own row.
    recipe = Recipe(temperature=0.01, l2=0.0, rate=0.05, patience=2)
    matrix, epochs = train_map(turned, asked[40:], rows, recipe)
    assert epochs == 0
    np.testing.assert_array_equal(matrix, np.eye(D, dtype=np.float32))


def test_a_strong_penalty_holds_the_map_at_the_identity() -> None:
    rows = units(60, 5)
    matrix, _ = train_map(examples(rows, 2.0), (), rows, Recipe(l2=1e6, rate=1e-4, epochs=3))
    np.testing.assert_allclose(matrix, np.eye(D), atol=2e-3)


def test_the_loss_aside_has_no_penalty() -> None:
    rows = units(20, 6)
    asked, shift = examples(rows, 1.0), np.full((D, D), 0.5, np.float32)
    plain = mean_loss(shift, asked, rows, Recipe(l2=0.0))
    assert mean_loss(shift, asked, rows, Recipe(l2=9.0)) == pytest.approx(plain)
