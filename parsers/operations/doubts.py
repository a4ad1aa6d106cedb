"""Decides which operations are too uncertain to be shown to people, though a search uses them.

An operation is found by the shape of an expression. What the shape leaves out (an index, a field,
a second driver, that the code checks a value rather than acts on it) makes its sentence false.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hdlgraph.model import Operation
from hdlgraph.parsers.operations.code import Assignment, Code

_N = r"[A-Za-z_]\w*"
_RANGE = r"(?:\[[^\[\]]{1,80}:[^\[\]]{1,80}\])?"
_CAST = r"(?:\$(?:un)?signed\(|\w+'\()*"
_WHOLE = re.compile(rf"{_N}(?:\[[^\[\]]*:0\])?")
_BELOW = re.compile(rf"\(?{_N}<=?")
_HIGH_Z_FIRST = re.compile(r"\?\(?(?:\d*'[bh][zZ]+|'z|\{[^{}]{1,40}\{1'b[zZ]\}\})")
_STEP = re.compile(r"\b(?:if|else|case[xz]?|always\w*)\b")
_FEWEST = 3
"""Constants with which a decoder compares its subject."""


def doubtful(code: Code, one: Operation) -> bool:
    """Returns whether an operation is more than its expression proves."""
    doubt = _DOUBTS.get(one.kind)
    return doubt is not None and doubt(code, one)


def _at(code: Code, one: Operation) -> list[Assignment]:
    """Returns the assignments to the result of an operation on its line."""
    return [a for a in code.by_name.get(one.names[0], ()) if code.line(a.at) == one.line]


def _same_operands(_code: Code, one: Operation) -> bool:
    """Two operands of one name differ by what an operation does not hold: an index."""
    return one.names[1] == one.names[2]


def _sliced(code: Code, one: Operation) -> bool:
    """An operand is one bit or a field of a vector, which an operation does not hold."""
    found = _at(code, one)
    return _same_operands(code, one) or any(
        re.search(rf"(?<![\w.]){re.escape(name)}\[(?![^\[\]]*:0\]|\w*[a-z]\w*\])", assigned.right)
        for assigned in found
        for name in one.names[1:3]
    )


def _cast_limit(code: Code, one: Operation) -> bool:
    """What a counter is compared with is the width of a cast, not the constant."""
    return bool(one.detail) and f"{one.detail}'" in code.text


def _cut_operand(code: Code, one: Operation) -> bool:
    """An operand is a field or one bit, or belongs to a product of its own."""
    first, second = (re.escape(name) for name in one.names[1:3])
    whole = re.compile(
        rf"(?<![\w.`\]*/%]){_CAST}{first}{_RANGE}\)*[^\w\s()\[\].]{{1,3}}\(*{_CAST}{second}{_RANGE}"
        r"\)*(?![\w.*\[/%<>+-])"
    )
    is_whole = any(whole.search(assigned.right) for assigned in _at(code, one))
    return not is_whole or _same_operands(code, one)


def _not_asked(code: Code, one: Operation) -> bool:
    """An arbiter takes its requests as inputs and gives its grants as outputs."""
    ways = {port.name: port.direction for port in code.unit.ports}
    return ways.get(one.names[0]) != "input" or ways.get(one.names[1]) != "output"


def _only_checked(code: Code, one: Operation) -> bool:
    """A value that assertions compare, or a parameter, is not decoded."""
    name = one.names[0].partition(".")[0]
    if name in {parameter.name for parameter in code.unit.parameters}:
        return True
    begin = code.offset(one.line)
    if "case" in code.text[begin : code.offset(one.line + 1)] or begin == code.offset(one.line + 1):
        return False
    compared = {
        value
        for other, value, at in code.comparisons
        if other == name and not any(first <= at < last for first, last in code.checks)
    }
    return len(compared) < _FEWEST


def _partly_driven(code: Code, one: Operation) -> bool:
    """An output that is assigned in parts, or more than once, is not driven with one of them."""
    given = code.by_name.get(one.names[0], ())
    return len(given) != 1 or not _WHOLE.fullmatch(given[0].left)


def _lifted(code: Code, one: Operation) -> bool:
    """A value that is kept from being too small does not saturate."""
    return any(
        bool(_BELOW.match(assigned.right)) != assigned.right.endswith(f":{one.detail}")
        for assigned in _at(code, one)
    )


def _inverted(code: Code, one: Operation) -> bool:
    """A pad that is driven while its enable is low is not driven when that is set."""
    low = re.compile(rf"\(*[!~]\(*{re.escape(one.names[1])}|\(*{re.escape(one.names[1])}==1'b0")
    return any(
        bool(_HIGH_Z_FIRST.search(assigned.right)) != bool(low.match(assigned.right))
        for assigned in _at(code, one)
    )


def _captured(code: Code, one: Operation) -> bool:
    """Registers that copy each other under conditions of their own are no plain delay."""
    name = one.names[1]
    places: list[int] = []
    while name != one.names[0] and len(places) < int(one.detail):
        given = code.by_name.get(name, ())
        copied = next((a for a in reversed(given) if a.right in code.declared), None)
        if copied is None:
            return True
        places.append(copied.at)
        name = copied.right
    if one.kind == "synchronises" and "sync" in name and any(name in s for s in code.joined):
        return True  # an instance synchronised it
    return bool(_STEP.search(code.text, min(places), max(places)))


def _rotated(code: Code, one: Operation) -> bool:
    """A register whose bits come in again at its other end is not shifted."""
    name = re.escape(one.names[0])
    again = re.compile(rf"\{{{name}\[[^{{}}]*\],{name}\[[^{{}}]*\]\}}")
    return len(one.names) == 1 and any(again.search(a.right) for a in _at(code, one))


_DOUBTS: dict[str, Callable[[Code, Operation], bool]] = {
    "counts": _cast_limit,
    "compares": _sliced,
    "adds": _sliced,
    "subtracts": _sliced,
    "shifts by": _cut_operand,
    "multiplies": _cut_operand,
    "divides": _cut_operand,
    "takes remainder": _cut_operand,
    "arbitrates": _not_asked,
    "decodes": _only_checked,
    "decodes address": _only_checked,
    "drives": _partly_driven,
    "saturates": _lifted,
    "drives pad": _inverted,
    "delays": _captured,
    "synchronises": _captured,
    "shifts left": _rotated,
    "shifts right": _rotated,
}
