"""Writes and reads in which halves of a segment's files each term stands, and how often.

A half is HALF lines of a file, its first line the path; two neighbouring halves are a passage that
search looks at. Numpy arrays; h = halves that have a term, over all terms, t = terms:

    half_ptr.npy   int64 (t+1) first row of each term
    half_no.npy    uint16 (h,) halves, counted from the segment's first one, sorted by term
    half_tf.npy    uint16 (h,) how often the term stands there

Both are uint32 where the numbers are larger.

What a common term costs a search grows with its halves so, not with its places.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from hdlgraph.safety.npy import map_array

HALF = 40
"""Lines of a half."""
FILES = ("half_ptr.npy", "half_no.npy", "half_tf.npy")


class Halves(NamedTuple):
    """The halves of all terms: rows of a term x are those from pointers[x] to pointers[x + 1]."""

    pointers: np.ndarray
    numbers: np.ndarray
    counts: np.ndarray


def starts_of(line_pointers: np.ndarray, line_starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns how many halves each file has, int64 (n,), and where each half begins, uint32."""
    per_file = -(-np.diff(line_pointers) // HALF)
    before = np.cumsum(per_file) - per_file
    within = np.arange(int(per_file.sum())) - np.repeat(before, per_file)
    return per_file, line_starts[np.repeat(line_pointers[:-1], per_file) + HALF * within]


def halves_of(pointers: np.ndarray, positions: np.ndarray, starts: np.ndarray) -> Halves:
    """Returns the halves of terms, which stand at sorted positions each.

    Args:
        pointers: first row of each term in `positions`, and the end of the last.
        positions: of all terms, sorted by term.
        starts: where each half begins.
    """
    # A number for each position there is: to look it up takes a third of a search for it.
    end = int(positions.max()) + 1 if len(positions) else 0
    lengths = np.diff(np.append(starts, end).astype(np.int64))
    numbers = np.arange(len(starts), dtype=np.uint32)
    where = np.repeat(numbers, np.maximum(lengths, 0))[positions]
    begins = np.ones(len(where) + 1, bool)
    np.not_equal(where[1:], where[:-1], out=begins[1:-1])
    begins[pointers] = True
    bounds = np.flatnonzero(begins)
    counts = np.diff(bounds)
    rows = bounds.searchsorted(pointers).astype(np.int64)
    return Halves(rows, _short(where[bounds[:-1]]), _short(counts))


def _short(values: np.ndarray) -> np.ndarray:
    wide = len(values) > 0 and int(values.max()) > np.iinfo(np.uint16).max
    return values.astype(np.uint32 if wide else np.uint16)


def write_halves(folder: Path, found: Halves) -> None:
    """Writes the halves of all terms of a segment."""
    for name, array in zip(FILES, found, strict=True):
        np.save(folder / name, array)


def map_halves(folder: Path) -> Halves | None:
    """Returns the halves of a segment mapped into memory, None in an index that has none."""
    if not (folder / FILES[-1]).is_file():
        return None
    return Halves(*(map_array(folder / name) for name in FILES))
