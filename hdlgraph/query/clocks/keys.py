"""Names of nets with their members and constant selections, and which of them overlap.

A key is the parts of a name: `bus.lane[3].valid` is ("bus", "lane", "[3]", "valid"). A selection
that is not constant is left out, so that the key stands for all of it; a constant of a package is
named without it.
"""

from __future__ import annotations

import re
from functools import lru_cache

Key = tuple[str, ...]
LONGEST = 2000
"""Characters of a name that are read."""
PARTS = 12
"""Parts of a key; `assign a = a.b` would make ever longer ones."""
_PART = re.compile(r"\s*(?:(?:\.\s*)?(\\\S+|[A-Za-z_$][\w$]*)|\[([^\[\]]*)\])")
_NUMBERS = re.compile(r"\s*(\d+)\s*(?::\s*(\d+)\s*)?")
_CONSTANT = re.compile(r"\s*(?:[A-Za-z_]\w*::)*[A-Z]\w*\s*")


@lru_cache(maxsize=200_000)
def key_of(name: str, bits: str = "") -> Key:
    """Returns the key of a name with the selection behind its first part, as flows have them."""
    text = (name.partition(".")[0] if "." in name else name) + bits if bits else name
    found: list[str] = []
    at = 0
    while at < len(text) <= LONGEST:
        part = _PART.match(text, at)
        if part is None:  # cut, or an index within an index
            return tuple(name.split(".")) if bits else tuple(found) or (name,)
        at = part.end()
        if part[1]:
            found.append(part[1])
        elif _is_constant(part[2]):
            found.append(f"[{part[2].strip().rpartition('::')[2]}]")
    return tuple(found[:PARTS]) or (name[:LONGEST],)


def _is_constant(text: str) -> bool:
    return bool(_NUMBERS.fullmatch(text) or _CONSTANT.fullmatch(text))


def joined(outer: Key, rest: Key) -> Key:
    """Returns a key with what lies below it, without that where it would be too long."""
    return outer + rest if len(outer) + len(rest) <= PARTS else outer


def text_of(key: Key) -> str:
    """Returns a key as it is written."""
    return "".join(part if part[0] == "[" else f".{part}" for part in key).lstrip(".")


def overlap(one: Key, other: Key) -> bool:
    """Returns whether two keys share anything: one is the other, holds it, or lies in it."""
    a = b = 0
    while a < len(one) and b < len(other):
        left, right = one[a], other[b]
        if left[0] == "[" and right[0] == "[":
            if _apart(left, right):
                return False
            a, b = a + 1, b + 1
        elif left[0] == "[":
            a += 1
        elif right[0] == "[":
            b += 1
        elif left != right:
            return False
        else:
            a, b = a + 1, b + 1
    return True


def below(key: Key, outer: Key) -> Key:
    """Returns what of a key lies below another that it overlaps, () where that is not less."""
    a = b = 0
    while a < len(key) and b < len(outer):
        left, right = key[a], outer[b]
        if right[0] == "[" and left[0] != "[":
            b += 1
        elif left[0] == "[" and right[0] != "[":
            a += 1
        else:
            a, b = a + 1, b + 1
    return key[a:]


@lru_cache(maxsize=50_000)
def _apart(one: str, other: str) -> bool:
    """Returns whether two selections share no bit."""
    first, second = _NUMBERS.fullmatch(one[1:-1]), _NUMBERS.fullmatch(other[1:-1])
    if first and second:
        left = sorted((int(first[1]), int(first[2] or first[1])))
        right = sorted((int(second[1]), int(second[2] or second[1])))
        return left[1] < right[0] or right[1] < left[0]
    return not first and not second and one != other
