"""Puts the words of two blocks together."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from hdlgraph.index.lexical.block import BITS, LOW, Block, Field, joined, renumbered, starts_of
from hdlgraph.index.lexical.shift import move

MANY = 4000
"""The positions of up to so many terms are put between others one by one."""


def merged(left: Block, right: Block, order: np.ndarray) -> Block:
    """Returns two blocks as one.

    Args:
        left: a block of a files.
        right: a block of b files.
        order: (a + b,) the files in the order of their paths: those of `left` are 0 to a - 1,
            those of `right` follow.
    """
    terms, *numbers = _union(left.terms, right.terms)
    place = np.argsort(order)
    lengths = np.concatenate((left.lengths, right.lengths))[order]
    starts = starts_of(lengths)
    places = (place[: len(left.lengths)], place[len(left.lengths) :])
    both = tuple(zip((left, right), numbers, places, strict=True))
    for one, _, where in both:
        move(one.positions, one.starts, starts[where] - one.starts[:-1])
    pointers, positions = _sorted(left, right, numbers, len(terms))
    first, second = (renumbered(one, own, where) for one, own, where in both)
    fields = {name: _both(first[name], second[name], order) for name in left.fields}
    counts = np.concatenate((left.line_counts, right.line_counts))
    begins = np.concatenate(([0], np.cumsum(counts)))[:-1]
    rows = _ranges(begins[order], counts[order])
    lines = np.concatenate((left.lines, right.lines))[rows]
    return Block(terms, pointers, positions, lengths, lines, counts[order], fields)


def _union(left: list[str], right: list[str]) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Returns the terms of two sorted lists, sorted, and their new numbers; `right` is short."""
    rows = [bisect_left(left, term) for term in right]
    is_new = np.asarray(
        [left[row : row + 1] != [term] for row, term in zip(rows, right, strict=True)], bool
    )
    at = np.asarray(rows, np.int64)
    terms, begin = [], 0
    for number in np.flatnonzero(is_new).tolist():
        terms += left[begin : rows[number]]
        terms.append(right[number])
        begin = rows[number]
    terms += left[begin:]
    own = np.arange(len(left))
    return terms, own + at[is_new].searchsorted(own, "right"), at + np.cumsum(is_new) - is_new


def _sorted(
    left: Block, right: Block, numbers: Sequence[np.ndarray], size: int
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the pointers and positions of two blocks together.

    Args:
        left: a block.
        right: another one.
        numbers: the numbers of the terms of each among all terms.
        size: how many terms there are.
    """
    often = np.zeros(size, np.int64)
    for one, own in zip((left, right), numbers, strict=True):
        often[own] += np.diff(one.pointers)
    pointers = np.concatenate(([0], np.cumsum(often)))
    if len(right.terms) > MANY:
        keys = [
            (np.repeat(own, np.diff(one.pointers)) << BITS) + one.positions
            for one, own in zip((left, right), numbers, strict=True)
        ]
        found = np.concatenate(keys)
        found.sort(kind="stable")  # takes one pass over two sorted runs
        return pointers, (found & LOW).astype(np.uint32)
    ends = np.zeros(size + 1, np.int64)
    ends[numbers[0] + 1] = np.diff(left.pointers)
    ends = np.cumsum(ends).tolist()  # in `left`
    rows = []
    for term, (begin, end) in zip(
        numbers[1].tolist(), pairwise(right.pointers.tolist()), strict=True
    ):
        held = left.positions[ends[term] : ends[term + 1]]
        rows.append(held.searchsorted(right.positions[begin:end]) + ends[term])
    return pointers, np.insert(left.positions, joined(rows, np.int64), right.positions)


def _both(left: Field, right: Field, order: np.ndarray) -> Field:
    keys = np.concatenate((left.keys, right.keys))
    rows = np.argsort(keys, kind="stable")
    often = np.concatenate((left.frequencies, right.frequencies))
    lengths = np.concatenate((left.lengths, right.lengths))
    return Field(keys[rows], often[rows], lengths[order])


def _ranges(begins: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Returns begin, begin + 1, ... of each range, one after the other."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(begins - ends + counts, counts)
