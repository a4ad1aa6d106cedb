"""Finds the files in which two words stand close to each other, for all pairs of a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from hdlgraph.query.index_view import IndexView
from hdlgraph.query.lexicon import Lexicon, TermGroup

REACH = 2
"""Words that are so far apart at most are close; the same place is not."""
FURTHER = 2
"""A question's term is paired with so many that follow it."""


class Marks:
    """Rows of all places of an index, in which terms mark theirs; kept from question to question.

    A row of `FURTHER + 1` bytes a place is large: to clear what was marked is much less work than
    to be given such a row by the system. As many are kept as were in use at one time.
    """

    def __init__(self, places: int) -> None:
        self._shape = FURTHER + 1, places + 2 * REACH
        self._free: list[np.ndarray] = []

    @contextmanager
    def rows(self) -> Iterator[np.ndarray]:
        """Yields rows without a mark, bool (FURTHER + 1, places), which must be left so."""
        rows = self._free.pop() if self._free else np.zeros(self._shape, bool)
        yield rows
        self._free.append(rows)  # not after an error


def marks_of(index: IndexView) -> Marks:
    """Returns the rows for the places of an index."""
    starts = index.lexicon.file_start
    return Marks(int(starts[-1]) if len(starts) else 0)


def near_pairs(lexicon: Lexicon, groups: Sequence[TermGroup], marks: Marks) -> list[np.ndarray]:
    """Returns the numbers of the files where both stand close, sorted, for each pair of terms.

    Pairs are in the order of their first and then of their second term. Each term marks its
    places in a row of all places of the index, where those around the other one's are looked up:
    that is some ten times faster than searching the sorted places of one for those of the other.
    """
    places: list[np.ndarray] = []
    found: dict[tuple[int, int], np.ndarray] = {}
    with marks.rows() as rows:
        for second, group in enumerate(groups):
            if second >= len(rows):
                _mark(rows, places, second - len(rows), False)
            places.append(_places(lexicon, group))
            _mark(rows, places, second, True)
            for first in range(max(0, second - FURTHER), second):
                few, many = sorted((first, second), key=lambda one: len(places[one]))
                near = _close(rows[many % len(rows)], places[few])
                found[first, second] = _files(lexicon, near)
        for number in range(max(0, len(places) - len(rows)), len(places)):
            _mark(rows, places, number, False)
    return [found[pair] for pair in sorted(found)]


def _mark(rows: np.ndarray, places: Sequence[np.ndarray], number: int, on: bool) -> None:
    rows[number % len(rows)][REACH:][places[number]] = on


def _places(lexicon: Lexicon, group: TermGroup) -> np.ndarray:
    """Returns the places of a term and of its expansions, in no order."""
    parts = [lexicon.positions(term) for term, _ in group.members]
    return np.concatenate(parts).astype(np.intp)


def _close(marked: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Returns those of some places that have a marked one beside them."""
    near = np.zeros(len(places), bool)
    for away in (*range(-REACH, 0), *range(1, REACH + 1)):
        near |= marked[REACH + away :][places]
    return places[near]


def _files(lexicon: Lexicon, places: np.ndarray) -> np.ndarray:
    """Returns the numbers of the files that some places lie in, sorted."""
    starts = np.asarray(lexicon.file_start)
    numbers = np.sort(starts.searchsorted(places, side="right") - 1)
    # `np.unique` would load numpy's masked arrays, a twentieth of a first search.
    return numbers[np.flatnonzero(np.diff(numbers, prepend=-1))]
