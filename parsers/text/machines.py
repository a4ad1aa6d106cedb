"""State machines of a file: `case` statements that set what they are a case over."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hdlgraph.parsers.text.outline import Outline
from hdlgraph.parsers.text.statement import Statement

_NAME = re.compile(r"(?:[A-Za-z_]\w*::)?[A-Za-z_][\w$]*")
_LABEL = re.compile(r"(?:[A-Za-z_]\w*::)?[`A-Za-z_][\w$]*|\d*'[sS]?[bodhBODH][\w?]+|\d+")
_AFFIX = re.compile(r"^(?:next|nxt|n|cur|curr|current|c|r|reg)_|_(?:next|nxt|n|d|q|r|c|reg|ns|cs)$")
LEAST = 2  # states of a machine


@dataclass(frozen=True, slots=True)
class Move:
    """A state that an arm goes to.

    `name` is what is assigned, `conditions` the tests around it within the arm, the outermost
    first; `otherwise: ` stands before those of an `else` branch.
    """

    target: str
    name: str
    line: int
    conditions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Arm:
    """What a machine does in the states `labels`."""

    labels: tuple[str, ...]
    statement: Statement
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Machine:
    """A state machine: `name` is what the case is over, `states` all names of its states."""

    name: str
    case: Statement
    arms: tuple[Arm, ...]
    states: tuple[str, ...]


def machines(outline: Outline) -> list[Machine]:
    """Returns the state machines of a file in the order of the text."""
    found = []
    for case in outline.named("case"):
        name = case.head.strip("() ")
        if case.process is None or not re.fullmatch(r"[A-Za-z_][\w$.]*", name):
            continue
        machine = _machine(outline, case, name)
        if machine is not None:
            found.append(machine)
    return found


def labels(arm: Statement) -> tuple[str, ...]:
    """Returns the labels of an arm, `default` among them."""
    return tuple(found[0] for found in _LABEL.finditer(arm.head))


def _machine(outline: Outline, case: Statement, name: str) -> Machine | None:
    arms = [s for s in case.children if s.kind == "arm"]
    own = {label for arm in arms for label in labels(arm) if label != "default"}
    states = own | _others(outline, own)
    known = {state.rsplit("::", 1)[-1] for state in states}
    read = tuple(Arm(labels(arm), arm, tuple(_moves(arm, name, states | known))) for arm in arms)
    moved = {move.target for arm in read for move in arm.moves}
    if not moved or len(own | moved) < LEAST:
        return None
    ordered = dict.fromkeys([*(label for arm in read for label in arm.labels), *sorted(states)])
    return Machine(name, case, read, tuple(s for s in ordered if s != "default"))


def _others(outline: Outline, own: set[str]) -> set[str]:
    """Returns the members of the enumeration that the labels come from."""
    for statement in outline.statements:
        members = set(statement.members)
        if len(members & own) >= min(LEAST, len(own)) > 0:
            return members
    return set()


def _moves(arm: Statement, name: str, states: set[str]) -> list[Move]:
    found = []
    for statement in arm.walk():
        if statement.kind != "set":
            continue
        for left in statement.left_sides[:1]:
            named = [w for w in _LABEL.findall(statement.right_side) if w in states]
            letters = any(_NAME.fullmatch(word) for word in named)
            if named and (letters or stem(left) == stem(name)):
                conditions = tuple(_conditions(statement, arm))
                found += [Move(w, left, statement.line, conditions) for w in dict.fromkeys(named)]
    return found


def stem(name: str) -> str:
    """Returns a name without what marks it as the next or the current value: `state_d`, `state`."""
    return _AFFIX.sub("", _AFFIX.sub("", name.rsplit(".", 1)[-1].lower()))


def _conditions(statement: Statement, arm: Statement) -> list[str]:
    out: list[str] = []
    for outer in statement.around():
        if outer is arm:
            break
        if outer.kind == "branch" and outer.head:
            out.append(outer.head)
        elif outer.kind == "branch" and outer.parent is not None:
            out.append(f"otherwise: {outer.parent.head}")
        elif outer.kind == "arm" and outer.parent is not None:
            out.append(f"{outer.parent.head} is {outer.head}")
    return out[::-1]
