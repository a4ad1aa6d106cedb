"""Leaves out of a file what is there to check it: people ask for what the file itself does."""

from __future__ import annotations

import re
from collections.abc import Collection

import msgspec

from hdlgraph.model import FileRecord, Instance, Unit

_CHECKS = re.compile(
    r"!\s*\(?\s*SYNTH|FORMAL|VERIF|ASSERT|FPV|SVA|COVER|SIMUL|TESTPOINT|SPYGLASS|LINT|DEBUG_PRINT",
    re.I,
)
"""Conditions of `ifdef branches that hold what simulation, proofs or linters alone see."""


def particular(record: FileRecord, helpers: Collection[str] = ()) -> FileRecord:
    """Returns a record without instances and processes that only check the design.

    These are the ones in `ifdef branches for checks, and instances of `helpers`. A unit that has
    nothing else keeps them.

    Args:
        record: the facts of a file.
        helpers: units that most files instantiate and that drive nothing.
    """
    checks = [
        span
        for span, condition in zip(record.branches, record.conditions, strict=False)
        if _CHECKS.search(condition)
    ]
    units = tuple(_particular(unit, checks, helpers) for unit in record.units)
    if all(new is old for new, old in zip(units, record.units, strict=True)):
        return record
    return msgspec.structs.replace(record, units=units)


def _particular(unit: Unit, checks: list[tuple[int, int]], helpers: Collection[str]) -> Unit:
    around = [span for span in checks if not span[0] <= unit.line <= span[1]]

    def is_check(line: int) -> bool:
        return any(first < line < last for first, last in around)

    processes = tuple(one for one in unit.processes if not is_check(one.line))
    instances = tuple(
        one
        for one in unit.instances
        if not (one.unit in helpers or is_check(one.line) or _checks(unit, one))
    )
    same = len(processes) == len(unit.processes) and len(instances) == len(unit.instances)
    if same or not (processes or instances):
        return unit
    return msgspec.structs.replace(unit, processes=processes, instances=instances)


def _checks(unit: Unit, one: Instance) -> bool:
    """Returns whether an instance stands in an `ifdef of its unit that only checks it."""
    inside = (scope for scope in one.scopes if scope.kind == "ifdef" and scope.line > unit.line)
    return any(_CHECKS.search(scope.condition) for scope in inside)
