"""Finds the units that many files instantiate and that drive nothing: they tell of no file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from hdlgraph.index.explain.uses import uses_of
from hdlgraph.index.kept.functions import kept, of_content
from hdlgraph.index.kept.unchanged import stamp_of, values_of
from hdlgraph.model import FileRecord, Unit

LEAST, SHARE = 8, 0.1
"""Number and share of the files with instances that have one of a helper."""


class Parts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Of a file: the units that it instantiates, and those that it defines by what they drive."""

    used: tuple[str, ...] = ()
    driving: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()


def helpers_of(records: Sequence[FileRecord]) -> frozenset[str]:
    """Returns the units without outputs that a good part of the files instantiates."""
    found = of_content(
        "helpers", stamp_of(_parts, records), tuple[str, ...], lambda: _found(records)
    )
    return frozenset(found)


def _found(records: Sequence[FileRecord]) -> tuple[str, ...]:
    used: Counter[str] = Counter()
    driving: set[str] = set()
    silent: set[str] = set()
    files = 0
    for parts in values_of(_parts, records):
        used.update(parts.used)
        files += bool(parts.used)
        driving.update(parts.driving)
        silent.update(parts.silent)
    least = max(LEAST, SHARE * files)
    return tuple(sorted(name for name in silent - driving if used[name] >= least))


@kept
def _parts(record: FileRecord) -> Parts:
    """Returns what a file tells of helpers."""
    used = {one.unit for unit in uses_of(record).units for one in unit.instances}
    driving = {unit.name for unit in record.units if _drives(unit)}
    silent = {unit.name for unit in record.units} - driving
    return Parts(*(tuple(sorted(names)) for names in (used, driving, silent)))


def _drives(unit: Unit) -> bool:
    """Returns whether a unit has outputs, or no ports, so that it may reach out otherwise."""
    return not unit.ports or any(port.direction != "input" for port in unit.ports)
