"""Trains a map of question vectors for files, and one for sections, and judges each.

Pairs are parted into folds, by what answers them; each fold is judged with a map that was learnt
without it, of which a part was kept aside to end the training. The map that is written learns from
all pairs, for as many epochs as those maps took.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hdlgraph.errors import UsageError
from hdlgraph.project import Project
from hdlgraph.query.trained.query_map import MATRIX, mapped
from hdlgraph.store.trained.folder import write_model
from hdlgraph.train.contrastive import Recipe, train_map, without_early_end
from hdlgraph.train.examples import Asked, Material, bind
from hdlgraph.train.judging import Compared, first_right, folds
from hdlgraph.train.pairs import Pair
from hdlgraph.train.report import Trained, TrainingReport
from hdlgraph.train.targets import Target, files_of, sections_of

ASIDE = 0.15
"""Share of the training pairs that say when to end."""
LEAST = 20
"""Pairs that are needed: from fewer nothing can be learnt or judged."""
ALONE, WHOLE = "vectors alone", "whole search"

Tick = Callable[[str, int, int], None]


def train_embedder(
    project: Project,
    pairs: Sequence[Pair],
    out: Path,
    recipe: Recipe,
    made: dict[str, Any],
    tick: Tick | None = None,
) -> TrainingReport:
    """Trains what pairs are there for, writes the maps into a folder and returns the judgement.

    Args:
        project: an index with vectors.
        pairs: questions with the files, sections or texts that answer them.
        out: folder of trained models.
        recipe: how.
        made: where the pairs come from, kept with the maps.
        tick: told the stage, and how many of how many are done.

    Raises:
        UsageError: the index has no vectors, or fewer than LEAST pairs are of it.
    """
    targets = [target for target in (files_of(project), sections_of(project)) if target]
    if not targets:
        raise UsageError(
            f"index {project.folder}: it has no vectors; make it again without --no-embeddings"
        )
    found: list[Trained] = []
    notes: list[str] = []
    for target in targets:
        step = (lambda n, m, kind=target.kind: tick(f"{kind}: pairs", n, m)) if tick else None
        mine = _of(target, pairs)
        material = bind(target, mine, step) if len(mine) >= LEAST else None
        if material is None or len(material.asked) < LEAST:
            count = len(material.asked if material else mine)
            notes.append(f"{target.kind}: not trained, {count} pairs are of it ({LEAST} needed)")
            continue
        found.append(train(target, material, out, recipe, made, tick))
    if not found:
        raise UsageError(f"nothing to train: {'; '.join(notes)}")
    return TrainingReport(tuple(found), str(out), tuple(notes))


def _of(target: Target, pairs: Sequence[Pair]) -> list[Pair]:
    """Returns the pairs that name an item of a target, and those of texts alone."""
    return [
        pair
        for pair in pairs
        if any(target.items(name) for name in pair.right) or all(" " in name for name in pair.right)
    ]


def train(
    target: Target,
    material: Material,
    out: Path,
    recipe: Recipe,
    made: dict[str, Any],
    tick: Tick | None = None,
) -> Trained:
    """Judges a map by folds, learns one from all pairs and writes it."""
    compared, epochs = judge(target, material, recipe, tick)
    last = without_early_end(recipe, round(float(np.mean(epochs))))
    matrix, _ = train_map([one.example for one in material.asked], (), material.rows, last)
    better = compared[-1].better
    judged = [one.to_dict() for one in compared]
    model = write_model(
        out,
        target.kind,
        {MATRIX: matrix},
        better=better,
        embedder=target.embedder.name,
        judged={"folds": len(epochs), "systems": judged},
        made={
            **made,
            "recipe": _recipe_record(recipe),
            "epochs": epochs,
            "pairs_used": len(material.asked),
        },
    )
    unknown = tuple(pair.line for pair in material.unknown)
    return Trained(target.kind, better, tuple(compared), model.file, len(material.asked), unknown)


def judge(
    target: Target, material: Material, recipe: Recipe, tick: Tick | None = None
) -> tuple[list[Compared], list[int]]:
    """Returns the ranks before and after, by vectors alone and by the whole search; and epochs."""
    asked = material.asked
    fold = folds([one.group for one in asked], recipe.seed)
    epochs: list[int] = []
    judged: list[tuple[Asked, np.ndarray]] = []
    for number in np.unique(fold).tolist():
        rest = [one for one, n in zip(asked, fold, strict=True) if n != number]
        matrix, taken = learn(rest, material.rows, recipe)
        epochs.append(taken)
        held = [one for one, n in zip(asked, fold, strict=True) if n == number and one.right]
        judged += [(one, matrix) for one in held]
    alone = [(vectors_rank(target, o), vectors_rank(target, o, matrix)) for o, matrix in judged]
    whole = []
    searched = [(one, matrix) for one, matrix in judged if one.order]
    for done, (one, matrix) in enumerate(searched, 1):
        with target.embedder.using(matrix):
            order = target.search(one.pair.query)
        sets = one.right, one.ignored
        whole.append((first_right(one.order, *sets), first_right(order, *sets)))
        if tick:
            tick(f"{target.kind}: judging", done, len(searched))
    return [_compared(ALONE, alone), _compared(WHOLE, whole)], epochs


def learn(asked: Sequence[Asked], rows: np.ndarray, recipe: Recipe) -> tuple[np.ndarray, int]:
    """Returns a map learnt from pairs, a share of whose groups says when to end; and epochs."""
    groups = sorted({one.group for one in asked})
    dice = np.random.default_rng(recipe.seed + 1)
    chosen = dice.permutation(len(groups))[: max(1, round(ASIDE * len(groups)))]
    aside = {groups[n] for n in chosen}
    return train_map(
        [one.example for one in asked if one.group not in aside],
        [one.example for one in asked if one.group in aside],
        rows,
        recipe,
    )


def vectors_rank(target: Target, one: Asked, matrix: np.ndarray | None = None) -> int:
    """Returns the rank of the first right item by the nearest row of each item, mapped or not."""
    vector = one.example.vector if matrix is None else mapped(one.example.vector, matrix)
    near = target.rows @ vector
    order = dict.fromkeys(target.owners[np.argsort(-near, kind="stable")].tolist())
    return first_right(order, one.right, one.ignored)


def _compared(name: str, ranks: Sequence[tuple[int, int]]) -> Compared:
    return Compared(name, tuple(b for b, _ in ranks), tuple(a for _, a in ranks))


def _recipe_record(recipe: Recipe) -> dict[str, Any]:
    return {name: getattr(recipe, name) for name in recipe.__slots__}
