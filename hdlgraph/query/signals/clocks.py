"""Clocks and resets of a unit, from the events of its processes and their first tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from hdlgraph.model.flow import Block, Child, Step
from hdlgraph.query.signals.records import Clock, Reset
from hdlgraph.query.signals.unit import UnitView

if TYPE_CHECKING:
    from hdlgraph.query.signals.design import Design, Wire

LOW, HIGH = "low", "high"
ASYNCHRONOUS, SYNCHRONOUS = "asynchronous", "synchronous"
_RESET = re.compile(r"rst|reset|clear|clr|init", re.IGNORECASE)
_NAMED = re.compile(r"rst|reset", re.IGNORECASE)
"""Names of resets that are known as such wherever they stand."""
_LOW = re.compile(
    r"(?:rst|reset)_?n(?:_?i)?$|(?:rst|reset)\w*_n[io]?$|^n_?(?:rst|reset)", re.IGNORECASE
)
"""Names of resets that are active at 0."""
_NEGATED = re.compile(
    r"^\(?\s*(?:[!~]\s*\(?\s*([\w.$]+)\s*\)?|([\w.$]+)\s*===?\s*(?:1'b0|0|'0))\s*\)?$"
)
_PLAIN = re.compile(r"^\(?\s*([\w.$]+)\s*(?:===?\s*(?:1'b1|1|'1))?\s*\)?$")


class Timing(NamedTuple):
    """What a process waits for: its clock and reset, each "" where there is none.

    `branch` is the number of the guard under which it is reset, -1 for none.
    """

    edge: str = ""
    clock: str = ""
    line: int = 0
    reset: str = ""
    kind: str = ""
    active: str = ""
    branch: int = -1


def is_reset(name: str) -> bool:
    """Returns whether a net is named as a reset is."""
    return bool(_RESET.search(name))


def timing(view: UnitView, block: Block) -> Timing:
    """Returns the clock and reset of a process; none of either where it waits for no edge."""
    events = [(edge, view.flow.names[number], line) for edge, number, line in block.events if edge]
    if not events or block.kind in ("initial", "final", "assign"):
        return Timing()
    if len(events) == 1 < len(block.events) and is_reset(events[0][1]):
        return Timing()  # `@(d or negedge rst_n)` is a model of wires
    tested, active, branch = _first_test(view, block)
    names = [name for _, name, _ in events]
    resets = [one for one in events if one[1] == tested] if len(events) > 1 else []
    clocks = [one for one in events if one not in resets]
    if len(clocks) > 1 and not resets:  # no test tells which is the clock
        named = [one for one in clocks if is_reset(one[1])]
        resets = named[:1] if 0 < len(named) < len(clocks) else clocks[1:2]
        clocks = [one for one in clocks if one not in resets]
    edge, clock, line = clocks[0]
    if resets:
        falls = resets[0][0] == "negedge"
        if tested != resets[0][1]:
            name, level = resets[0][1], LOW if falls else HIGH
            late = _last_test(view, block)
            branch = late[2] if late[:2] == (name, level) else -1
            return Timing(edge, clock, line, name, ASYNCHRONOUS, level, branch)
        if (active == LOW) != falls:  # `if (rst_n) q <= d; else q <= 0;`
            branch, active = _else_of(view, block, branch), LOW if falls else HIGH
        return Timing(edge, clock, line, tested, ASYNCHRONOUS, active, branch)
    if tested and tested not in names and is_reset(tested):
        if active == HIGH and _LOW.search(tested):  # `if (rst_n) q <= d; else q <= 0;`
            branch, active = _else_of(view, block, branch), LOW
            if branch < 0:
                return Timing(edge, clock, line)
        return Timing(edge, clock, line, tested, SYNCHRONOUS, active, branch)
    tested, active, branch = _last_test(view, block)
    # What runs while a reset is not active (`if (!rst) count <= 0;`) is none.
    if tested and tested not in names and (active == LOW) == bool(_LOW.search(tested)):
        return Timing(edge, clock, line, tested, SYNCHRONOUS, active, branch)
    return Timing(edge, clock, line)


def _last_test(view: UnitView, block: Block) -> tuple[str, str, int]:
    """Returns the reset by which a process ends, its level, and the guard; -1 where it does not.

    What is assigned last counts: `case (state) ... endcase if (rst) state <= IDLE;`.
    """
    for at in range(block.guards, block.guards_end):
        guard = view.flow.guards[at]
        if guard.kind != "if" or guard.outer >= block.guards or not _NAMED.search(guard.text):
            continue
        low, high = _NEGATED.match(guard.text), _PLAIN.match(guard.text)
        found = low[1] or low[2] if low else high[1] if high else ""
        if not found or not _sets(view, block, at):
            continue
        places = (at, _else_of(view, block, at))
        inside = [
            any(is_under(view, step.guard, one) for one in places if one >= 0)
            for step in block.steps
        ]
        if True in inside and all(inside[inside.index(True) :]):
            return found, LOW if low else HIGH, at
    return "", "", -1


def _first_test(view: UnitView, block: Block) -> tuple[str, str, int]:
    """Returns the signal that a process tests first, the level tested, and the guard."""
    if block.guards == block.guards_end:
        return "", "", -1
    guard = view.flow.guards[block.guards]
    before = (s for s in block.steps if s.line < guard.line and s.guard == guard.outer)
    if guard.kind != "if" or any(s.writes for s in before):
        return "", "", -1
    low, high = _NEGATED.match(guard.text), _PLAIN.match(guard.text)
    if low:
        return low[1] or low[2], LOW, block.guards
    if high:
        return high[1], HIGH, block.guards
    names = [view.flow.names[number] for number in guard.reads]
    events = {view.flow.names[number] for edge, number, _ in block.events if edge}
    waited = [name for name in names if name in events]
    if waited:
        return (
            waited[0],
            LOW if re.search(rf"[!~]\s*\(?\s*{re.escape(waited[0])}\b", guard.text) else HIGH,
            block.guards,
        )
    return "", "", -1


def _sets(view: UnitView, block: Block, branch: int) -> bool:
    """Returns whether what stands under a guard sets registers, none to what it holds already."""
    steps = [one for one in block.steps if one.writes and is_under(view, one.guard, branch)]
    return bool(steps) and not any(number in one.reads for one in steps for number, _ in one.writes)


def _else_of(view: UnitView, block: Block, branch: int) -> int:
    guards = view.flow.guards
    for at in range(branch + 1, block.guards_end):
        one = guards[at]
        if one.kind == "else" and one.outer == guards[branch].outer:
            return at
    return -1


def clock_of(view: UnitView, block: Block) -> tuple[str, str]:
    """Returns (edge, clock) of a process, ("", "") where it has none."""
    found = timing(view, block)
    return found.edge, found.clock


def in_reset(view: UnitView, block: Block, step: Step) -> bool:
    """Returns whether a step stands in the reset branch of its process."""
    branch = timing(view, block).branch if step.guard >= 0 else -1
    return branch >= 0 and is_under(view, step.guard, branch)


def is_under(view: UnitView, at: int, outer: int) -> bool:
    """Returns whether a guard is another one or stands in it."""
    while at > outer:
        at = view.flow.guards[at].outer
    return at == outer


def clocks(view: UnitView, design: Design | None = None, row: int = -1) -> list[Clock]:
    """Returns the clocks of a unit, the one of most registers first.

    With the design, the outputs of register cells are registers too.
    """
    found: dict[tuple[str, str], tuple[set[str], set[str], int]] = {}
    for block in view.flow.blocks:
        at = timing(view, block)
        if at.clock:
            registers = found.setdefault((at.clock, at.edge), (set(), set(), at.line))[0]
            registers.update(_assigned(view, block, block.steps))
    for child, wire in _outputs(view, design, row) if design else ():
        held = design.held(row, child, wire.port) if design else None
        if held is not None:
            key = (held.clock, held.edge)
            registers, cells, _ = found.setdefault(key, (set(), set(), child.line))
            written = wire.link.port if wire.implied else ""
            registers.update(view.flow.names[number] for number, _ in wire.link.writes)
            registers.update(filter(None, (written,)))
            cells.add(child.name)
    made = [
        Clock(name, edge, tuple(sorted(registers)), view.unit.path, line, tuple(sorted(cells)))
        for (name, edge), (registers, cells, line) in found.items()
    ]
    return sorted(made, key=lambda one: (-len(one.registers), one.signal, one.edge))


def _outputs(view: UnitView, design: Design, row: int) -> Iterator[tuple[Child, Wire]]:
    """Yields the connections of the instances of a unit, those by `.*` at their outputs alone."""
    for child in view.flow.children:
        for link in child.links:
            if link.port != "*":
                yield child, design.wire(row, child, link)
                continue
            targets = design.targets(row, child)
            ports = design.flows.units[targets[0]].ports if targets else ()
            names = [name for name, direction, _, _ in ports if direction == "output"]
            for wire in design.stars(row, child, link, names):
                yield child, wire


def _assigned(view: UnitView, block: Block, steps: Iterable[Step]) -> list[str]:
    """Returns the registers that some steps of a process with a clock assign."""
    own = view.own(block)
    names = (view.flow.names[number] for step in steps for number, _ in step.writes)
    return [name for name in names if name.partition(".")[0] not in own]


def resets(view: UnitView) -> list[Reset]:
    """Returns the resets of a unit with the values that registers get, most registers first."""
    found: dict[tuple[str, str, str], tuple[dict[tuple[str, str, int], None], int]] = {}
    for block in view.flow.blocks:
        at = timing(view, block)
        if not at.reset:
            continue
        values, _ = found.setdefault((at.reset, at.kind, at.active), ({}, at.line))
        for step in block.steps:
            if at.branch >= 0 and step.guard >= 0 and is_under(view, step.guard, at.branch):
                for name in _assigned(view, block, (step,)):
                    values[name, step.value, step.line] = None
    made = [
        Reset(name, kind, active, tuple(sorted(values, key=lambda v: (v[2], v[0]))),
              view.unit.path, line)
        for (name, kind, active), (values, line) in found.items()
    ]  # fmt: skip
    return sorted(made, key=lambda one: (-len(one.values), one.signal))
