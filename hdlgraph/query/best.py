"""Orders files by a score without sorting by comparison."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import numpy as np

T = TypeVar("T")


def best_first(values: np.ndarray) -> np.ndarray:
    """Returns the places of some values, the highest first, of equal ones the first; int64.

    A number of 32 bits and its place are sorted as one number: numpy does that with vector
    instructions, some ten times faster than its stable sort.
    """
    if values.dtype != np.float32 or not len(values) or np.isnan(values).any():
        return np.argsort(-values, kind="stable")
    bits = (-values + np.float32(0)).view(np.int32).astype(np.int64)  # + 0: of -0.0 as well
    keys = np.where(bits < 0, -(bits & 0x7FFFFFFF), bits) << 32
    keys |= np.arange(len(values))
    keys.sort()
    return keys & 0xFFFFFFFF


def few_best(values: np.ndarray, count: int) -> np.ndarray:
    """Returns the first `count` places of `best_first`."""
    if len(values) <= count:
        return best_first(values)
    least = np.partition(values, len(values) - count)[len(values) - count]
    some = np.flatnonzero(values >= least)
    return some[best_first(values[some])][:count]


def highest(values: Mapping[T, float], count: int, digits: int = 6) -> list[T]:
    """Returns the keys, in their order, that may be among the first `count` by rounded value.

    More than `count` come back where the last ones are alike once they are rounded, so that what is
    sorted by that and then by something else begins with the same ones as if all were sorted.
    """
    if len(values) <= count:
        return list(values)
    every = np.fromiter(values.values(), np.float64, len(values))
    least = np.partition(every, len(every) - count)[len(every) - count]
    kept = every >= least - 2 * 10.0**-digits
    return [key for key, is_kept in zip(values, kept.tolist(), strict=True) if is_kept]
