"""The names of a unit that tests compare with constants, and with which."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from hdlgraph.model.flow import Guard
from hdlgraph.parsers.operations.machines import constant
from hdlgraph.query.signals.machines.choices import (
    CONSTANT,
    NAME,
    NUMBER,
    ONE,
    joined,
    leaves,
    of_bit,
)
from hdlgraph.query.signals.machines.sources import subject_of
from hdlgraph.query.signals.unit import UnitView

_PLAIN = re.compile(rf"\(?\s*\b([A-Za-z_][\w$.]*)\s*===?\s*(`?{NAME})\s*\)?")
_BEGIN, _END = r"(?:^|[(&|!?:])\s*", r"\s*(?=$|[)&|?:])"
_WITH_NUMBER = re.compile(rf"{_BEGIN}([A-Za-z_][\w$.]*)\s*===?\s*({NUMBER}){_END}")
_TURNED = re.compile(rf"{_BEGIN}(`?{NAME}|{NUMBER})\s*===?\s*([A-Za-z_][\w$.]*){_END}")
_BITS = re.compile(rf"{_BEGIN}~?\s*([A-Za-z_][\w$.]*\s*\[\s*(?:`?[A-Za-z_]\w*|\d+)\s*\]){_END}")


class Test(NamedTuple):
    """A test of a name: the states that it compares with, its line, and whether it is of bits.

    `within` are the names that the assignment with the test assigns, () for a test of statements.
    """

    states: tuple[str, ...]
    line: int
    is_case: bool = False
    is_bit: bool = False
    within: tuple[str, ...] = ()


def tested(view: UnitView) -> dict[str, list[Test]]:
    """Returns the tests that compare a name with constants, by the name."""
    found: dict[str, list[Test]] = defaultdict(list)
    for guard in view.flow.guards:
        if not guard.line:  # of a routine of a package, which is read where it is called
            continue
        if guard.kind == "case":
            for name, test in _of_arm(guard):
                found[name].append(test)
        elif guard.kind == "if":
            for name, state, is_bit in compared(guard.text):
                found[name].append(Test((state,), guard.line, is_bit=is_bit))
    names = view.flow.names
    for block in view.flow.blocks:
        for step in block.steps:
            if "?" in step.value and step.writes:
                within = tuple(names[number] for number, _ in step.writes)
                texts = dict.fromkeys(text for _, tests in leaves(step.value) for text, _ in tests)
                for name, state, is_bit in (one for text in texts for one in compared(text)):
                    found[name].append(Test((state,), step.line, False, is_bit, within))
    return found


def _of_arm(guard: Guard) -> Iterator[tuple[str, Test]]:
    subject = subject_of(guard.text)
    if subject:
        states = tuple(constant(one) for one in guard.labels if CONSTANT.fullmatch(one))
        yield subject, Test(states, guard.line, is_case=True)
    elif parts := joined(guard.text):
        values = [joined(label) for label in guard.labels]
        for at, name in enumerate(parts):
            each = [one[at] for one in values if len(one) == len(parts)]
            states = tuple(constant(one) for one in each if CONSTANT.fullmatch(one))
            if states and subject_of(name):
                yield name, Test(states, guard.line, is_case=True)
    elif guard.text.strip("() ") in ONE:
        for label in guard.labels:
            name, state = of_bit(label)
            if name:
                yield name, Test((state,), guard.line, is_case=True, is_bit=True)
                continue
            for name, state, is_bit in compared(label):
                yield name, Test((state,), guard.line, is_case=True, is_bit=is_bit)


def compared(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yields (name, state, whether the state is a bit of the name) of the comparisons in a text."""
    if "==" in text:
        for one in _PLAIN.finditer(text):
            yield one[1], constant(one[2]), False
        for one in _WITH_NUMBER.finditer(text):
            yield one[1], constant(one[2]), False
        for one in _TURNED.finditer(text):
            yield one[2], constant(one[1]), False
    if "[" in text:
        for one in _BITS.finditer(text):
            name, state = of_bit(one[1])
            yield name, state, True
