"""A register with its next value, and which names are those of one but for what marks the next."""

from __future__ import annotations

import re
from typing import NamedTuple

_AFFIX = re.compile(
    r"^(?:next|nxt|n|cur|curr|current|c|r|reg)_|_(?:next|nxt|n|d|q|r|c|reg|ns|cs|cur|curr|state_n)$"
)


class Pair(NamedTuple):
    """A register and its next value, with the state after reset as written, and its clock."""

    register: str
    next: str
    reset: str
    clock: str = ""


def stem(name: str) -> str:
    """Returns a name without what marks it as the next or the current value: `state_d`, `state`."""
    short = name.rpartition(".")[2].lower()
    return _AFFIX.sub("", _AFFIX.sub("", short))


def is_alike(one: str, other: str) -> bool:
    """Returns whether two names are one but for what marks the next value, record by record."""
    left, right = one.split("."), other.split(".")
    if min(len(left), len(right)) == 1:
        return stem(one) == stem(other)
    return [stem(part) for part in left] == [stem(part) for part in right]
