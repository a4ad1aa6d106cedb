"""Trains a reranker on labels: a weight for each part of a file's score, learnt from preferences.

For every pair of one of the first files that is better than another one, the difference of their
inputs is an example of a logistic regression without intercept (the linear form of RankNet, Burges
et al., ICML 2005, eq. 3), each question with the same weight. It is judged by folds as maps are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hdlgraph.errors import UsageError
from hdlgraph.project import Project
from hdlgraph.query.trained.order import FIRST, INPUTS, NOT_OF, WEIGHTS, inputs
from hdlgraph.store.trained.folder import RERANKER, write_model
from hdlgraph.train.embedder import LEAST, Tick
from hdlgraph.train.judging import Compared, first_right, folds
from hdlgraph.train.labels import LEARNT, Preference
from hdlgraph.train.report import Trained, TrainingReport
from hdlgraph.train.targets import plain_searcher

if TYPE_CHECKING:
    from hdlgraph.query.features.feature import Ranking
    from hdlgraph.query.lexicon import Lexicon

STRENGTH = 0.1
"""C of the regression: the smaller, the smaller the weights; chosen on question sets by folds."""
NAME = "whole search"


@dataclass(frozen=True)
class Cards:
    """The first files of a question.

    `values` is float64 (files, inputs), as the search ranks them; `rank` float64 (files,), 0 for
    the best by the label, NaN where it says nothing. `right` are places of those that win,
    `skipped` of those that neither win nor lose. `moved` says whether a reranker may move them,
    `group` what questions share that must not stand on both sides of a split.
    """

    values: np.ndarray
    rank: np.ndarray
    right: frozenset[int]
    skipped: frozenset[int]
    moved: bool
    group: int


def train_reranker(
    project: Project,
    labels: Sequence[Preference],
    out: Path,
    made: dict[str, Any],
    seed: int = 0,
    tick: Tick | None = None,
) -> TrainingReport:
    """Trains a reranker, writes it into a folder and returns how it was judged.

    Args:
        project: the index that the labels are of.
        labels: as they were read.
        out: folder of trained models.
        made: where the labels come from, kept with the weights.
        seed: of the folds.
        tick: told the stage, and how many of how many are done.

    Raises:
        UsageError: fewer than LEAST labels are of the index.
    """
    cards, unknown = collect(project, labels, tick)
    if len(cards) < LEAST:
        raise UsageError(
            f"nothing to train: {len(cards)} labels are of this index ({LEAST} needed); label more "
            "questions with `hdlgraph train label`"
        )
    compared = judge(cards, seed)
    weights = fit(cards)
    model = write_model(
        out,
        RERANKER,
        {WEIGHTS: weights.astype(np.float32)},
        better=compared.better,
        names=INPUTS,
        judged={"systems": [compared.to_dict()]},
        made={**made, "strength": STRENGTH, "seed": seed, "labels_used": len(cards)},
    )
    one = Trained(RERANKER, compared.better, (compared,), model.file, len(cards), unknown)
    return TrainingReport((one,), str(out))


def collect(
    project: Project, labels: Sequence[Preference], tick: Tick | None = None
) -> tuple[list[Cards], tuple[int, ...]]:
    """Returns the cards of the labels, and the lines of those that name no file of the index."""
    searcher = plain_searcher(project)
    paths = searcher.lexicon.paths
    number = {path: n for n, path in enumerate(paths)}
    found: list[Cards] = []
    unknown: list[int] = []
    for done, label in enumerate(labels, 1):
        known = [number[path] for path in label.right if path in number]
        if known:
            ranking = searcher.ranking(label.question, 1)
            found.append(_cards(ranking, label, searcher.lexicon, min(known)))
        else:
            unknown.append(label.line)
        if tick:
            tick(f"{RERANKER}: labels", done, len(labels))
    return found, tuple(unknown)


def _cards(ranking: Ranking, label: Preference, lexicon: Lexicon, group: int) -> Cards:
    first = ranking.order[:FIRST]
    paths = [lexicon.paths[n] for n in first]
    copies = {copy for path in label.right for copy in lexicon.near_copies.get(path, ())}
    aside = (label.ignored | copies) - set(label.right)
    rank = [math.nan if path in aside else label.rank(path) for path in paths]
    return Cards(
        inputs(ranking.score, ranking.parts, first).astype(np.float64),
        np.asarray(rank, np.float64),
        frozenset(n for n, path in enumerate(paths) if path in label.right),
        frozenset(n for n, path in enumerate(paths) if path in aside),
        not any(name in ranking.parts for name in NOT_OF),
        group,
    )


def fit(cards: Sequence[Cards], strength: float = STRENGTH) -> np.ndarray:
    """Returns the weight of each input, float64 (inputs,)."""
    from sklearn.linear_model import LogisticRegression

    differences: list[np.ndarray] = []
    shares: list[np.ndarray] = []
    for one in cards:
        rows = _differences(one) if one.moved else np.zeros((0, len(INPUTS)))
        if len(rows):
            differences.append(rows)
            shares.append(np.full(len(rows), 1 / len(rows)))
    if not differences:
        return np.eye(len(INPUTS))[0]  # the score as it is
    x, share = np.concatenate(differences), np.concatenate(shares)
    scale = np.maximum(x.std(axis=0), 1e-6)
    x = x / scale
    # Each difference counts once as it is and once turned round: without an intercept both say the
    # same, and the regression needs two classes.
    model = LogisticRegression(C=strength, fit_intercept=False, max_iter=1_000)
    classes = np.r_[np.ones(len(x)), np.zeros(len(x))]
    model.fit(np.r_[x, -x], classes, sample_weight=np.r_[share, share])
    weights = model.coef_[0] / scale
    return np.where(x.any(axis=0), weights, 0.0)


def _differences(one: Cards) -> np.ndarray:
    """Returns better minus worse, of each of the LEARNT best and all that are worse."""
    known = np.flatnonzero(~np.isnan(one.rank))
    pairs = [
        (a, b) for a in known if one.rank[a] < LEARNT for b in known if one.rank[a] < one.rank[b]
    ]
    if not pairs:
        return np.zeros((0, len(INPUTS)))
    better, worse = np.asarray(pairs).T
    return one.values[better] - one.values[worse]


def judge(cards: Sequence[Cards], seed: int, strength: float = STRENGTH) -> Compared:
    """Returns the ranks before and after, each fold with weights that were learnt without it."""
    fold = folds([one.group for one in cards], seed)
    after = [0] * len(cards)
    for number in np.unique(fold).tolist():
        weights = fit([one for one, n in zip(cards, fold, strict=True) if n != number], strength)
        for place in np.flatnonzero(fold == number).tolist():
            after[place] = ranked(cards[place], weights)
    return Compared(NAME, tuple(ranked(one) for one in cards), tuple(after))


def ranked(one: Cards, weights: np.ndarray | None = None) -> int:
    """Returns the rank of the first right file, as it is or by weights; 0 where it is not there."""
    order = np.arange(len(one.values))
    if weights is not None and one.moved:
        order = np.argsort(-(one.values @ weights), kind="stable")
    return first_right(order.tolist(), one.right, one.skipped)
