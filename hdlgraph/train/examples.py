"""Makes examples of pairs: which rows of the index are right, and which mistakes are near.

Hard negatives are the items that the index itself ranks first and that do not answer, the nearest
row of each. Copies of what is right, and what a set calls equivalent, are neither.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hdlgraph.train.contrastive import Example
from hdlgraph.train.pairs import Pair
from hdlgraph.train.targets import Target

HARD = 30
"""Hard negatives of a pair."""
SEARCHED = 1_000
"""Pairs that the whole search ranks; of further ones the vectors alone tell what is near."""


@dataclass(frozen=True)
class Asked:
    """A pair as an index has it.

    `right` and `ignored` are items; `example` has their rows. `order` is the ranking of the whole
    search, empty where it was not asked. `right` is empty where texts alone answer.
    """

    pair: Pair
    right: frozenset[int]
    ignored: frozenset[int]
    example: Example
    order: Sequence[int] = ()

    @property
    def group(self) -> int:
        """Returns what pairs share that must not stand on both sides of a split."""
        return min(self.right | self.ignored) if self.right else -1 - self.pair.line


@dataclass(frozen=True)
class Material:
    """Pairs with the rows that they are compared with; `unknown` are those of no item and no text.

    `rows` are those of the target, and behind them those of `texts` that pairs hold themselves.
    """

    asked: tuple[Asked, ...]
    rows: np.ndarray
    unknown: tuple[Pair, ...]
    texts: tuple[str, ...] = ()


def bind(
    target: Target, pairs: Sequence[Pair], tick: Callable[[int, int], None] | None = None
) -> Material:
    """Returns pairs as a target has them.

    A name of a pair that means no item counts as a text where it has a blank; else the pair is
    unknown, unless another of its names is known.

    Args:
        target: files or sections.
        pairs: as they were read.
        tick: told how many of how many are done.
    """
    texts = _texts(target, pairs)
    rows = target.rows
    if texts:
        found = target.embedder.embed(texts)
        rows = np.concatenate([rows, found.astype(np.float32)])
    place = {text: len(target.rows) + n for n, text in enumerate(texts)}
    vectors = target.embedder.embed([pair.query for pair in pairs], query=True)
    known: list[Asked] = []
    unknown = []
    for number, (pair, vector) in enumerate(zip(pairs, vectors, strict=True)):
        one = _asked(target, pair, vector, place, searched=len(known) < SEARCHED)
        if one is None:
            unknown.append(pair)
        else:
            known.append(one)
        if tick:
            tick(number + 1, len(pairs))
    return Material(tuple(known), rows, tuple(unknown), tuple(texts))


def _texts(target: Target, pairs: Sequence[Pair]) -> list[str]:
    """Returns what stands in pairs and is no item, sorted: texts to embed."""
    found = {name for pair in pairs for name in (*pair.right, *pair.wrong) if " " in name}
    return sorted(name for name in found if not target.items(name))


def _asked(
    target: Target, pair: Pair, vector: np.ndarray, place: dict[str, int], searched: bool
) -> Asked | None:
    right = frozenset(item for name in pair.right for item in target.items(name))
    texts = [place[name] for name in pair.right if name in place]
    if not right and not texts:
        return None
    also = {item for name in pair.also for item in target.items(name)}
    also |= {copy for item in right for copy in target.copies(item)}
    ignored = frozenset(also - right)
    order = target.search(pair.query) if searched and right else ()
    near = target.rows @ vector
    wrong = _hard(target, near, order, right | ignored)
    named = [row for name in pair.wrong for row in _rows(target, target.items(name))]
    named += [place[name] for name in pair.wrong if name in place]
    example = Example(
        vector,
        np.unique(np.r_[_rows(target, sorted(right)), np.asarray(texts, np.int64)]),
        np.setdiff1d(np.r_[wrong, np.asarray(named, np.int64)], _rows(target, sorted(right))),
        np.unique(_rows(target, sorted(ignored))),
    )
    return Asked(pair, right, ignored, example, order)


def _rows(target: Target, items: Sequence[int]) -> np.ndarray:
    return np.flatnonzero(np.isin(target.owners, np.asarray(items, np.int64)))


def _hard(
    target: Target, near: np.ndarray, order: Sequence[int], apart: frozenset[int]
) -> np.ndarray:
    """Returns the nearest row of each of the first items of an order that are not kept apart.

    Where the search gave no order, the rows say which items are first.
    """
    by_row = np.argsort(-near, kind="stable")
    best: dict[int, int] = {}
    for row, item in zip(by_row.tolist(), target.owners[by_row].tolist(), strict=True):
        best.setdefault(item, row)
    first = [item for item in (order or best) if item in best and item not in apart][:HARD]
    return np.asarray([best[item] for item in first], np.int64)
