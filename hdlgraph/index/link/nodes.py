"""Adds the nodes that one file declares to the graph; linking then adds edges between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hdlgraph.index.link.declared import (
    DETAIL_LIMIT,
    TEXT_LIMIT,
    conditions,
    declared_type,
    parameter_detail,
    signature,
    way_of,
)
from hdlgraph.index.link.trust import UNSEEN, Readers, Seen, readers_of, readers_of_unit
from hdlgraph.model import (
    Bind,
    EdgeKind,
    FileRecord,
    Instance,
    NodeKind,
    Routine,
    Type,
    Unit,
    bits_of,
)
from hdlgraph.model.kinds import entities

DEFINES = EdgeKind.DEFINES.value
EXPR_LIMIT = 200
ROWS = 8192
"""Rows of a table that are put into its columns at once."""
MOST_OWNERS = 16
"""A unit in another one belongs to at most so many of that name (`ifdef branches of a file)."""


class _Columns:
    """Columns that are filled by rows: many at once, which takes a fifth of the time."""

    def __init__(self, names: str) -> None:
        self._columns: dict[str, list[Any]] = {name: [] for name in names.split()}
        self._rows: list[tuple[Any, ...]] = []

    def add(self, row: tuple[Any, ...]) -> None:
        """Adds a row, with a value for each column."""
        self._rows.append(row)
        if len(self._rows) >= ROWS:
            self.filled()

    def filled(self) -> dict[str, list[Any]]:
        """Returns the columns with all rows that were added."""
        if self._rows:
            values = zip(*self._rows, strict=True)
            for column, more in zip(self._columns.values(), values, strict=True):
                column.extend(more)
            self._rows = []
        return self._columns


class Builder:
    """Collects nodes and edges as columns; edges name nodes by their row numbers, from 0."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        """Rows by id of the nodes that are in no file, and of those of the file at hand."""
        self._next: dict[str, int] = {}
        self._nodes = _Columns(
            "id kind name path line end_line text origin confidence detail condition shape"
        )
        self._edges = _Columns(
            "source target kind path line text origin confidence resolved witnesses trust "
            "instance direction reason"
        )
        self._count = 0

    @property
    def nodes(self) -> dict[str, list[Any]]:
        """Returns the columns of the nodes so far."""
        return self._nodes.filled()

    @property
    def edges(self) -> dict[str, list[Any]]:
        """Returns the columns of the edges so far."""
        return self._edges.filled()

    def node(
        self,
        kind: str,
        path: str,
        name: str,
        line: int = 0,
        end_line: int = 0,
        text: str = "",
        detail: str = "",
        confidence: float = 1.0,
        origin: str = "ast",
        condition: str = "",
        shape: str = "",
    ) -> int:
        """Adds a node; a second one of the same kind and name in a file gets `@line`."""
        node_id = f"{kind}:{path}#{name}" if name != path else f"{kind}:{path}"
        if node_id in self.rows:
            base = node_id = f"{node_id}@{line}"
            # Counting anew for each of 40,000 instances on one line takes minutes.
            number = self._next.get(base, 2)
            while node_id in self.rows:
                node_id, number = f"{base}.{number}", number + 1
            self._next[base] = number
        row = self.rows[node_id] = self._count
        self._count += 1
        self._nodes.add((
            node_id, kind, name, path, line, end_line, text, origin, confidence, detail,
            condition[:DETAIL_LIMIT], shape[:DETAIL_LIMIT],
        ))  # fmt: skip
        return row

    def forget(self) -> None:
        """Forgets the ids used so far; ids of the next file contain another path."""
        self.rows.clear()
        self._next.clear()

    def edge(
        self,
        kind: str,
        source: int,
        target: int,
        path: str,
        line: int,
        text: str = "",
        confidence: float = 1.0,
        resolved: str = "unique",
        origin: str = "ast",
        seen: Seen = UNSEEN,
        instance: int = -1,
        direction: str = "",
        reason: str = "",
    ) -> None:
        """Adds an edge; what comes from `path:line` is an origin of "ast" unless said.

        Args are the fields of `model.Edge`; nodes are rows, `instance` is -1 where there is none.
        """
        self._edges.add((
            source, target, kind, path, line, text, origin, confidence, resolved, *seen,
            instance, direction, reason,
        ))  # fmt: skip


@dataclass(slots=True)
class UnitEntry:
    """The row of a unit, and the rows of what it declares, by name.

    `names` holds all that a port connection may mention: ports, signals, instances.
    """

    row: int
    unit: Unit
    path: str
    role: str
    ports: dict[str, int] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    parameters: dict[str, int] = field(default_factory=dict)
    instances: list[tuple[int, Instance]] = field(default_factory=list)
    by_name: dict[str, list[tuple[int, Instance]]] | None = None
    """The instances and their rows by name; None until `named` is called first."""
    labels: set[str] = field(default_factory=set)
    """Labels of the scopes around the instances, filled with `by_name`."""
    types: dict[str, int] = field(default_factory=dict)
    implicit: int = 0
    """Connections that `.*` states so far."""
    ways: dict[int, str] | None = None
    """What each port does with a net, by row; None until `way` is called first."""

    def way(self, port: int) -> str:
        """Returns what a port, by its row, does with the net outside, as `model.Edge` says it."""
        if self.ways is None:
            self.ways = {
                self.ports[one.name]: way_of(one.direction, one.type)
                for one in reversed(self.unit.ports)  # of equal names the first one counts
            }
        return self.ways.get(port, "")

    def named(self, name: str) -> list[tuple[int, Instance]] | None:
        """Returns (row, instance) of a name; None where it is the label of a scope around some."""
        if self.by_name is None:
            self.by_name = {}
            for row, one in self.instances:
                self.by_name.setdefault(one.name, []).append((row, one))
                self.labels.update(scope.label for scope in one.scopes)
        return None if name in self.labels else self.by_name.get(name, [])


@dataclass(slots=True)
class FileEntry:
    """A file's row and what it holds. `included` are the rows of `files` it most likely reads."""

    row: int
    record: FileRecord
    path: str
    role: str
    units: list[UnitEntry] = field(default_factory=list)
    macros: dict[str, int] = field(default_factory=dict)
    types: dict[str, int] = field(default_factory=dict)
    included: list[FileEntry] = field(default_factory=list)
    binds: list[tuple[int, Bind]] = field(default_factory=list)


def add_file(builder: Builder, record: FileRecord) -> FileEntry:
    """Adds the nodes of a file and all it declares; returns their entry."""
    path = record.path
    builder.forget()
    row = builder.node(
        "file",
        path,
        path,
        1,
        record.n_lines,
        record.header[:TEXT_LIMIT],
        record.role,
    )
    entry = FileEntry(row, record, path, record.role)
    for unit in record.units:
        entry.units.append(_add_unit(builder, entry, unit))
    by_name: dict[str, list[UnitEntry]] = {}
    for outer in entry.units:
        by_name.setdefault(outer.unit.name, []).append(outer)
    for inner in entry.units:
        for outer in by_name.get(inner.unit.parent, ())[:MOST_OWNERS] if inner.unit.parent else ():
            if outer is not inner:
                builder.edge(DEFINES, outer.row, inner.row, path, inner.unit.line)
    for macro in record.macros:
        name = macro.name
        detail = f"{macro.parameters} {macro.body}".strip()[:DETAIL_LIMIT]
        found = builder.node("macro", path, name, macro.line, macro.line, "", detail)
        builder.edge(DEFINES, row, found, path, macro.line)
        entry.macros.setdefault(name, found)
    _add_types(builder, row, path, "", record.types, entry.types)
    _add_routines(builder, row, path, "", record.routines)
    for one in record.parameters:
        detail = parameter_detail(one.kind, one.type, one.default)
        found = builder.node("parameter", path, one.name, one.line, 0, one.comment, detail)
        builder.edge(DEFINES, row, found, path, one.line)
    _add_binds(builder, entry)
    return entry


def _add_binds(builder: Builder, file: FileEntry) -> None:
    """Adds a node for the instance that each bind directive makes; its file defines it."""
    readers = readers_of(file.record, "bind")
    for bind in file.record.binds:
        name = f"{bind.target[:EXPR_LIMIT]}.{bind.name or bind.unit}"
        row = builder.node("instance", file.path, name, bind.line)
        seen = readers.seen(bind.witnesses, bind.line)
        builder.edge(DEFINES, file.row, row, file.path, bind.line, seen=seen)
        file.binds.append((row, bind))


def _add_unit(builder: Builder, file: FileEntry, unit: Unit) -> UnitEntry:
    path, known = file.path, {kind.name for kind in entities()}
    kind = unit.kind if unit.kind in known else NodeKind.MODULE.value
    text, sure = unit.comment[:TEXT_LIMIT], unit.confidence
    detail = f"in {unit.parent}" if unit.parent else ""
    row = builder.node(kind, path, unit.name, unit.line, unit.end_line, text, detail, sure)
    seen = readers_of(file.record, unit.kind).seen(bits_of(unit.layers), unit.line)
    builder.edge(DEFINES, file.row, row, path, unit.line, "", sure, seen=seen)
    readers = readers_of_unit(file.record, unit)
    entry = UnitEntry(row, unit, path, file.role)
    prefix = unit.name + "."
    _add_declared(builder, entry, prefix, readers)
    _add_types(builder, row, path, prefix, unit.types, entry.types)
    _add_routines(builder, row, path, prefix, unit.routines)
    _add_modports(builder, entry, prefix)
    _add_instances(builder, entry, prefix, readers)
    return entry


def _add_declared(builder: Builder, entry: UnitEntry, prefix: str, readers: Readers) -> None:
    """Adds the ports, parameters and signals of a unit."""
    row, unit, path, sure = entry.row, entry.unit, entry.path, entry.unit.confidence
    node, edge = builder.node, builder.edge
    for port in unit.ports:
        detail = f"{port.direction} {port.type}".strip()
        found = node(
            "port", path, prefix + port.name, port.line, 0, port.comment, detail, sure,
            condition=port.condition,
        )  # fmt: skip
        seen = readers.seen(port.witnesses, port.line)
        edge(DEFINES, row, found, path, port.line, "", sure, seen=seen)
        entry.ports.setdefault(port.name, found)
        entry.names.setdefault(port.name, found)
    for one in unit.parameters:
        detail = parameter_detail(one.kind, one.type, one.default)
        name = prefix + one.name
        found = node(
            "parameter", path, name, one.line, 0, one.comment, detail, sure,
            condition=one.condition,
        )  # fmt: skip
        seen = readers.seen(one.witnesses, one.line)
        edge(DEFINES, row, found, path, one.line, "", sure, seen=seen)
        entry.parameters.setdefault(one.name, found)
    for signal in unit.signals:
        if signal.name in entry.ports:
            continue  # `output q; reg q;`: one thing, declared twice
        name = prefix + signal.name
        found = node(
            "signal", path, name, signal.line, 0, signal.comment, signal.type, sure,
            condition=signal.condition,
        )  # fmt: skip
        edge(DEFINES, row, found, path, signal.line, "", sure)
        entry.names.setdefault(signal.name, found)


def _add_modports(builder: Builder, entry: UnitEntry, prefix: str) -> None:
    path, sure = entry.path, entry.unit.confidence
    for modport in entry.unit.modports:
        listed = ", ".join(" ".join(part) for part in modport.ports)
        detail, name = f"modport ({listed})"[:DETAIL_LIMIT], prefix + modport.name
        found = builder.node("type", path, name, modport.line, 0, "", detail, sure)
        builder.edge(DEFINES, entry.row, found, path, modport.line, "", sure)


def _add_instances(builder: Builder, entry: UnitEntry, prefix: str, readers: Readers) -> None:
    for one in entry.unit.instances:
        labels = [s.label for s in one.scopes if s.kind == "generate" and s.label]
        name = prefix + ".".join([*labels, one.name or f"{one.unit}@{one.line}"])
        sure = min(one.confidence, entry.unit.confidence)
        text, detail = one.comment[:TEXT_LIMIT], conditions(one)
        row = builder.node(
            "instance", entry.path, name, one.line, one.end_line, text, detail, sure,
            shape=one.dimensions,
        )  # fmt: skip
        seen = readers.seen(one.witnesses, one.line)
        builder.edge(DEFINES, entry.row, row, entry.path, one.line, "", sure, seen=seen)
        entry.instances.append((row, one))
        entry.names.setdefault(one.name, row)


def _add_types(
    builder: Builder,
    owner: int,
    path: str,
    prefix: str,
    types: tuple[Type, ...],
    into: dict[str, int],
) -> None:
    for one in types:
        name, detail = prefix + one.name, declared_type(one)
        row = builder.node(
            "type", path, name, one.line, one.end_line, one.comment, detail,
            condition=one.condition,
        )  # fmt: skip
        builder.edge(DEFINES, owner, row, path, one.line)
        into.setdefault(one.name, row)


def _add_routines(
    builder: Builder, owner: int, path: str, prefix: str, routines: tuple[Routine, ...]
) -> None:
    for one in routines:
        kind = "task" if one.kind == "task" else "function"
        row = builder.node(
            kind, path, prefix + one.name, one.line, one.end_line, one.comment, signature(one),
            condition=one.condition,
        )  # fmt: skip
        builder.edge(DEFINES, owner, row, path, one.line)
