"""The moves of a state machine: what gives it which state, from which states and when."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from hdlgraph.model.flow import Block, Step
from hdlgraph.query.signals.clocks import is_under, timing
from hdlgraph.query.signals.machines.cells import Pair, is_alike
from hdlgraph.query.signals.machines.choices import (
    Leaf,
    States,
    alone,
    assigned,
    choices,
    leaves,
    states_of,
    stepped,
)
from hdlgraph.query.signals.machines.inlined import is_behind
from hdlgraph.query.signals.machines.registers import copy_of
from hdlgraph.query.signals.machines.sources import Around, Subject
from hdlgraph.query.signals.unit import UnitView

FAR = 500
"""Assignments behind one that may take its place and are looked at."""
HANDED = 16
"""Assignments of a net that hands the next state on, at most."""


class Move(NamedTuple):
    """A state given to a register, under which tested states, and its step.

    `asks` are (text, whether it holds) of what its condition asks for one by one, `never` the
    states from which it is not made where it is made from any.
    """

    sources: tuple[str, ...]
    target: str
    condition: str
    line: int
    unless: tuple[int, ...] = ()
    asks: frozenset[tuple[str, bool]] = frozenset()
    never: frozenset[str] = frozenset()


class Named(NamedTuple):
    """The states of a machine that are known by name: of its enumeration, and those tested."""

    tested: str
    pair: Pair
    members: list[str]
    labels: dict[str, int]


def targets(view: UnitView, pair: Pair, copied: Mapping[str, str]) -> list[str]:
    """Returns the names whose assignment sets the machine: the next value, and the register."""
    found = dict.fromkeys(filter(None, (pair.next, copy_of(pair.next, copied), pair.register)))
    for name in list(found):  # `next = error ? HALT : raw;`
        for _, step in view.writes.get(name, ()):
            if "?" in step.value:
                leaves = (leaf for leaf, _ in choices(step.value))
                found |= dict.fromkeys(one for one in leaves if one in view.writes)
    if not pair.next or not any(name in view.writes for name in list(found)[:-1]):
        register = pair.register
        found |= dict.fromkeys(
            one for one in view.writes if one != register and is_alike(one, register)
        )
    return list(found)


def moves(view: UnitView, names: Sequence[str], known: Named) -> list[Move]:
    """Returns the moves that the assignments of some names make."""
    states = states_of(known.members, known.labels)
    given = {
        name: [
            (block, alone(view, whole, name))
            for block, whole in view.writes.get(name, ())
            if not is_aside(view, block, whole)
        ]
        for name in names
    }
    common = _common(view, [one for pairs in given.values() for _, one in pairs], known, states)
    subject = Subject(view, known.tested, [*known.members, *known.labels], common)
    found: list[Move] = []
    for pairs in given.values():
        made = [
            (block, step, move)
            for block, step in pairs
            for move in _of_step(block, step, known, states, subject)
        ]
        found += _overridden(view, made)
    return found


def is_aside(view: UnitView, block: Block, step: Step) -> bool:
    """Returns whether a step makes no move: of no process that runs, or of the reset."""
    if block.kind in ("initial", "final", "task", "function", "assert"):
        return True
    at = timing(view, block)
    return at.branch >= 0 and step.guard >= 0 and is_under(view, step.guard, at.branch)


def _common(view: UnitView, steps: Iterable[Step], known: Named, states: States) -> frozenset[int]:
    """Returns the generate conditions around all steps that give a machine a state."""
    found: frozenset[int] | None = None
    for step in steps:
        if not assigned(step, states, view) and not stepped(step.value, known.members)[0]:
            continue
        around, at = set(), step.guard
        while at >= 0:
            around |= {at} if view.flow.guards[at].kind == "generate" else set()
            at = view.flow.guards[at].outer
        found = frozenset(around) if found is None else found & around
    return found or frozenset()


def _of_step(
    block: Block, step: Step, known: Named, states: States, subject: Subject
) -> Iterator[Move]:
    reset = timing(subject.view, block).branch
    yield from _by_method(block, step, known, subject, reset)
    given = assigned(step, states, subject.view)
    for value, tests in leaves(step.value):
        more = handed(subject.view, value, known)
        given += [(target, (*tests, *leaf)) for target, leaf in more]
    for target, leaf in given:
        if target in (known.pair.register, known.pair.next):
            continue
        for one in Around(subject, block).reached(step.guard, leaf, reset):
            yield Move(one.sources, target, one.condition, step.line, (), one.asks, one.never)


def handed(view: UnitView, name: str, known: Named) -> list[tuple[str, Leaf]]:
    """Returns the states that a net of a unit holds, each with its tests; [] where one is unknown.

    Such a net chooses which state is next, apart from the process that goes there: `next = first;`
    beside `assign first = wide ? LONG : SHORT;`. Each of its assignments stands by itself.
    """
    pairs = view.writes.get(name, ())
    own = (known.tested, known.pair.register, known.pair.next)
    if not 0 < len(pairs) <= HANDED or name in own:
        return []
    states = states_of(known.members, known.labels)
    found: list[tuple[str, Leaf]] = []
    for block, whole in pairs:
        step = alone(view, whole, name)
        values = assigned(step, states, view)
        if block.kind != "assign" or len(values) != len(leaves(step.value)):
            return []
        if not {state for state, _ in values} <= {*known.members, *known.labels}:
            return []
        around = view.condition(step.guard)
        found += [
            (state, (*(((around, True),) if around else ()), *when)) for state, when in values
        ]
    return found


def _by_method(
    block: Block, step: Step, known: Named, subject: Subject, reset: int
) -> Iterator[Move]:
    """Yields the moves by methods of an enumeration: `state.next()` is another of each state."""
    if not known.members or "." not in step.value:
        return
    for text, leaf in leaves(step.value):
        name, after = stepped(text, known.members)
        if name not in (known.tested, known.pair.register):
            continue
        around = Around(subject, block)
        for one in around.reached(step.guard, leaf, reset):
            others = [state for state in known.members if state not in around.never | around.out]
            in_all = {*one.sources} <= {*after} and one.sources
            for state in one.sources if in_all else others:
                yield Move((state,), after[state], one.condition, step.line, asks=one.asks)


def _overridden(view: UnitView, made: list[tuple[Block, Step, Move]]) -> Iterator[Move]:
    """Yields the moves to one name's values with the lines that may take the place of each."""
    from_state: dict[str, list[int]] = {}
    for at, (_, _, move) in enumerate(made):
        for state in move.sources or ("",):
            from_state.setdefault(state, []).append(at)
    for at, (block, step, move) in enumerate(made):
        lines = sorted({
            other.line
            for n in _later(from_state, at, move, len(made))
            for its_block, other, later in (made[n],)
            if its_block is block and other is not step and later.target != move.target
            and not _exclude(move, later) and not view.exclude(step.guard, other.guard)
            and not is_behind(view, step.guard, other.guard)
        })  # fmt: skip
        yield move._replace(unless=tuple(line for line in lines if line != step.line))


def _exclude(one: Move, other: Move) -> bool:
    """Returns whether two moves ask for the opposite of the same test, or for other states."""
    if one.sources and other.never.issuperset(one.sources):
        return True
    return any((text, not holds) in other.asks for text, holds in one.asks)


def _later(from_state: Mapping[str, Sequence[int]], at: int, move: Move, end: int) -> Iterable[int]:
    """Returns the places near behind a move of those that a state of it may take as well."""
    if not move.sources:
        return range(at + 1, min(at + FAR, end))
    found: set[int] = set()
    for state in ("", *move.sources):
        places = from_state.get(state, ())
        found.update(places[bisect_right(places, at) : bisect_left(places, at + FAR)])
    return sorted(found)
