"""Joins what the layers saw of one file: union, tagged with the reader, never less."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeVar

import msgspec

from hdlgraph.model import BIT, Connection, FileRecord, Instance, Layer, Sighting, Unit
from hdlgraph.parsers import limits
from hdlgraph.parsers.slang.reader import SlangResult, read_slang
from hdlgraph.parsers.stubs import Preparer
from hdlgraph.parsers.text.directives import lines_with_macros
from hdlgraph.parsers.text.fallback import confirmed_by_text, instances_of_text
from hdlgraph.parsers.text.inventory import Inventory
from hdlgraph.parsers.treesitter.units import TreeRecord, read_tree_record

T = TypeVar("T")
TREE = BIT[Layer.TREE_SITTER]
BOTH = 1.0
"""Confidence of what two independent readers see."""
ALONE = 0.95
BROKEN = 0.8
"""Confidence of what slang alone sees in a file where it reports hard errors."""


def merged_record(inventory: Inventory, preparer: Preparer, *, witness: bool = True) -> FileRecord:
    """Returns the record of a file from all layers that it needs.

    pyslang reads every file. tree-sitter joins when pyslang has hard errors, when the text names
    a unit that pyslang lacks, or when an `ifdef hides instances. Where pyslang reads all branches
    without it, it is a witness and adds nothing: it knows no macros. PyVerilog is tried on every
    file with a module that is not too large; regular expressions look for instances in all.
    """
    is_tried = witness and _is_tried(inventory)
    result = read_slang(inventory, preparer, preprocessed=is_tried)
    record = result.record
    lacks = _lacks(inventory, result, _instances_of(record))
    if lacks or _lacks(inventory, result, result.taken):
        tree = read_tree_record(inventory)
        record = join_tree(record, tree, broken=result.hard_errors > 0, adds=lacks)
        record = msgspec.structs.replace(record, expanded=lines_with_macros(inventory.source))
    if is_tried:
        record = _join_pyverilog(record, result, inventory)
    return confirmed_by_text(record, inventory)


def _join_pyverilog(record: FileRecord, result: SlangResult, inventory: Inventory) -> FileRecord:
    from hdlgraph.parsers.pyverilog.join import join_view
    from hdlgraph.parsers.pyverilog.parse import read_view

    if max(len(result.preprocessed), len(result.unread)) > limits.WITNESS_CHARS:
        return record
    view = read_view(result.preprocessed)
    sure = view.plain and record.language == "verilog"
    if view.silent and result.unread:
        view, sure = read_view(result.unread), False
    return join_view(record, result.record, view, inventory, sure=sure)


def tree_sitter_record(inventory: Inventory, *, witness: bool = True) -> FileRecord:
    """Returns the record of a file that slang cannot read: by tree-sitter, and by PyVerilog."""
    record = read_tree_record(inventory).record
    if witness and record.language == "verilog" and _is_tried(inventory):
        from hdlgraph.parsers.pyverilog.join import join_view
        from hdlgraph.parsers.pyverilog.parse import read_view
        from hdlgraph.parsers.pyverilog.plain_text import plain_text

        text = plain_text(inventory.source)
        if text:
            none = msgspec.structs.replace(record, units=())
            record = join_view(record, none, read_view(text), inventory, sure=False)
    return confirmed_by_text(record, inventory)


def _is_tried(inventory: Inventory) -> bool:
    record = inventory.record
    is_small = record.size <= limits.WITNESS_BYTES
    return is_small and any(unit.kind == "module" for unit in record.units)


def _instances_of(record: FileRecord) -> set[tuple[str, str]]:
    return {(one.unit, one.name) for unit in record.units for one in unit.instances}


def _lacks(inventory: Inventory, result: SlangResult, known: Collection[tuple[str, str]]) -> bool:
    """Returns whether slang failed, or lost a unit, or an instance in a branch of an `ifdef."""
    if result.hard_errors:
        return True
    seen = {unit.name for unit in result.record.units}
    if any(unit.name not in seen for unit in inventory.record.units):
        return True
    if not inventory.regions:
        return False
    # Only what stands in a conditional region can be hidden from slang.
    return any(
        (unit, name) not in known and any(r.line < line < r.end_line for r in inventory.regions)
        for unit, name, line in instances_of_text(inventory)
    )


def join_tree(
    record: FileRecord, tree: TreeRecord, *, broken: bool, adds: bool = True
) -> FileRecord:
    """Returns slang's record with what only the tree sees, at a lower confidence.

    Args:
        record: slang's.
        tree: what tree-sitter sees.
        broken: whether slang has hard errors.
        adds: whether what only the tree sees is believed.
    """
    if not adds:
        return _witnessed(record, tree)
    rest = list(tree.record.units)
    units = []
    sightings: list[Sighting] = []
    for unit in record.units:
        other = _same(unit, rest)
        if other is None:
            units.append(_alone(unit) if broken else unit)
        else:
            rest.remove(other)
            units.append(_joined(unit, other, broken, sightings))
    units += rest
    units.sort(key=lambda unit: (unit.line, unit.end_line, unit.name))
    return msgspec.structs.replace(
        record,
        units=tuple(units),
        binds=_joint(record.binds, tree.record.binds, lambda b: (b.target, b.unit, b.name)),
        types=_union(record.types, tree.record.types, lambda t: t.name),
        routines=_union(record.routines, tree.record.routines, lambda r: r.name),
        parameters=_joint(record.parameters, tree.record.parameters, lambda p: p.name),
        sightings=(*record.sightings, *tree.record.sightings, *sightings),
        layers=(Layer.SLANG.value, Layer.TREE_SITTER.value, Layer.REGEX.value),
    )


def _witnessed(record: FileRecord, tree: TreeRecord) -> FileRecord:
    """Returns slang's record with tree-sitter as a witness of what it sees the same way."""
    rest = list(tree.record.units)
    sightings: list[Sighting] = []
    units = []
    for unit in record.units:
        other = _same(unit, rest)
        if other is None:
            units.append(unit)
            continue
        rest.remove(other)
        joined = _joined(unit, other, False, sightings)
        known = {(one.unit, one.name) for one in unit.instances}
        units.append(
            msgspec.structs.replace(
                unit,
                ports=joined.ports[: len(unit.ports)],
                parameters=joined.parameters[: len(unit.parameters)],
                instances=tuple(i for i in joined.instances if (i.unit, i.name) in known),
                layers=joined.layers,
                confidence=joined.confidence,
            )
        )
    binds = _joint(record.binds, tree.record.binds, lambda b: (b.target, b.unit, b.name))
    parameters = _joint(record.parameters, tree.record.parameters, lambda p: p.name)
    return msgspec.structs.replace(
        record,
        units=tuple(units),
        binds=binds[: len(record.binds)],
        parameters=parameters[: len(record.parameters)],
        sightings=(*record.sightings, *sightings),
        layers=(Layer.SLANG.value, Layer.TREE_SITTER.value, Layer.REGEX.value),
    )


