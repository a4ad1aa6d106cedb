"""The values that a text lists: choices with `?`, each with when it holds, and enumerations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from hdlgraph.model.flow import Step
from hdlgraph.parsers.operations.machines import constant
from hdlgraph.parsers.text.conditions import all_of, bare, choice
from hdlgraph.query.signals.unit import UnitView

NAME = r"[A-Za-z_][\w$]*(?:::[A-Za-z_][\w$]*)*"
NUMBER = r"\d*'[sS]?[bodhBODH]\s*[\w?]+|\d+"
CONSTANT = re.compile(rf"`?{NAME}|{NUMBER}")
ONE = frozenset({"1'b1", "1", "'1"})
_POWER = re.compile(rf"^(?:2\s*\*\*|(?:\d*'[bdhBDH]\s*0*)?1\s*<<)\s*\(?\s*(`?{NAME})\s*\)?$")
"""A number with one bit that a constant names: `2**RUN`, `1 << RUN`."""
_CAST = re.compile(r"^[A-Za-z_][\w$:]*\s*'\s*(\(.*\))$", re.S)
DEEPEST = 32
"""Choices in each other that are read."""
METHOD = re.compile(r"^([A-Za-z_][\w$.]*)\s*\.\s*(next|prev|first|last)\b\s*(?:\(\s*(\d*)\s*\))?$")
BIT = re.compile(r"^([A-Za-z_][\w$.]*)\s*\[\s*(`?[A-Za-z_]\w*|\d+)\s*\]$")
Leaf = tuple[tuple[str, bool], ...]
"""The tests of the choices around a value, each with whether it holds."""


def choices(text: str) -> list[tuple[str, str]]:
    """Returns (value, condition) of `a ? X : b ? Y : Z`; the condition is "" without a choice."""
    return [
        (value, all_of(test if holds else f"!({test})" for test, holds in tests))
        for value, tests in leaves(text)
    ]


def leaves(text: str, depth: int = 0) -> list[tuple[str, Leaf]]:
    """Returns (value, tests) of `a ? X : b ? Y : Z`; each test with whether it holds."""
    whole = bare(text)
    cast = _CAST.match(whole)
    whole = bare(cast[1]) if cast and bare(cast[1]) != cast[1] else whole
    parts = choice(whole) if depth < DEEPEST else None
    if parts is None:
        return [(whole, ())]
    test, first, second = parts
    return [
        (leaf, ((test, holds), *inner))
        for value, holds in ((first, True), (second, False))
        for leaf, inner in leaves(value, depth + 1)
    ]


def of_bit(text: str) -> tuple[str, str]:
    """Returns (name, state) of a bit, such as `state[RUN]`; of `state[2]` the state is `[2]`."""
    bit = BIT.match(text.strip())
    if bit is None:
        return "", ""
    return bit[1], f"[{int(bit[2])}]" if bit[2].isdigit() else bit[2]


def enum_members(text: str) -> list[str]:
    """Returns the members of `enum ... {A = 1, B}`; values may have braces and commas too."""
    depth, end = 0, len(text) - 1
    members: list[str] = []
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] in ")]}") - (text[at] in "([{")
        if depth == 0 or (depth == 1 and text[at] == ","):
            members.append(text[at + 1 : end].partition("=")[0].strip())
            end = at
        if depth == 0:
            break
    return members[::-1]


def alone(view: UnitView, step: Step, name: str) -> Step:
    """Returns what a step gives one of the names that it assigns.

    Of `{a, b} = {X, Y}` each gets its part, as states have the width of their register; of a value
    whose parts are not told nothing is known.
    """
    if len(step.writes) < 2:
        return step
    at = next(n for n, (number, _) in enumerate(step.writes) if view.flow.names[number] == name)
    text = step.value.strip()
    own = parts(text[1:-1]) if text.startswith("{") and text.endswith("}") else []
    value = own[at] if len(own) == len(step.writes) else ""
    return msgspec.structs.replace(step, writes=(step.writes[at],), value=value)


def joined(text: str) -> list[str]:
    """Returns the parts of `{a, b}`, [] of another text."""
    whole = bare(text)
    inner = whole[1:-1] if whole.startswith("{") and whole.endswith("}") else ""
    return [bare(part) for part in parts(inner)] if inner else []


def parts(text: str) -> list[str]:
    """Returns the parts of a text between the commas that stand in no brackets."""
    found, depth = [""], 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if char == "," and not depth:
            found.append("")
        else:
            found[-1] += char
    return [part.strip() for part in found] if depth == 0 else []


def stepped(text: str, members: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Returns (name, what follows each member) of a method of an enumeration: `state.next()`.

    `first` and `last` are the same behind every member. ("", {}) of another text.
    """
    found = METHOD.match(bare(text)) if members else None
    if found is None:
        return "", {}
    if found[2] in ("first", "last"):
        return found[1], dict.fromkeys(members, members[0 if found[2] == "first" else -1])
    far = int(found[3] or 1) * (1 if found[2] == "next" else -1)
    after = [members[(at + far) % len(members)] for at in range(len(members))]
    return found[1], dict(zip(members, after, strict=True))


class States(NamedTuple):
    """The states of a machine: the members of its enumeration, and those that tests name.

    `is_hot` is whether one of them is the number of a bit.
    """

    members: frozenset[str]
    labels: frozenset[str]
    is_hot: bool


def states_of(members: Iterable[str], labels: Iterable[str]) -> States:
    """Returns the states of a machine."""
    tested = frozenset(labels)
    return States(frozenset(members), tested, any(label.startswith("[") for label in tested))


def assigned(step: Step, states: States, view: UnitView) -> list[tuple[str, Leaf]]:
    """Returns the states that a step assigns, each with the tests that choose it."""
    text, labels = step.value.strip(), states.labels
    bits = step.writes[0][1] if step.writes else ""
    chosen = leaves(text)
    powers = [(_POWER.match(leaf), when) for leaf, when in chosen]
    if any(power and constant(power[1]) in labels for power, _ in powers):
        return [(constant(power[1]), when) for power, when in powers if power]
    state = of_bit("x" + bits[bits.find("[") :])[1] if "[" in bits and text in ONE else ""
    if state and (states.is_hot or not state.startswith("[")):
        return [(state, ())]
    found = [(constant(leaf), when) for leaf, when in chosen if CONSTANT.fullmatch(leaf)]
    if states.members:
        return [one for one in found if one[0] in states.members]
    if states.is_hot:
        alone_in = [(hot(value), when) for value, when in found]
        return [one for one in alone_in if one[0] in labels]
    return [one for one in found if one[0] in labels or one[0] not in view.lines]


def hot(number: str) -> str:
    """Returns the bit that is alone in a number, `[2]` of 4; "" where there is not one."""
    value = int(number) if number.isdigit() else 0
    return f"[{value.bit_length() - 1}]" if value and not value & (value - 1) else ""
