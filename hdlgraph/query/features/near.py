"""Finds the files in which two words stand close to each other, for all pairs of a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

import numpy as np

from hdlgraph.query.index_view import IndexView

REACH = 2
"""Words that are so far apart at most are close; the same place is not."""
FURTHER = 2
"""A question's term is paired with so many that follow it."""
PLACES = 8_000_000
"""Places that are looked at together, and more up to the end of a file."""

Pairs = dict[tuple[int, int], list[np.ndarray]]
"""The numbers of the files where two terms stand close, in pieces, by the terms' numbers."""


class Marks:
    """Rows of places, in which terms mark theirs; kept from question to question.

    To clear what was marked is much less work than to be given such a row by the system. As many
    are kept as were in use at one time. Many places are looked at piece by piece: so a row stays
    small, and near to the processor.
    """

    def __init__(self) -> None:
        self._free: list[np.ndarray] = []

    @contextmanager
    def rows(self, places: int) -> Iterator[np.ndarray]:
        """Yields rows without a mark, bool (FURTHER + 1, places or more), which must be left so."""
        rows = self._free.pop() if self._free else np.zeros((FURTHER + 1, 0), bool)
        if rows.shape[1] < places + 2 * REACH:
            rows = np.zeros((FURTHER + 1, places + 2 * REACH), bool)
        yield rows
        self._free.append(rows)  # not after an error


def _bounds(file_start: np.ndarray) -> list[int]:
    """Returns where pieces begin, and the end of the last; each begins with a file."""
    starts = np.asarray(file_start)
    found = [0]
    while len(starts) and found[-1] < starts[-1]:
        at = int(starts.searchsorted(found[-1] + PLACES))
        found.append(int(starts[min(at, len(starts) - 1)]))
    return found


def marks_of(_index: IndexView) -> Marks:
    """Returns the rows for the places of an index."""
    return Marks()


def near_pairs(
    file_start: np.ndarray, terms: Sequence[Sequence[np.ndarray]], marks: Marks
) -> list[tuple[tuple[int, int], np.ndarray]]:
    """Returns the pairs of a question's terms, each with the files where both stand close, sorted.

    Pairs are in the order of their first and then of their second term. Each term marks its
    places in a row of places, where those around the other one's are looked up: that is some ten
    times faster than searching the sorted places of one for those of the other.

    Args:
        file_start: the first place of each file, and the end of the last.
        terms: the places (uint32, sorted) of each term and of each of its expansions.
        marks: the rows.
    """
    starts = np.asarray(file_start)
    bounds = _bounds(starts)
    cuts = [[own.searchsorted(_uint32(bounds)) for own in found] for found in terms]
    pairs: Pairs = {
        (first, second): []
        for first in range(len(terms))
        for second in range(first + 1, min(first + 1 + FURTHER, len(terms)))
    }
    pieces = list(pairwise(bounds))
    with marks.rows(max((end - begin for begin, end in pieces), default=0)) as rows:
        for piece, (begin, _) in enumerate(pieces):
            places = [
                [own[cut[piece] : cut[piece + 1]] for own, cut in zip(*both, strict=True)]
                for both in zip(terms, cuts, strict=True)
            ]
            _look(starts, [_joined(found, begin) for found in places], begin, rows, pairs)
    nothing = np.zeros(0, np.int64)
    return [(pair, np.concatenate((nothing, *pairs[pair]))) for pair in sorted(pairs)]


def _uint32(bounds: Sequence[int]) -> np.ndarray:
    """Returns bounds in the type of places: for another type numpy copies all places of a term."""
    return np.asarray(bounds, np.int64).astype(np.uint32)


def _joined(parts: Sequence[np.ndarray], begin: int) -> np.ndarray:
    """Returns the places of a term and of its expansions in a piece, in no order."""
    return np.concatenate(parts).astype(np.intp) - begin


def _look(
    starts: np.ndarray, places: Sequence[np.ndarray], begin: int, rows: np.ndarray, pairs: Pairs
) -> None:
    """Adds the files of a piece in which two terms stand close to those of their pair.

    Args:
        starts: the first place of each file, and the end of the last.
        places: of each term, from the first one of the piece on.
        begin: that place.
        rows: without a mark, and left so.
        pairs: what is found.
    """
    for second in range(len(places)):
        if second >= len(rows):
            _mark(rows, places, second - len(rows), False)
        _mark(rows, places, second, True)
        for first in range(max(0, second - FURTHER), second):
            few, many = sorted((first, second), key=lambda one: len(places[one]))
            near = _close(rows[many % len(rows)], places[few])
            if len(near):
                pairs[first, second].append(_files(starts, near + begin))
    for number in range(max(0, len(places) - len(rows)), len(places)):
        _mark(rows, places, number, False)


def _mark(rows: np.ndarray, places: Sequence[np.ndarray], number: int, on: bool) -> None:
    rows[number % len(rows)][REACH:][places[number]] = on


def _close(marked: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Returns those of some places that have a marked one beside them."""
    near = np.zeros(len(places), bool)
    for away in (*range(-REACH, 0), *range(1, REACH + 1)):
        near |= marked[REACH + away :][places]
    return places[near]


def _files(starts: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Returns the numbers of the files that some places lie in, sorted."""
    has = np.zeros(len(starts) + 1, bool)  # marking the files is quicker than sorting them
    has[starts.searchsorted(places, side="right")] = True
    return np.flatnonzero(has) - 1