def _same(unit: Unit, others: Sequence[Unit]) -> Unit | None:
    named = [other for other in others if other.name == unit.name and other.kind == unit.kind]
    near = [other for other in named if abs(other.line - unit.line) <= 3]
    return near[0] if near else None


def _alone(unit: Unit) -> Unit:
    instances = tuple(
        msgspec.structs.replace(instance, confidence=BROKEN) for instance in unit.instances
    )
    return msgspec.structs.replace(unit, confidence=BROKEN, instances=instances)


def _joined(unit: Unit, other: Unit, broken: bool, sightings: list[Sighting]) -> Unit:
    """Returns a unit with what another reader saw of it; differences go to `sightings`."""
    tree, alone = Layer.TREE_SITTER.value, BROKEN if broken else ALONE
    covered = [(process.line, process.end_line) for process in unit.processes]
    processes = [
        process
        for process in other.processes
        if not any(first <= process.end_line and process.line <= last for first, last in covered)
    ]
    by_name: Callable[[Any], Any] = lambda item: item.name  # noqa: E731
    is_tree = tree in other.layers
    return msgspec.structs.replace(
        unit,
        end_line=max(unit.end_line, other.end_line) if broken and is_tree else unit.end_line,
        ports=_joint(unit.ports, other.ports, by_name),
        parameters=_joint(unit.parameters, other.parameters, by_name),
        signals=_union(unit.signals, _without(other.signals, unit.ports), by_name),
        instances=_instances(unit, other, alone, sightings),
        processes=tuple(sorted((*unit.processes, *processes), key=lambda p: (p.line, p.end_line))),
        types=_union(unit.types, other.types, by_name),
        routines=_union(unit.routines, other.routines, by_name),
        modports=_union(unit.modports, other.modports, by_name),
        imports=_union(unit.imports, other.imports, lambda item: item[0]),
        extends=unit.extends or other.extends,
        layers=(*unit.layers, tree) if is_tree else unit.layers,
        confidence=BOTH if is_tree else alone,
    )


