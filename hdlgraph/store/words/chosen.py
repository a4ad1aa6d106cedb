"""In which halves of some files terms stand, and at which places, without looking at all others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hdlgraph.store.words.segment import Segment


class Stands(NamedTuple):
    """Where terms stand in some halves: those of a term one after the other, sorted by half.

    `first` has the first row of each term, and the end of the last. Of each row `halves` is its
    half, by its place among those that are looked at, and `counts` how often the term stands there;
    `places` are the positions of all rows one after the other, counted from where the half begins.
    """

    first: np.ndarray
    halves: np.ndarray
    counts: np.ndarray
    places: np.ndarray


class Part(NamedTuple):
    """What one segment says: `terms` is the term of each row, the others are as in `Stands`."""

    terms: np.ndarray
    halves: np.ndarray
    counts: np.ndarray
    places: np.ndarray


def in_segment(
    segment: Segment,
    terms: np.ndarray,
    numbers: np.ndarray,
    wanted: np.ndarray,
    starts: np.ndarray,
) -> Part:
    """Returns where terms stand in the wanted halves of a segment.

    Args:
        segment: the segment.
        terms: the place of each term among all terms, sorted.
        numbers: the number of each in the segment.
        wanted: the place of each of the segment's halves among those looked at, -1 for others.
        starts: the position at which each of the segment's halves begins.
    """
    found = [segment.halves_of(number) for number in numbers.tolist()]
    halves = np.concatenate([own for own, _ in found])
    counts = np.concatenate([often for _, often in found])
    length = np.asarray([len(own) for own, _ in found])
    ends = np.cumsum(length)
    place = wanted[halves]
    rows = np.flatnonzero(place >= 0)
    of = ends.searchsorted(rows, side="right")
    before = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, dtype=np.int64, out=before[1:])
    pointers = segment.occurrences.pointers[numbers]
    begins = before[rows] - before[ends[of] - length[of]] + pointers[of]
    often = counts[rows].astype(np.int64)
    own = np.repeat(begins - np.cumsum(often) + often, often) + np.arange(int(often.sum()))
    places = segment.occurrences.positions[own] - np.repeat(starts[halves[rows]], often)
    return Part(terms[of], place[rows], often, places)


def joined(parts: Sequence[Part], terms: int) -> Stands:
    """Returns what all segments say of so many terms; `parts` are in the order of the files."""
    if not parts:
        nothing = np.zeros(0, np.int64)
        return Stands(np.zeros(terms + 1, np.int64), nothing, nothing, nothing.astype(np.uint32))
    of, halves, counts, places = (np.concatenate(rows) for rows in zip(*parts, strict=True))
    order = np.argsort(of, kind="stable")
    begins = np.cumsum(counts) - counts
    first = of[order].searchsorted(np.arange(terms + 1))
    often = counts[order]
    own = np.repeat(begins[order] - np.cumsum(often) + often, often)
    own += np.arange(len(own))
    return Stands(first, halves[order], often, places[own])
