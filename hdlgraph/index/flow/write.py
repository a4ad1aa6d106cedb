"""Writes what drives and reads the signals of all units, as the parsers collected it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from hdlgraph.model import FileRecord, Unit
from hdlgraph.store.design.flows import FlowUnit, StoredMessage, write_flows


def write_signals(folder: Path, records: Sequence[FileRecord]) -> int:
    """Writes the flows of all units into the folder of a generation; returns how many.

    Args:
        folder: of the generation.
        records: the facts of all files, sorted by path.
    """
    messages = (
        StoredMessage(record.path, one.kind, one.line, one.text)
        for record in records
        for one in record.said
    )
    return write_flows(folder, _units(records), messages)


def _units(records: Sequence[FileRecord]) -> Iterator[tuple[FlowUnit, bytes]]:
    for record in records:
        flows = {(name, line): flow for name, line, flow in record.flows}
        seen: set[str] = set()
        for unit in record.units:
            # As the graph names them: of two of a name in a file the second has its line.
            node = f"{unit.kind}:{record.path}#{unit.name}"
            node = f"{node}@{unit.line}" if node in seen else node
            seen.add(node)
            flow = flows.get((unit.name, unit.line))
            if flow is not None:
                yield _head(node, record.path, unit), flow


def _head(node: str, path: str, unit: Unit) -> FlowUnit:
    return FlowUnit(
        node,
        unit.name,
        unit.kind,
        path,
        unit.line,
        tuple(
            (one.name, one.direction, one.line, one.type if one.direction == "interface" else "")
            for one in unit.ports
        ),
        tuple((one.name, one.line) for one in unit.signals),
        tuple((one.name, one.ports) for one in unit.modports),
    )
