"""Indexes that count: of loops of generates and of processes, settled by the element asked for.

A part `[?i+1]` of a key has the index as it is written. Where `y[i]` is assigned from `x[i+1]`,
then `y[2]` comes from `x[3]`, and all of `y` from all of `x`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from hdlgraph.query.clocks.keys import COUNTED, Key
from hdlgraph.query.clocks.parameters.arithmetic import evaluate

HIGHEST = 64
"""Indexes that are worked out are below; `y[i] = y[i + 1]` would make ever higher ones."""
_WORD = re.compile(r"[A-Za-z_][\w$]*")
_ONE = re.compile(r"\[([\w$]+)\]")
"""A selection of one element."""


def counts(keys: Iterable[Key]) -> bool:
    """Returns whether some keys have an index that counts."""
    return any(part.startswith(COUNTED) for key in keys for part in key)


def bound(key: Key, written: Key) -> dict[str, str]:
    """Returns what the indexes of an assignment are where it assigns a key, as far as told.

    Args:
        key: the net that is asked for.
        written: what is assigned, which overlaps it.
    """
    found: dict[str, str] = {}
    a = b = 0
    while a < len(key) and b < len(written):
        left, right = key[a], written[b]
        if right[0] == "[" and left[0] != "[":
            b += 1
        elif left[0] == "[" and right[0] != "[":
            a += 1
        else:
            one = _ONE.fullmatch(left)
            if one and right.startswith(COUNTED) and _WORD.fullmatch(right[2:-1]):
                found.setdefault(right[2:-1], one[1])
            a, b = a + 1, b + 1
    return found


def settled(key: Key, given: Mapping[str, str]) -> Key:
    """Returns a key with its indexes as they are given; those that are not are left out."""
    found: list[str] = []
    for part in key:
        if not part.startswith(COUNTED):
            found.append(part)
            continue
        index = part[2:-1]
        if index in given:
            found.append(f"[{given[index]}]")
        elif given and all(word in given for word in _WORD.findall(index)):
            value = evaluate(_WORD.sub(lambda word: given[word[0]], index), lambda _: None)
            is_told = isinstance(value, int) and 0 <= value < HIGHEST
            found += [f"[{value}]"] if is_told else []
    return tuple(found)


def uncounted(keys: Iterable[Key]) -> list[Key]:
    """Returns keys without the indexes that count: all of their elements."""
    return list(dict.fromkeys(settled(key, {}) for key in keys))