def _instances(
    unit: Unit, other: Unit, alone: float, sightings: list[Sighting]
) -> tuple[Instance, ...]:
    """Returns the instances that one reader or both saw, in the order of their lines."""
    seen: dict[tuple[str, str], list[Instance]] = {}
    for item in other.instances:
        seen.setdefault((item.unit, item.name), []).append(item)
    known = {(item.unit, item.name) for item in unit.instances}
    found = []
    for item in unit.instances:
        twins = seen.get((item.unit, item.name))
        if twins:
            # Of several with one name the first meets the first; the last one stays for the rest.
            twin = twins.pop(0) if len(twins) > 1 else twins[0]
            found.append(_both(unit.name, item, twin, sightings))
        else:
            found.append(msgspec.structs.replace(item, confidence=alone))
    found += [item for item in other.instances if (item.unit, item.name) not in known]
    return tuple(sorted(found, key=lambda item: (item.line, item.name)))


def _both(unit: str, item: Instance, twin: Instance, sightings: list[Sighting]) -> Instance:
    """Returns slang's instance with tree-sitter as a witness of what it sees the same way.

    A port that tree-sitter alone connects is listed and not believed.
    """
    values = {name: "".join(value.split()) for name, value in twin.parameters}
    overrides = tuple(
        bits | TREE if values.get(name) == "".join(value.split()) else bits
        for (name, value), bits in zip(item.parameters, item.override_witnesses, strict=True)
    )
    theirs = {_place(one): one for one in twin.connections}
    connections = []
    for one in item.connections:
        other = theirs.pop(_place(one), None)
        if other is not None and "".join(other.expr.split()) == "".join(one.expr.split()):
            one = msgspec.structs.replace(one, witnesses=one.witnesses | TREE)
        connections.append(one)
    for other in theirs.values():
        name = f"{item.name}.{other.port or other.position}"
        sightings.append(Sighting("binding", unit, name, other.line, TREE))
    return msgspec.structs.replace(
        item,
        confidence=BOTH,
        witnesses=item.witnesses | TREE,
        override_witnesses=overrides,
        connections=tuple(connections),
    )


def _place(one: Connection) -> tuple[str, int]:
    return (one.port, -1 if one.port else one.position)


def _without(items: Iterable[T], others: Iterable[Any]) -> list[T]:
    names = {other.name for other in others}
    return [item for item in items if item.name not in names]  # type: ignore[attr-defined]


def _union(first: Sequence[T], second: Iterable[T], key: Callable[[T], Any]) -> tuple[T, ...]:
    seen = {key(item) for item in first}
    extra = []
    for item in second:
        name = key(item)
        if name not in seen:
            seen.add(name)
            extra.append(item)
    return (*first, *extra)


def _joint(first: Sequence[T], second: Sequence[T], key: Callable[[T], Any]) -> tuple[T, ...]:
    """Returns the union of facts; what both have is as in `first`, with the witnesses of both."""
    others = {key(item): item.witnesses for item in second}  # type: ignore[attr-defined]
    first = [
        msgspec.structs.replace(item, witnesses=item.witnesses | others[key(item)])  # type: ignore
        if key(item) in others
        else item
        for item in first
    ]
    return _union(first, second, key)
