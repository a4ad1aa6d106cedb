"""Writes what drives and reads the signals of all units, as the parsers collected it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from hdlgraph.index.kept.functions import kept
from hdlgraph.model import FileRecord, Unit
from hdlgraph.store.design.flows import FlowUnit, StoredMessage, write_flows
from hdlgraph.store.design.printed import FilePrinted, printed_by
from hdlgraph.store.packed.slices import Slices


def write_signals(
    slices: Slices, records: Sequence[FileRecord], plain: Sequence[FileRecord]
) -> None:
    """Writes the flows of all units, and the messages of checks.

    Args:
        slices: of the generation.
        records: the facts of all files, sorted by path.
        plain: the same facts without flows and messages; what is kept of a file is kept of these.
    """

    def messages(number: int) -> Iterator[StoredMessage]:
        record = records[number]
        return (StoredMessage(record.path, one.kind, one.line, one.text) for one in record.said)

    write_flows(slices, lambda number: _units(records[number], plain[number]), messages)


def _units(record: FileRecord, plain: FileRecord) -> Iterator[tuple[bytes, bytes]]:
    if record.flows:
        flows = {(name, line): flow for name, line, flow in record.flows}
        for name, line, head in _heads(plain):
            flow = flows.get((name, line))
            if flow is not None:
                yield bytes(head), flow


@kept
def _heads(record: FileRecord) -> list[tuple[str, int, msgspec.Raw]]:
    """Returns the name and the line of each unit, and what is written of it beside its flow."""
    found = []
    seen: set[str] = set()
    for unit in record.units:
        # As the graph names them: of two of a name in a file the second has its line.
        node = f"{unit.kind}:{record.path}#{unit.name}"
        node = f"{node}@{unit.line}" if node in seen else node
        seen.add(node)
        head = msgspec.Raw(msgspec.msgpack.encode(_head(node, record.path, unit)))
        found.append((unit.name, unit.line, head))
    return found


@kept
def printed(record: FileRecord) -> FilePrinted:
    """Returns what a file prints."""
    return printed_by(record)


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
