"""The part of a file that its own facts make: its nodes, and the edges from owners to them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, overload

import msgspec

from hdlgraph.index.kept.functions import kept
from hdlgraph.index.link.nodes import FileEntry, Held, UnitEntry, add_file
from hdlgraph.index.link.parts.asked import stamp
from hdlgraph.index.link.parts.builder import Builder
from hdlgraph.index.link.parts.outline import Outline
from hdlgraph.index.link.parts.pack import EdgePart, NodePart, pack_edges, pack_nodes
from hdlgraph.model import FileRecord, Type
from hdlgraph.store.packed.spilled import Spilled


class Declared(msgspec.Struct, frozen=True, array_like=True):
    """What a file declares; rows are counted from its first one.

    `units` are the rows of its units, `aliases` (name, row, base) of its `typedef base name;`,
    those of units first. `face` stands for all that linking other files asks of this one: its path
    and what it declares with its rows, but no lines and comments. `marks` stand for the nodes, the
    edges, and the rows and lines of the units.
    """

    nodes: NodePart
    edges: EdgePart
    units: list[int]
    aliases: list[tuple[str, int, str]]
    face: bytes
    marks: tuple[bytes, bytes, bytes]


@partial(kept, views=True)
def declared(record: FileRecord) -> Declared:
    """Returns what a file declares."""
    builder = Builder()
    entry = add_file(builder, record)
    nodes = pack_nodes(builder.nodes)
    edges = pack_edges(builder.edges, lambda row: (record.path if row >= 0 else "", row))
    units = [(one.row, one.unit.line) for one in entry.units]
    found = Declared(
        nodes,
        edges,
        [row for row, _ in units],
        [found for one in entry.units for found in _aliases(one.unit.types, one.types)]
        + list(_aliases(record.types, entry.types)),
        stamp(record.path.encode(), _face(entry)),
        (mark(nodes), mark(edges), mark(units)),
    )
    entry.part()
    return found


def outlines(records: Sequence[FileRecord]) -> list[Outline]:
    """Returns the outlines of files."""
    return [_outline(record, declared(record)) for record in records]


def _outline(record: FileRecord, found: Declared) -> Outline:
    units = zip(found.units, record.units, strict=True)
    return Outline(
        found.nodes.count,
        found.face,
        [(row, unit.kind, unit.name) for row, unit in units],
        found.aliases,
        list(dict.fromkeys(macro.name for macro in record.macros)),
    )


HELD = 512
"""Files of which it is held decoded what they declare; that of others is put aside."""
_DECODE = msgspec.msgpack.Decoder(Declared).decode


class AllDeclared(Sequence[Declared]):
    """What each file declares, looked up when somebody asks for it."""

    def __init__(self, records: Sequence[FileRecord]) -> None:
        self._records = records
        self._found: dict[int, Declared] = {}
        self._aside: Spilled[int] = Spilled()

    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, at: int) -> Declared: ...
    @overload
    def __getitem__(self, at: slice) -> list[Declared]: ...
    def __getitem__(self, at: int | slice) -> Declared | list[Declared]:
        """Returns what a file declares, or several do."""
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        found = self._found.get(at)
        if found is None:
            if len(self._found) >= 2 * HELD:
                self._put_aside()
            blob = self._aside.get(at)
            found = declared(self._records[at]) if blob is None else _DECODE(blob)
            self._found[at] = found
        return found

    def _put_aside(self) -> None:
        """Holds what the files declare that were looked up first no longer."""
        for at in list(self._found)[:HELD]:
            found = self._found.pop(at)
            if at not in self._aside:
                self._aside.put(at, msgspec.msgpack.encode(found))


def entry_of(row: int, record: FileRecord, found: Outline, held: Held | None = None) -> FileEntry:
    """Returns the entry of a file whose first row is known."""
    entry = FileEntry(row, record, held)
    units = enumerate(found.units)
    entry.units = [UnitEntry(row + first, None, entry, at) for at, (first, _, _) in units]
    entry.stamp = found.face
    return entry


def mark(value: object) -> bytes:
    """Returns what stands for a value."""
    return stamp(msgspec.msgpack.encode(value))


def _aliases(types: Sequence[Type], rows: dict[str, int]) -> list[tuple[str, int, str]]:
    return [
        (one.name, rows[one.name], one.members[0])
        for one in types
        if one.kind == "alias" and one.members
    ]


def _face(entry: FileEntry) -> bytes:
    record = entry.record
    said: list[Any] = [str(entry.role), entry.macros, entry.types, len(record.units)]
    for one in entry.units:
        unit = one.unit
        said += (one.row, unit.kind, unit.name, unit.parent, one.ports, one.names)
        said += (one.parameters, one.types, bool(unit.cells))
        said.append([(port.name, port.direction, port.type) for port in unit.ports])
        said.append([(other.name, other.kind) for other in unit.parameters])
        said.append([
            (row, own.name, own.unit, own.line if not own.name else 0,
             [(scope.kind, scope.label) for scope in own.scopes])
            for row, own in one.instances
        ])  # fmt: skip
    for kinds in (record.types, *(one.unit.types for one in entry.units)):
        said.append([(one.name, one.kind, one.members[:1]) for one in kinds])
    return stamp(msgspec.msgpack.encode(said))
