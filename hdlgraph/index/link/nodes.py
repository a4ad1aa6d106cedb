"""Adds the nodes that one file declares to the graph; linking then adds edges between them."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, ClassVar

from hdlgraph.index.link.declared import (
    DETAIL_LIMIT,
    TEXT_LIMIT,
    conditions,
    declared_type,
    parameter_detail,
    signature,
    way_of,
)
from hdlgraph.index.link.parts.builder import Builder
from hdlgraph.index.link.trust import Readers, readers_of, readers_of_unit
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
MOST_OWNERS = 16
"""A unit in another one belongs to at most so many of that name (`ifdef branches of a file)."""


class _Lazy:
    """An entry whose inside is filled in when somebody first asks for it."""

    __slots__ = ()
    INSIDE: ClassVar[tuple[str, ...]] = ()

    def __getattr__(self, name: str) -> Any:
        """Returns what the entry holds; Python asks here for what is not set yet."""
        if name not in self.INSIDE:
            raise AttributeError(name)
        self.fill()
        return getattr(self, name)

    def fill(self) -> None:
        """Sets all that is INSIDE."""
        raise NotImplementedError

    def drop(self, names: Iterable[str]) -> None:
        """Holds some of what is INSIDE no longer, until somebody asks for it again."""
        for name in names:
            with suppress(AttributeError):
                delattr(self, name)


class Held:
    """The files of which the inside is held; those that were looked at first are emptied again."""

    MOST = 1024

    def __init__(self) -> None:
        self._files: dict[FileEntry, None] = {}

    def add(self, file: FileEntry) -> None:
        """Notes that something of the inside of a file is held."""
        if file in self._files:
            return
        if len(self._files) >= 2 * self.MOST:
            for one in list(self._files)[: self.MOST]:
                del self._files[one]
                one.clear()
        self._files[file] = None


class UnitEntry(_Lazy):
    """The row of a unit, and the rows of what it declares, by name.

    Args:
        row: of its node.
        unit: its facts, None to look them up when somebody asks for them.
        file: the entry of its file.
        at: which of the units of the file it is.
    """

    INSIDE = ("ports", "names", "parameters", "instances", "types")
    OWN = ("names", "instances")
    """What linking other files hardly ever asks for."""
    __slots__ = (
        *INSIDE,
        "_by_name",
        "_labels",
        "_ways",
        "at",
        "file",
        "path",
        "role",
        "row",
        "unit",
    )

    ports: dict[str, int]
    names: dict[str, int]
    """All that a port connection may mention: ports, signals, instances."""
    parameters: dict[str, int]
    instances: list[tuple[int, Instance]]
    types: dict[str, int]

    unit: Unit

    def __init__(self, row: int, unit: Unit | None, file: FileEntry, at: int = 0) -> None:
        self.row, self.file, self.at = row, file, at
        if unit is not None:
            self.unit = unit
        self.path, self.role = file.path, file.role
        self._by_name: dict[str, list[tuple[int, Instance]]] | None = None
        self._labels: set[str] = set()
        self._ways: dict[int, str] | None = None

    def __getattr__(self, name: str) -> Any:
        """Returns what is not set yet: the facts of the unit, or what it declares."""
        if name != "unit":
            return super().__getattr__(name)
        self.unit = self.file.record.units[self.at]
        self.file.hold()
        return self.unit

    def fill(self) -> None:
        """Sets all that the unit declares."""
        self.file.fill()

    def close(self) -> None:
        """Drops what its own file alone asks for, as that is linked."""
        self.drop(self.OWN)
        self._by_name = None

    def clear(self) -> None:
        """Drops all that can be asked for again."""
        self.close()
        self.drop((*self.INSIDE, "unit"))
        self._ways = None

    def empty(self) -> UnitEntry:
        """Returns the entry as one of a unit that declares nothing so far."""
        self.ports, self.names, self.parameters, self.types = {}, {}, {}, {}
        self.instances = []
        return self

    def way(self, port: int) -> str:
        """Returns what a port, by its row, does with the net outside, as `model.Edge` says it."""
        if self._ways is None:
            self._ways = {
                self.ports[one.name]: way_of(one.direction, one.type)
                for one in reversed(self.unit.ports)  # of equal names the first one counts
            }
        return self._ways.get(port, "")

    def named(self, name: str) -> list[tuple[int, Instance]] | None:
        """Returns (row, instance) of a name; None where it is the label of a scope around some."""
        if self._by_name is None:
            self._by_name = {}
            for row, one in self.instances:
                self._by_name.setdefault(one.name, []).append((row, one))
                self._labels.update(scope.label for scope in one.scopes)
        return None if name in self._labels else self._by_name.get(name, [])


class FileEntry(_Lazy):
    """A file's row and what it holds. `included` are the rows of `files` it most likely reads.

    Args:
        row: of its node; those of what it declares follow.
        record: its facts.
        held: takes the file when something of its inside is held.
    """

    INSIDE = ("binds", "macros", "types")
    __slots__ = (*INSIDE, "_held", "included", "path", "record", "role", "row", "stamp", "units")

    macros: dict[str, int]
    types: dict[str, int]
    binds: list[tuple[int, Bind]]

    def __init__(self, row: int, record: FileRecord, held: Held | None = None) -> None:
        self.row, self.record, self.path, self.role = row, record, record.path, record.role
        self._held = held
        self.units: list[UnitEntry] = []
        self.included: list[FileEntry] = []
        self.stamp = b""
        """Stands for all that linking other files asks this one for."""

    def clear(self) -> None:
        """Drops what the file and its units declare, until somebody asks for it again."""
        self.drop(self.INSIDE)
        for one in self.units:
            one.clear()

    def hold(self) -> None:
        """Notes that something of the inside is held."""
        if self._held is not None:
            self._held.add(self)

    def part(self) -> None:
        """Parts from its units, as it is needed no more: in a run no cycle is collected."""
        self.units = []

    def fill(self) -> None:
        """Sets what the file and its units declare."""
        found = add_file(Builder(self.row), self.record)
        self.macros, self.types, self.binds = found.macros, found.types, found.binds
        for own, other in zip(self.units, found.units, strict=True):
            for name in UnitEntry.INSIDE:
                setattr(own, name, getattr(other, name))
        found.part()
        self.hold()


def add_file(builder: Builder, record: FileRecord) -> FileEntry:
    """Adds the nodes of a file and all it declares; returns their entry."""
    path = record.path
    row = builder.node(
        "file",
        path,
        path,
        1,
        record.n_lines,
        record.header[:TEXT_LIMIT],
        record.role,
    )
    entry = FileEntry(row, record)
    entry.macros, entry.types, entry.binds = {}, {}, []
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
    entry = UnitEntry(row, unit, file).empty()
    prefix = unit.name + "."
    _add_declared(builder, entry, prefix, readers)
    _add_types(builder, row, path, prefix, unit.types, entry.types)
    _add_routines(builder, row, path, prefix, unit.routines)
    _add_modports(builder, entry, prefix)
    _add_instances(builder, entry, readers)
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


def instance_name(unit: Unit, one: Instance) -> str:
    """Returns how the graph names an instance of a unit, with the generate blocks around it."""
    labels = [scope.label for scope in one.scopes if scope.kind == "generate" and scope.label]
    return f"{unit.name}." + ".".join([*labels, one.name or f"{one.unit}@{one.line}"])


def _add_instances(builder: Builder, entry: UnitEntry, readers: Readers) -> None:
    for one in entry.unit.instances:
        name = instance_name(entry.unit, one)
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
