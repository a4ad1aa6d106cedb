"""How many bits or elements a range has, in the names of its parameters and as a number."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

from hdlgraph.query.reach.numbers import NoNumberError, value

DEEP = 8  # parameters that follow from each other
_LESS = re.compile(r"(.*\S)\s*-\s*1\s*$")
_LOG = re.compile(r"\$clog2\s*\(([^()]*)\)")
_SUM = re.compile(r"[-?<>=&|^]")
_CHOICE = re.compile(
    r"\(?\s*(?P<left>[\w$]+)\s*(?P<how>[=!<>]=|<|>)\s*(?P<right>[\w$]+)\s*\)?\s*"
    r"\?(?P<yes>[^?:]+):(?P<no>[^?:]+)"
)
"""`DEPTH > 1 ? $clog2(DEPTH) : 1`: how a width of no bits is avoided."""
_COMPARED = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
Default = Callable[[str, str], tuple[str, str] | None]
"""Gives the default and the unit of a parameter that a unit names; None where it is not known."""


def size_in_words(ranges: str) -> str:
    """Returns how many a range as `[W-1:0]` has, as `W`; "" of several ranges, or of unclear."""
    bounds = _bounds(ranges)
    if bounds is None:
        return ""
    first, last = bounds
    if not last:
        return first  # [Depth]
    far = first if last == "0" else last if first == "0" else ""
    if not far:
        return ""
    less = _LESS.fullmatch(far)
    if less:
        return less[1].strip() if not _SUM.search(less[1]) else ""
    return f"{far} + 1" if not _SUM.search(far) else ""


def size_of(ranges: str, unit: str, default: Default) -> int:
    """Returns how many a range has with the defaults of the parameters that a unit names in it.

    0 where the text does not tell.
    """
    bounds = _bounds(ranges)
    if bounds is None:
        return 0
    try:
        numbers = [_number(one, unit, default, DEEP) for one in bounds if one]
    except NoNumberError:
        return 0
    return numbers[0] if len(numbers) == 1 else abs(numbers[0] - numbers[1]) + 1


def _bounds(ranges: str) -> tuple[str, str] | None:
    """Returns the two bounds of one range, the second "" where it has only a size."""
    inner = ranges[1:-1]
    if ranges[:1] != "[" or ranges[-1:] != "]" or "[" in inner or "?" in inner:
        return None
    parts = re.split(r"(?<!:):(?!:)", inner)
    if len(parts) > 2 or not all(part.strip() for part in parts):
        return None
    return parts[0].strip(), parts[1].strip() if len(parts) == 2 else ""


def _number(text: str, unit: str, default: Default, deep: int) -> int:
    """Returns the value of an expression; $clog2 is worked out, the innermost first."""

    def known(name: str) -> int:
        found = default(name, unit) if deep else None
        if found is None:
            raise NoNumberError(name)
        return _number(found[0], found[1], default, deep - 1)

    if chosen := _CHOICE.fullmatch(text):
        left, right = (_number(chosen[n], unit, default, deep) for n in ("left", "right"))
        taken = chosen["yes"] if _COMPARED[chosen["how"]](left, right) else chosen["no"]
        return _number(taken, unit, default, deep)
    while log := _LOG.search(text):
        inner = _number(log[1], unit, default, deep)
        text = f"{text[: log.start()]}{max(inner - 1, 0).bit_length()}{text[log.end() :]}"
    return value(text, known)
