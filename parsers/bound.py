"""Limits how many facts of one huge file are kept, and says so in the record."""

from __future__ import annotations

import msgspec

from hdlgraph.model import Diagnostic, FileRecord, Instance, Unit
from hdlgraph.parsers import limits


def bounded(record: FileRecord) -> FileRecord:
    """Returns a record whose signals, processes and connections stay below the file limits.

    Units, ports and instances are never cut; units later in the file lose first.
    """
    counts = {
        "signals": (sum(len(unit.signals) for unit in record.units), limits.FILE_SIGNALS),
        "processes": (sum(len(unit.processes) for unit in record.units), limits.FILE_PROCESSES),
        "connections": (
            sum(len(item.connections) for unit in record.units for item in unit.instances),
            limits.FILE_CONNECTIONS,
        ),
    }
    over = [f"{n} {name}, {cap} kept" for name, (n, cap) in counts.items() if n > cap]
    if not over:
        return record
    left = {name: cap for name, (_, cap) in counts.items()}
    note = Diagnostic("hdlgraph", "note", 0, "too many facts: " + "; ".join(over))
    return msgspec.structs.replace(
        record,
        units=tuple(_cut(unit, left) for unit in record.units),
        diagnostics=(*record.diagnostics, note),
    )


def _cut(unit: Unit, left: dict[str, int]) -> Unit:
    signals = unit.signals[: left["signals"]]
    processes = unit.processes[: left["processes"]]
    left["signals"] -= len(signals)
    left["processes"] -= len(processes)
    return msgspec.structs.replace(
        unit,
        signals=signals,
        processes=processes,
        instances=tuple(_fewer(instance, left) for instance in unit.instances),
    )


def _fewer(instance: Instance, left: dict[str, int]) -> Instance:
    kept = instance.connections[: left["connections"]]
    left["connections"] -= len(kept)
    if len(kept) == len(instance.connections):
        return instance
    return msgspec.structs.replace(instance, connections=kept)
