"""Finds the units that many files instantiate and that drive nothing: they tell of no file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hdlgraph.index.explain.uses import uses_of
from hdlgraph.model import FileRecord

LEAST, SHARE = 8, 0.1
"""Number and share of the files with instances that have one of a helper."""


def helpers_of(records: Sequence[FileRecord]) -> frozenset[str]:
    """Returns the units without outputs that a good part of the files instantiates."""
    used: Counter[str] = Counter()
    files = 0
    for record in records:
        units = {one.unit for unit in uses_of(record).units for one in unit.instances}
        used.update(units)
        files += bool(units)
    common = {name for name, n in used.items() if n >= LEAST and n >= SHARE * files}
    if not common:
        return frozenset()
    found = [unit for record in records for unit in record.units if unit.name in common]
    drives = {
        unit.name
        for unit in found
        if not unit.ports or any(port.direction != "input" for port in unit.ports)
    }
    return frozenset({unit.name for unit in found} - drives)
