"""Adds to a record what the code of its units does: state machines and operations."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from hdlgraph.model import FileRecord, Machine, Operation, Unit
from hdlgraph.parsers.operations import arbitration, arithmetic, logic, registers, simple, storage
from hdlgraph.parsers.operations.cases import Case, cases_of
from hdlgraph.parsers.operations.code import Code, code_of
from hdlgraph.parsers.operations.conditions import (
    UNNAMED,
    Branch,
    branches_of,
    conditions,
    unit_text,
)
from hdlgraph.parsers.operations.doubts import doubtful
from hdlgraph.parsers.operations.machines import machines_of
from hdlgraph.parsers.text.inventory import Inventory

OPERATIONS = 120
"""Kept of one unit."""
PER_KIND = 16
"""Kept of one kind in a unit."""
_KINDS = frozenset({"module", "interface", "program", "checker"})
_STATE = re.compile(r"state|fsm|(^|_)(st|stm|sm|cs|phase)(_|\d|$)", re.I)
_WORD = re.compile(r"`?[A-Za-z_]\w*")


def with_operations(record: FileRecord, inventory: Inventory) -> FileRecord:
    """Returns the record with the machines and operations of its units."""
    if not any(_has_code(unit) for unit in record.units):
        return record
    lines = {macro.name: macro.line for macro in record.macros}
    lines |= {f"`{name}": line for name, line in lines.items()}
    units = [_read(unit, record, inventory, lines) for unit in record.units]
    return msgspec.structs.replace(record, units=tuple(units))


def _has_code(unit: Unit) -> bool:
    return unit.kind in _KINDS and bool(unit.processes or unit.signals or not unit.instances)


def _read(unit: Unit, record: FileRecord, inventory: Inventory, lines: dict[str, int]) -> Unit:
    """Returns a unit with its state machines and operations; `lines` are those of known names."""
    if not _has_code(unit):
        return unit
    code = code_of(unit, inventory.source)
    cases = cases_of(code.text)
    types = [kind for kind in (*unit.types, *record.types) if kind.kind == "enum"]
    own = {parameter.name: parameter.line for parameter in unit.parameters}
    for kind in types:
        own |= _member_lines(kind.members, kind.line, kind.end_line, inventory)
    found = machines_of(code, cases, types, lines | own)
    machines = tuple(one for one in found if _is_machine(one))
    states = {machine.register for machine in found}
    told = [
        *(_choice(one) for one in found if one not in machines),
        *registers.counters(code),
        *registers.shifts(code),
        *registers.chains(code),
        *registers.edges(code),
        *registers.toggles(code),
        *registers.saturation(code),
        *logic.codes(code),
        *arbitration.arbiters(code),
        *logic.reordering(code),
        *arithmetic.words(code),
        *arithmetic.joining(code),
        *simple.small_units(code),
        *storage.memories(code),
        *simple.empty_units(code),
        *_decoders(code, cases, machines, states),
    ]
    kept = _kept(told)
    bare = unit_text(unit, code, inventory.source.starts, inventory.source.bare)
    branches = branches_of(code, bare) if kept and "if" in code.text else []
    branches += [Branch(a, b, UNNAMED) for a, b in record.branches if unit.line < a]
    picked = conditions(kept, branches)
    operations = tuple(_with(one, picked.get(one.line, ""), doubtful(code, one)) for one in kept)
    return msgspec.structs.replace(unit, machines=machines, operations=operations)


def _with(one: Operation, condition: str, in_doubt: bool) -> Operation:
    if not condition and not in_doubt:
        return one
    return msgspec.structs.replace(one, condition=condition, sure=not in_doubt)


def _is_machine(one: Machine) -> bool:
    """Returns whether a register steps from state to state, and is no mere note of a value.

    It does where its next value depends on its value, or where its name says so.
    """
    return (
        bool(_STATE.search(one.register))
        or sum(1 for a, b, _ in one.transitions if a != b and a) > 1
    )


def _choice(one: Machine) -> Operation:
    names = (one.register, *(name for name, _ in one.states[:8]))
    return Operation("keeps one of", names, one.line)


def _decoders(
    code: Code, cases: list[Case], machines: tuple[Machine, ...], states: set[str]
) -> Iterator[Operation]:
    names = {name for machine in machines for name, _ in machine.states}
    told = storage.decoders(code, cases, states)
    decoded = [one for one in told if not names & set(one.names[1:])]
    yield from decoded
    skip = states | {one.names[-1 if one.kind == "table" else 0] for one in decoded}
    yield from (one for one in storage.comparisons(code, skip) if not names & set(one.names[1:]))


def _member_lines(
    members: tuple[str, ...], first: int, last: int, inventory: Inventory
) -> dict[str, int]:
    """Returns the line of each member of an enum that stands on the lines `first` to `last`."""
    starts = inventory.source.starts
    if not first or first > len(starts):
        return {}
    end = starts[last] if last < len(starts) else len(inventory.source.code)
    begin = starts[first - 1]
    text = inventory.source.code[begin:end]
    wanted, found = set(members), {}
    for match in _WORD.finditer(text):
        if match[0] in wanted and match[0] not in found:
            found[match[0]] = inventory.source.line_of(begin + match.start())
    return found


def _kept(found: list[Operation]) -> tuple[Operation, ...]:
    per_kind: dict[str, int] = {}
    seen: set[tuple[str, tuple[str, ...]]] = set()
    out = []
    for one in found:
        per_kind[one.kind] = per_kind.get(one.kind, 0) + 1
        if (one.kind, one.names) not in seen and per_kind[one.kind] <= PER_KIND:
            seen.add((one.kind, one.names))
            out.append(one)
    return tuple(sorted(out, key=lambda one: (one.line, one.kind, one.names))[:OPERATIONS])
