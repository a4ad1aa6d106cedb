"""Conditions over a state: what is left of one in a given state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hdlgraph.parsers.operations.machines import constant
from hdlgraph.parsers.text.conditions import all_of, bare, outside_of, pieces
from hdlgraph.query.signals.machines.choices import CONSTANT, of_bit

DEEPEST = 24
"""Brackets in each other that are read."""
OTHER = ""
"""A state that no test names."""
_BINARY = (("||", "or"), ("&&", "and"), ("|", "or"), ("&", "and"))
_COMPARED = re.compile(r"(?<![<>=!])([!=]==?)(?!=)")
_INSIDE = re.compile(r"^(.*?)\binside\s*\{([^{}]*)\}$", re.S)
_DENIED = re.compile(r"^!\s*([\w.$]+)$")
_NO_TRUTH = re.compile(r"\?|\^|<?->")
"""What makes more of its operands than "and" and "or" do."""


class Condition(NamedTuple):
    """A condition. `kind` is `and`, `or`, `not` (of `parts`), `state` or `other`.

    A `state` holds where the state is one of `states`, or where it is `denied` in all others.
    """

    kind: str
    text: str
    parts: tuple[Condition, ...] = ()
    states: frozenset[str] = frozenset()
    denied: bool = False


def read(text: str, name: str, known: frozenset[str], depth: int = 0) -> Condition:
    """Returns a condition as a tree; what compares `name` with the states known is a `state`."""
    whole = bare(text)
    other = Condition("other", whole)
    if depth > DEEPEST or _NO_TRUTH.search(outside := outside_of(whole)):
        return other
    for operator, kind in _BINARY:
        operands = pieces(whole, outside, operator)
        if len(operands) > 1:
            parts = tuple(read(one, name, known, depth + 1) for one in operands)
            return Condition(kind, whole, parts)
    if whole[:1] in ("!", "~") and whole[1:2] != "=":
        inner = whole[1:].strip()
        if inner.startswith("(") and bare(inner) != inner:
            return Condition("not", whole, (read(inner, name, known, depth + 1),))
        return _bit(whole, inner, name, known, denied=True) or other
    if whole.endswith("]") and (bit := _bit(whole, whole, name, known)):
        return bit
    return _compared(whole, outside, name, known) or other


def _compared(text: str, outside: str, name: str, known: frozenset[str]) -> Condition | None:
    """Returns the comparison of the name with states that a text is, None for another text."""
    among = _INSIDE.match(text)
    if among and bare(among[1]) == name:
        states = [one.strip() for one in among[2].split(",")]
        if all(CONSTANT.fullmatch(one) and constant(one) in known for one in states):
            return Condition("state", text, states=frozenset(map(constant, states)))
        return None
    equals = list(_COMPARED.finditer(outside))
    if len(equals) != 1:
        return None
    sides = [bare(text[: equals[0].start()]), bare(text[equals[0].end() :])]
    for one, value in (sides, sides[::-1]):
        if one == name and CONSTANT.fullmatch(value) and constant(value) in known:
            denied = equals[0][1].startswith("!")
            return Condition("state", text, states=frozenset({constant(value)}), denied=denied)
    return None


def _bit(
    text: str, bit: str, name: str, known: frozenset[str], *, denied: bool = False
) -> Condition | None:
    """Returns the test of a state of one-hot code that a bit of the name is, None for others."""
    one, state = of_bit(bit)
    if one != name or state not in known:
        return None
    return Condition("state", text, states=frozenset({state}), denied=denied)


def named(test: Condition) -> list[str]:
    """Returns the states that a condition compares with, in the order of its text."""
    if test.kind == "state":
        return sorted(test.states, key=lambda one: (test.text.find(one), one))
    return list(dict.fromkeys(state for part in test.parts for state in named(part)))


def literals(test: Condition, holds: bool) -> Iterator[tuple[str, bool]]:
    """Yields (text, whether it holds) of the tests that a condition asks for one by one."""
    if test.kind == "not":
        yield from literals(test.parts[0], not holds)
    elif test.kind == ("and" if holds else "or"):
        for part in test.parts:
            yield from literals(part, holds)
    elif plain := _DENIED.match(test.text):
        yield plain[1], not holds
    else:
        yield test.text, holds


def given(test: Condition, state: str, never: frozenset[str] = frozenset()) -> bool | Condition:
    """Returns what is left of a condition in a state: whether it holds, or what else it asks for.

    Args:
        test: the condition.
        state: the state, or `OTHER` for one that is none of `never`.
        never: the states that `OTHER` cannot be.
    """
    if test.kind == "state":
        if state == OTHER and not test.states <= never:
            return test
        return (state in test.states) != test.denied
    if test.kind == "other":
        return test
    parts = [given(part, state, never) for part in test.parts]
    if test.kind == "not":
        inner = parts[0]
        if isinstance(inner, bool):
            return not inner
        return test if inner is test.parts[0] else Condition("not", f"!({inner.text})", (inner,))
    decides = test.kind == "or"
    if decides in parts:
        return decides
    left = tuple(one for one in parts if not isinstance(one, bool))
    if not left:
        return not decides
    if len(left) == len(parts) and all(a is b for a, b in zip(left, test.parts, strict=True)):
        return test
    if len(left) == 1:
        return left[0]
    if test.kind == "and":
        return Condition("and", all_of(one.text for one in left), left)
    return Condition("or", " || ".join(_in_or(one) for one in left), left)


def _in_or(test: Condition) -> str:
    return f"({test.text})" if test.kind == "and" or _NO_TRUTH.search(test.text) else test.text
