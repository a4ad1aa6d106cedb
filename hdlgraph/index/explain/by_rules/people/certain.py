"""Chooses the facts about code that are certain enough to be shown to people."""

from __future__ import annotations

from collections.abc import Sequence, Set

import msgspec

from hdlgraph.model import FileRecord, Machine, Process, Type, Unit

_LOOPED = frozenset({"integer", "int", "genvar", "real", "realtime", "time", "string"})
_LETTERS = frozenset("ijkn")
_TOGETHER = 2
"""States of a machine that an enum has, so that all of them are its members."""


def certain(record: FileRecord) -> FileRecord:
    """Returns a record without operations that are in doubt and without states that are none."""
    kinds = [kind for kind in record.types if kind.kind == "enum"]
    units = tuple(_certain(unit, kinds) for unit in record.units)
    if all(new is old for new, old in zip(units, record.units, strict=True)):
        return record
    return msgspec.structs.replace(record, units=units)


def _certain(unit: Unit, shared: Sequence[Type]) -> Unit:
    operations = tuple(one for one in unit.operations if one.sure)
    kinds = [*(kind for kind in unit.types if kind.kind == "enum"), *shared]
    machines = tuple(_own_states(machine, kinds) for machine in unit.machines)
    loops = {s.name for s in unit.signals if s.type.split(" ")[0] in _LOOPED} | _LETTERS
    processes = tuple(_without(process, loops) for process in unit.processes)
    names = {parameter.name for parameter in unit.parameters}
    # A broken template gives instances without names, or of parameters.
    instances = tuple(one for one in unit.instances if one.name and one.unit not in names)
    same = len(operations) == len(unit.operations) and machines == unit.machines
    if same and processes == unit.processes and len(instances) == len(unit.instances):
        return unit
    return msgspec.structs.replace(
        unit,
        operations=operations,
        machines=machines,
        processes=processes,
        instances=instances,
    )


def _without(process: Process, loops: Set[str]) -> Process:
    """Returns a process without the names that its loops count with: they are no registers."""
    if not process.clocks or loops.isdisjoint(process.writes):
        return process
    writes = tuple(name for name in process.writes if name not in loops)
    return msgspec.structs.replace(process, writes=writes)


def _own_states(machine: Machine, kinds: Sequence[Type]) -> Machine:
    """Returns a machine with the members of its enum alone: other constants are masks or flags."""
    names = {name for name, _ in machine.states}
    kind = next((k for k in kinds if len(names & set(k.members)) >= _TOGETHER), None)
    if kind is None or names <= set(kind.members):
        return machine
    states = tuple(state for state in machine.states if state[0] in kind.members)
    return msgspec.structs.replace(machine, states=states)
