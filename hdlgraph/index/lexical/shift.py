"""Moves the positions of files that got another place among the files of a block."""

from __future__ import annotations

import numpy as np

from hdlgraph.index.lexical.block import LOW

FEW = 16
"""Up to so many neighbouring files of another value are compared one by one."""


def of_files(values: np.ndarray, starts: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Returns for each position the value of the file that it lies in.

    Neighbours of one value count as one file: after an edit there are few of them, and two or
    three comparisons are much faster than a table of all positions.

    Args:
        values: of the files.
        starts: the first position of each file, and the end of the last.
        positions: to look up.
    """
    first = _changes(values)
    if len(first) > FEW:
        return values[first][starts[first[1:]].searchsorted(positions, "right")]
    found = np.full(len(positions), values[0] if len(values) else 0, values.dtype)
    for at in first[1:].tolist():
        behind = positions >= int(starts[at])
        if values.dtype == bool:  # of two values each change is from one to the other
            np.logical_xor(found, behind, out=found)
        else:
            found[behind] = values[at]
    return found


def move(positions: np.ndarray, starts: np.ndarray, shift: np.ndarray) -> None:
    """Moves positions, in place, by the shift of the file of each."""
    first = _changes(shift)
    if len(first) > FEW:
        positions += of_files(shift, starts, positions).astype(np.uint32)
        return
    before, was = 0, positions
    if sum(map(bool, np.diff(shift[first], prepend=0).tolist())) > 1:
        was = positions.copy()  # what has moved once may lie in another file
    for at in first.tolist():
        if more := int(shift[at]) - before:
            # Unsigned numbers wrap around, so that this moves back as well. A product takes a
            # sixth of the time of an addition `where` they are moved.
            np.add(positions, (was >= int(starts[at])) * np.uint32(more & LOW), out=positions)
        before = int(shift[at])


def _changes(values: np.ndarray) -> np.ndarray:
    """Returns the rows that differ from the row before, the first one among them."""
    if not len(values):
        return np.zeros(0, np.int64)
    return np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
