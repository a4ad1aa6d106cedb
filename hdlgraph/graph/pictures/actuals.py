"""Reads the expression connected to a port: which nets it names, and which parts of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

_PART = re.compile(r"\s*(?:\.\s*(\w+)|\[([^\[\]]{0,200})\])")
_RANGE = re.compile(r"\s*(\d{1,9})\s*(?::\s*(\d{1,9})\s*)?")
_HEAD = re.compile(r"(?<![\w.:$`'])([A-Za-z_]\w*)")
MOST = 20
"""Mentions of a net in an actual, and parts of each, that are looked at."""


def head_names(expr: str, names: Sequence[str] | None = None) -> list[str]:
    """Returns the names in an actual that are no members: of `i0.s` only `i0`.

    Args:
        expr: the actual.
        names: those to choose from; None for all.
    """
    heads = dict.fromkeys(_HEAD.findall(expr[:4000]))
    if names is None:
        return list(heads)
    # What a reader names and the text does not show, it knows from elsewhere: a macro.
    inside = "." in expr or "::" in expr
    return [name for name in dict.fromkeys(names) if name in heads or not inside]


def meet(name: str, one: str, other: str) -> bool:
    """Returns whether two actuals may share a part of a net.

    `a[0]` and `a[1]`, or `a.req` and `a.rsp`, do not; what cannot be told apart does.
    """
    if one == other:
        return True
    left, right = _parts(name, one), _parts(name, other)
    return any(_overlap(a, b) for a in left for b in right)


def _parts(name: str, expr: str) -> list[tuple[str, ...]]:
    """Returns the members and indices of each mention of a net: `a[0].b` is ("[0]", "b")."""
    if name == expr:
        return [()]
    found: list[tuple[str, ...]] = []
    for match in re.finditer(rf"(?<![\w.$]){re.escape(name)}(?![\w$])", expr[:4000]):
        parts: list[str] = []
        at = match.end()
        while len(parts) < MOST and (part := _PART.match(expr, at)):
            parts.append(part[1] or f"[{part[2]}]")
            at = part.end()
        found.append(tuple(parts))
    return found[:MOST] or [()]


def _overlap(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Returns whether two parts of a net, each a list of selections, may overlap."""
    return all(_same(a, b) for a, b in zip(one, other, strict=False))


def _same(one: str, other: str) -> bool:
    """Returns whether two selections of a net may overlap; unknown ones may."""
    if one == other or (one[0] == "[") != (other[0] == "["):
        return True
    if one[0] != "[":
        return False
    left, right = _RANGE.fullmatch(one[1:-1]), _RANGE.fullmatch(other[1:-1])
    if not (left and right):
        return True
    (a, b), (c, d) = _bounds(left), _bounds(right)
    return a <= d and c <= b


def _bounds(match: re.Match[str]) -> tuple[int, int]:
    one = int(match[1])
    other = int(match[2]) if match[2] else one
    return min(one, other), max(one, other)
