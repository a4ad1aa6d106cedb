"""Says of a file, by its facts alone, whether and with which others it is worth comparing."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hdlgraph.index.kept.functions import kept
from hdlgraph.model import FileRecord, Unit

LARGEST = 2_000_000
"""Bytes of a file from which on only its whole content is compared."""


def is_readable(record: FileRecord) -> bool:
    """Returns whether a file is compared by more than its whole content."""
    return bool(record.sha256) and 0 < record.size <= LARGEST


@kept
def outline_of(record: FileRecord) -> bytes:
    """Returns what files of the same code have in common, to compare only few; b"" of no unit."""
    units = [(unit.kind, *map(len, _parts(unit))) for unit in record.units]
    return (
        msgspec.msgpack.encode((len(record.types), len(record.routines), units)) if units else b""
    )


def _parts(unit: Unit) -> tuple[Sequence[object], ...]:
    return (
        unit.ports,
        unit.parameters,
        unit.signals,
        unit.instances,
        unit.processes,
        unit.routines,
        unit.types,
    )
