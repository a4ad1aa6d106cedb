"""State machines of a unit: registers that tests compare with states and that are given states."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hdlgraph.parsers.operations.machines import constant
from hdlgraph.query.design.members.typed import typed
from hdlgraph.query.signals.design import Design
from hdlgraph.query.signals.machines.cells import Pair, is_alike, stem
from hdlgraph.query.signals.machines.choices import CONSTANT, NAME, hot, stepped
from hdlgraph.query.signals.machines.evidence import LEAST, is_machine, is_state, steps_itself
from hdlgraph.query.signals.machines.hot import with_hot_names
from hdlgraph.query.signals.machines.inlined import inlined, with_constants
from hdlgraph.query.signals.machines.moves import Named, moves, targets
from hdlgraph.query.signals.machines.packages import with_packages
from hdlgraph.query.signals.machines.registers import copied_of, copies, pair_of, registers
from hdlgraph.query.signals.machines.tested import Test, tested
from hdlgraph.query.signals.machines.unreached import Reached
from hdlgraph.query.signals.records import StateMachine, Transition
from hdlgraph.query.signals.unit import UnitView


def machines(design: Design, row: int) -> list[StateMachine]:
    """Returns the state machines of the unit at a row, by line."""
    view = with_hot_names(design, with_constants(design.view(row)))
    view = inlined(with_packages(design, row, view))
    known, copied = registers(design, view, row), copies(view)
    found = []
    plain = (name for name in known if is_state(name) or steps_itself(view, [name]))
    every = dict.fromkeys(plain, ()) | tested(view)
    for name, tests in sorted(every.items()):
        whole, is_part, _ = name.partition("[")
        pair = pair_of(whole, known, copied) or _held_outside(design, view, whole, copied)
        if pair is None:
            continue
        if is_part:  # of a number with a part tested, the part is no state
            tests = [test for test in tests if not any(state.isdigit() for state in test.states)]
        machine = _machine(design, row, view, pair, name, tests, copied)
        if machine is not None:
            found.append(machine)
    kept = _without_next(view, _distinct(found))
    return sorted(kept, key=lambda one: (one.line, one.register))


def _without_next(view: UnitView, found: list[StateMachine]) -> list[StateMachine]:
    """Returns the machines without those that hold but the next value of another: `s = next_s;`."""
    held = {one.register for one in found}
    given = {
        source
        for one in found
        for _, step in view.writes.get(one.register, ())
        if (source := copied_of(view, step)) in held - {one.register}
        and is_alike(source, one.register)
    }
    return [one for one in found if one.register not in given]


def _distinct(found: list[StateMachine]) -> list[StateMachine]:
    """Returns the machines with one for each register: that of most transitions."""
    kept: dict[str, StateMachine] = {}
    for one in found:
        former = kept.get(one.register)
        if former is None or len(former.transitions) < len(one.transitions):
            kept[one.register] = one
    return list(kept.values())


def _held_outside(design: Design, view: UnitView, name: str, copied: dict[str, str]) -> Pair | None:
    """Returns a state that comes in by one port, where its next value goes out by another one.

    The next value is the state itself where nothing else is assigned, and has its name.
    """
    if view.ports.get(name, ("",))[0] != "input" or not _members(design, view, name):
        return None
    for after, before in sorted(copied.items()):
        is_out = view.ports.get(after, ("",))[0] == "output"
        if before == name and is_out and len(view.writes.get(after, ())) > LEAST:
            plain = [stem(re.sub(r"_[io]$", "", one)) for one in (after, name)]
            if plain[0] == plain[1]:
                return Pair(name, after, "")
    return None


def _machine(
    design: Design, row: int, view: UnitView, pair: Pair, name: str, tests: Iterable[Test],
    copied: dict[str, str],
) -> StateMachine | None:  # fmt: skip
    names = targets(view, pair, copied)
    members = _members(design, view, pair.register) or _members(design, view, pair.next)
    used = [test for test in tests if not test.within or set(test.within) & set(names)]
    known = Named(name, pair, members, _labels(view, used, members))
    found = moves(view, names, known)
    if used and all(test.is_bit for test in used):  # in one-hot code a number is no state
        found = [move for move in found if not move.target.isdigit()]
    labels, reached = known.labels, {move.target for move in found}
    if not is_machine(view, known, names, found):
        return None
    order = dict.fromkeys([*members, *labels, *sorted(reached - set(labels))])
    transitions = dict.fromkeys(
        Transition(source, move.target, move.condition, move.line, move.unless)
        for move in found
        for source in move.sources or ("",)
    )
    unit, reset = view.unit, _reset(pair, set(order), members)
    ways = Reached(design, row, view, names, known, order)
    return StateMachine(
        unit.name, unit.id, pair.register, pair.next, unit.path,
        _line(view, pair.register, [*labels.values()] or [move.line for move in found]),
        tuple((state, labels.get(state, 0)) for state in order),
        tuple(sorted(transitions, key=lambda t: (t.line, t.source, t.target))),
        reset, pair.clock, ways.without(found, reset),
    )  # fmt: skip


def _line(view: UnitView, register: str, used: list[int]) -> int:
    """Returns the line that declares a register, where none is known that of its first use."""
    declared = view.line_of(register)
    return declared if declared != view.unit.line else min(used)


def _labels(view: UnitView, tests: Iterable[Test], members: list[str]) -> dict[str, int]:
    """Returns the states that tests name, each with the line of its first test."""
    found: dict[str, int] = {}
    loose: dict[str, int] = {}
    for test in tests:
        for state in test.states:
            is_loose = state.isdigit() and not test.is_case
            (loose if is_loose else found).setdefault(state, test.line)
    if members:
        return {state: line for state, line in found.items() if state in members}
    found = {state: line for state, line in found.items() if state not in view.lines}
    if all(state.isdigit() for state in found):  # a number beside names is a value like others
        for state, line in loose.items():
            found.setdefault(state, line)
    return found


def _members(design: Design, view: UnitView, signal: str) -> list[str]:
    """Returns the members of the enumeration that a signal is of, [] where it is of none."""
    words = re.findall(NAME, re.sub(r"\[[^\]]*\]", " ", _type(design, view, signal)))
    return next((found for word in words[:4] if (found := design.enum(word, view.unit))), [])


def _type(design: Design, view: UnitView, signal: str) -> str:
    """Returns the type of a signal or of a field of one as written, "" where it is not known."""
    graph, unit = design.graph, view.unit
    base, dot, field = signal.rpartition(".")
    if dot:
        kinds = typed(graph)
        bodies = kinds.of_chain(graph.row(unit.id), base.split("."))
        return next((kinds.fields(body).get(field, "") for body in bodies), "")
    for kind in ("signal", "port"):
        row = graph.row(f"{kind}:{unit.path}#{unit.name}.{signal}")
        if row >= 0:
            return str(graph.nodes.column("detail")[row])
    return ""


def _reset(pair: Pair, states: set[str], members: list[str]) -> str:
    """Returns the state after reset: the last name in its text that is a state."""
    if pair.reset in states:
        return pair.reset
    ends = set(stepped(pair.reset, members)[1].values())
    if len(ends) == 1:  # `state.first()`
        return ends.pop()
    words = [constant(one) for one in CONSTANT.findall(pair.reset)]
    words += [hot(word) for word in words]
    return next((word for word in reversed(words) if word in states), "")
