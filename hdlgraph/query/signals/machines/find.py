"""State machines of a unit: registers that tests compare with states and that are given states."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from hdlgraph.model.flow import Block, Child, Step
from hdlgraph.parsers.operations.machines import constant
from hdlgraph.query.signals.clocks import is_under, timing
from hdlgraph.query.signals.design import Design
from hdlgraph.query.signals.machines.choices import (
    CONSTANT,
    NAME,
    ONE,
    alone,
    assigned,
    choices,
)
from hdlgraph.query.signals.machines.sources import BIT, SUBJECT, Around
from hdlgraph.query.signals.records import StateMachine, Transition
from hdlgraph.query.signals.unit import UnitView

LEAST = 2
"""States of a machine."""
_CAST = re.compile(r"^\(?\s*[A-Za-z_][\w$:]*\s*'\s*(?=\()|^\$(?:un)?signed\s*(?=\()")
_EQUAL = re.compile(rf"\(?\s*\b([A-Za-z_][\w$.]*)\s*===?\s*(`?{NAME})\s*\)?")
_AFFIX = re.compile(
    r"^(?:next|nxt|n|cur|curr|current|c|r|reg)_|_(?:next|nxt|n|d|q|r|c|reg|ns|cs|cur|curr|state_n)$"
)
_STATE = re.compile(r"state|fsm|(^|_)(st|stm|sm|cs|ns|phase|step)(_|\d|$)", re.I)
_FLAG = re.compile(r"^(?:true|false|on|off|high|low|enabled?|disabled?)$|mubi", re.I)
_INTO = re.compile(r"^(?:d|state|data|in|din|next)(?:_i)?$", re.I)
_OUT = re.compile(r"^(?:q|state|data|out|dout)(?:_o)?$", re.I)


FAR = 500
"""Assignments behind one that may take its place and are looked at."""


class Pair(NamedTuple):
    """A register and its next value, with the state after reset as written, and its clock."""

    register: str
    next: str
    reset: str
    clock: str = ""


class Move(NamedTuple):
    """A state given to a register, under which tested states, and its step."""

    sources: tuple[str, ...]
    target: str
    condition: str
    line: int
    unless: tuple[int, ...] = ()


def machines(design: Design, row: int) -> list[StateMachine]:
    """Returns the state machines of the unit at a row, by line."""
    view = design.view(row)
    registers, copies = _registers(design, row), _copies(view)
    found = []
    for name, tests in sorted(_tested(view).items()):
        pair = _pair_of(name, registers, copies) or _held_outside(design, view, name, copies)
        if pair is None:
            continue
        machine = _machine(design, view, pair, name, tests, copies)
        if machine is not None:
            found.append(machine)
    return sorted(_distinct(found), key=lambda one: (one.line, one.register))


def _distinct(found: list[StateMachine]) -> list[StateMachine]:
    """Returns the machines with one for each register: that of most transitions."""
    kept: dict[str, StateMachine] = {}
    for one in found:
        former = kept.get(one.register)
        if former is None or len(former.transitions) < len(one.transitions):
            kept[one.register] = one
    return list(kept.values())


def _registers(design: Design, row: int) -> dict[str, Pair]:
    """Returns the registers of a unit by name: of processes with a clock, and of cells."""
    found: dict[str, Pair] = {}
    view = design.view(row)
    names = view.flow.names
    for block in view.flow.blocks:
        at = timing(view, block)
        if not at.clock:
            continue
        for step in block.steps:
            under = at.branch >= 0 and step.guard >= 0 and is_under(view, step.guard, at.branch)
            for number, _ in step.writes:
                pair = found.setdefault(names[number], Pair(names[number], "", "", at.clock))
                if under:
                    value = alone(view, step, names[number]).value
                    found[names[number]] = pair._replace(reset=pair.reset or value)
                elif (source := _copied(view, step)) and source != names[number]:
                    found[names[number]] = pair._replace(next=pair.next or source)
    for child in view.flow.children:
        cell = _held(design, row, child)
        if cell is None and not _is_combinational(design, row, child):
            cell = _of_cell(view, child)
        if cell is not None and (cell.register not in found or not found[cell.register].next):
            found[cell.register] = cell
    return found


def _is_combinational(design: Design, row: int, child: Child) -> bool:
    """Returns whether the repository has the unit of an instance, and nothing in it has a clock."""
    targets = design.targets(row, child)
    views = [design.view(target) for target in targets]
    return bool(views) and not any(
        view.flow.children or any(timing(view, block).clock for block in view.flow.blocks)
        for view in views
    )


def _copied(view: UnitView, step: Step) -> str:
    """Returns the name that a step copies, a cast around it included; "" for other values."""
    if len(step.writes) != 1 or len(step.reads) != 1:
        return ""
    name = view.flow.names[step.reads[0]]
    same = _CAST.sub("", step.value).strip("() ") == name
    return name if same and name in view.known else ""


def _copies(view: UnitView) -> dict[str, str]:
    """Returns what each name is a copy of, by continuous assignments and combinational code."""
    found: dict[str, str] = {}
    for block in view.flow.blocks:
        if block.kind in ("assign", "always_comb", "always"):
            for step in block.steps:
                if step.guard < 0 or view.flow.guards[step.guard].kind == "generate":
                    source = _copied(view, step)
                    if source:
                        found.setdefault(view.flow.names[step.writes[0][0]], source)
    return found


def _held(design: Design, row: int, child: Child) -> Pair | None:
    """Returns the register that an instance of a register cell makes of one net."""
    names = design.view(row).flow.names
    for link in child.links:
        held = design.held(row, child, design.wire(row, child, link).port)
        if held is not None and len(link.writes) == len(held.data) == 1:
            return Pair(names[link.writes[0][0]], held.data[0], _reset_text(child), held.clock)
    return None


def _reset_text(child: Child) -> str:
    return next((text for name, text in child.values if "reset" in name.lower()), "")


def _of_cell(view: UnitView, child: Child) -> Pair | None:
    """Returns the register of an instance with an input `d` and an output `q`."""
    into = out = ""
    for link in child.links:
        name = view.flow.names[link.writes[0][0]] if len(link.writes) == 1 else ""
        if not name and len(link.reads) == 1:
            name = view.flow.names[link.reads[0]]
        if not name:
            continue
        port = link.port
        if _INTO.match(port) and not port.endswith("_o"):
            into = name
        elif _OUT.match(port) and not port.endswith("_i"):
            out = name
    if not into or not out or into == out:
        return None
    return Pair(out, into, _reset_text(child))


def _tested(view: UnitView) -> dict[str, list[int]]:
    """Returns the guards that compare a name with constants, by the name."""
    found: dict[str, list[int]] = defaultdict(list)
    for at, guard in enumerate(view.flow.guards):
        if guard.kind == "case":
            subject = SUBJECT.match(guard.text)
            if subject:
                found[subject[1]].append(at)
            elif guard.text.strip("() ") in ONE:
                for label in guard.labels:
                    bit = BIT.match(label)
                    if bit:
                        found[bit[1]].append(at)
        elif guard.kind == "if" and "==" in guard.text:
            for equal in _EQUAL.finditer(guard.text):
                if "'" not in equal[2]:
                    found[equal[1]].append(at)
    return found


def _pair_of(name: str, registers: dict[str, Pair], copies: dict[str, str]) -> Pair | None:
    """Returns the register that a tested name is or copies; None where it is none."""
    seen: set[str] = set()
    held = name
    while held not in registers and held in copies and held not in seen:
        seen.add(held)
        held = copies[held]
    pair = registers.get(held)
    if pair is not None and name == pair.next:  # `next = state;` as a default is no copy
        return None
    return pair._replace(register=name) if pair is not None else None


def _held_outside(design: Design, view: UnitView, name: str, copies: dict[str, str]) -> Pair | None:
    """Returns a state that comes in by one port, where its next value goes out by another one.

    The next value is the state itself where nothing else is assigned, and has its name.
    """
    if view.ports.get(name, ("",))[0] != "input" or not _members(design, view, name):
        return None
    for after, before in sorted(copies.items()):
        is_out = view.ports.get(after, ("",))[0] == "output"
        if before == name and is_out and len(view.writes.get(after, ())) > LEAST:
            plain = [stem(re.sub(r"_[io]$", "", one)) for one in (after, name)]
            if plain[0] == plain[1]:
                return Pair(name, after, "")
    return None


def stem(name: str) -> str:
    """Returns a name without what marks it as the next or the current value: `state_d`, `state`."""
    short = name.rpartition(".")[2].lower()
    return _AFFIX.sub("", _AFFIX.sub("", short))


def _states_tested(view: UnitView, at: int, name: str) -> list[str]:
    """Returns the states that a guard compares a name with."""
    guard = view.flow.guards[at]
    if guard.kind == "case":
        found = []
        for label in guard.labels:
            bit = BIT.match(label)
            if bit and bit[1] == name:
                found.append(bit[2])
            elif CONSTANT.fullmatch(label):
                found.append(constant(label))
        return found
    return [constant(one[2]) for one in _EQUAL.finditer(guard.text) if one[1] == name]


def _machine(
    design: Design, view: UnitView, pair: Pair, name: str, tests: list[int],
    copies: dict[str, str],
) -> StateMachine | None:  # fmt: skip
    labels: dict[str, int] = {}
    for at in tests:
        for state in _states_tested(view, at, name):
            labels.setdefault(state, view.flow.guards[at].line)
    members = _members(design, view, pair.register) or _members(design, view, pair.next)
    if members:
        labels = {state: line for state, line in labels.items() if state in members}
    else:
        labels = {s: line for s, line in labels.items() if s not in view.lines}
    targets = _targets(view, pair, copies)
    moves = [
        move
        for target in targets
        for move in _overridden(
            view,
            [
                (block, step, move)
                for block, whole in view.writes.get(target, ())
                for step in (alone(view, whole, target),)
                for move in _moves(view, block, step, (name, pair), members, labels)
            ],
        )
    ]
    reached = {move.target for move in moves}
    if not _is_machine(pair, labels, reached, members):
        return None
    order = dict.fromkeys([*members, *labels, *sorted(reached - set(labels))])
    transitions = dict.fromkeys(
        Transition(source, move.target, move.condition, move.line, move.unless)
        for move in moves
        for source in move.sources or ("",)
    )
    unit = view.unit
    return StateMachine(
        unit.name, unit.id, pair.register, pair.next, unit.path,
        min(labels.values()),
        tuple((state, labels.get(state, 0)) for state in order),
        tuple(sorted(transitions, key=lambda t: (t.line, t.source, t.target))),
        _reset(pair, set(order)), pair.clock,
    )  # fmt: skip


def _is_machine(pair: Pair, labels: dict[str, int], reached: set[str], members: list[str]) -> bool:
    if len(set(labels) | reached) < LEAST or not labels or not reached:
        return False
    named = {state for state in (*labels, *reached) if not state[:1].isdigit()}
    if len({state for state in named if not _FLAG.search(state)}) < LEAST:
        return bool(not named and _STATE.search(pair.register) and len(reached) >= LEAST)
    return bool(members) or len(reached & set(labels)) >= 1


def _targets(view: UnitView, pair: Pair, copies: dict[str, str]) -> list[str]:
    """Returns the names whose assignment sets the machine: the next value, and the register."""
    found = dict.fromkeys(filter(None, (pair.next, copies.get(pair.next), pair.register)))
    for name in list(found):  # `next = error ? HALT : raw;`
        for _, step in view.writes.get(name, ()):
            if "?" in step.value:
                leaves = (leaf for leaf, _ in choices(step.value))
                found |= dict.fromkeys(one for one in leaves if one in view.writes)
    if not pair.next or not any(name in view.writes for name in list(found)[:-1]):
        found |= dict.fromkeys(
            one for one in view.writes if one != pair.register and stem(one) == stem(pair.register)
        )
    return list(found)


def _moves(
    view: UnitView, block: Block, step: Step, names: tuple[str, Pair], members: list[str],
    labels: dict[str, int],
) -> Iterator[Move]:  # fmt: skip
    name, pair = names
    at = timing(view, block)
    if at.branch >= 0 and step.guard >= 0 and is_under(view, step.guard, at.branch):
        return
    if block.kind in ("initial", "final", "task", "function", "assert"):
        return
    for target, leaf in assigned(step, members, labels, view):
        if target in (pair.register, pair.next):
            continue
        around = Around(view, block, name, [*members, *labels])
        for sources, condition in around.reached(step.guard, leaf, at.branch):
            yield Move(sources, target, condition, step.line)


def _overridden(view: UnitView, made: list[tuple[Block, Step, Move]]) -> Iterator[Move]:
    """Yields the moves to one name's values with the lines that may take the place of each."""
    for at, (block, step, move) in enumerate(made):
        lines = sorted({
            other.line
            for its_block, other, later in made[at + 1 : at + FAR]
            if its_block is block and other is not step and later.target != move.target
            and (not move.sources or not later.sources or {*move.sources} & {*later.sources})
            and not view.exclude(step.guard, other.guard)
        })  # fmt: skip
        yield move._replace(unless=tuple(line for line in lines if line > step.line))


def _members(design: Design, view: UnitView, signal: str) -> list[str]:
    """Returns the members of the enumeration that a signal is of, [] where it is of none."""
    graph, unit = design.graph, view.unit
    for kind in ("signal", "port"):
        row = graph.row(f"{kind}:{unit.path}#{unit.name}.{signal}")
        if row >= 0:
            detail = graph.nodes.column("detail")[row]
            words = re.findall(NAME, re.sub(r"\[[^\]]*\]", " ", detail))
            return next((found for word in words[:4] if (found := design.enum(word, unit))), [])
    return []


def _reset(pair: Pair, states: set[str]) -> str:
    """Returns the state after reset: the last name in its text that is a state."""
    words = [constant(one) for one in CONSTANT.findall(pair.reset)]
    return next((word for word in reversed(words) if word in states), "")
