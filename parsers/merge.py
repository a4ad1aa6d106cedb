"""Joins what the layers saw of one file: union, tagged with the reader, never less."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import msgspec
from hdlgraph.parsers import limits
from hdlgraph.parsers.slang.reader import SlangResult, read_slang
from hdlgraph.parsers.stubs import Preparer
from hdlgraph.parsers.text.floor import instances_of_text
from hdlgraph.parsers.text.inventory import Inventory
from hdlgraph.parsers.treesitter.units import TreeRecord, read_tree_record

from hdlgraph.model import Diagnostic, FileRecord, Instance, Layer, Unit

T = TypeVar("T")
BOTH = 1.0
"""Confidence of what two independent readers see."""
ALONE = 0.95
BROKEN = 0.8
"""Confidence of what slang alone sees in a file where it reports hard errors."""


def merged_record(inventory: Inventory, preparer: Preparer, *, witness: bool = True) -> FileRecord:
    """Returns the record of a file from all layers that it needs.

    pyslang reads every file. tree-sitter joins when pyslang has hard errors, when the text names
    a unit that pyslang lacks, or when an `ifdef hides instances. PyVerilog joins on Verilog-2001.
    """
    is_2001 = witness and _is_witnessed(inventory)
    result = read_slang(inventory, preparer, preprocessed=is_2001)
    record = result.record
    if _needs_tree(inventory, result):
        record = join_tree(record, read_tree_record(inventory), broken=result.hard_errors > 0)
    if is_2001 and any(unit.kind == "module" for unit in result.record.units):
        from hdlgraph.parsers.pyverilog import read_witness

        record = join_witness(record, result.record, read_witness(result.preprocessed))
    return record


def tree_sitter_record(inventory: Inventory) -> FileRecord:
    """Returns the record of a file that slang cannot read."""
    return read_tree_record(inventory).record


def _is_witnessed(inventory: Inventory) -> bool:
    record = inventory.record
    return record.language == "verilog" and record.size <= limits.WITNESS_BYTES


def _needs_tree(inventory: Inventory, result: SlangResult) -> bool:
    if result.hard_errors:
        return True
    seen = {unit.name for unit in result.record.units}
    if any(unit.name not in seen for unit in inventory.record.units):
        return True
    if not inventory.regions:
        return False
    known = {
        (instance.unit, instance.name)
        for unit in result.record.units
        for instance in unit.instances
    }
    # Only what stands in a conditional region can be hidden from slang.
    return any(
        (unit, name) not in known and any(r.line < line < r.end_line for r in inventory.regions)
        for unit, name, line in instances_of_text(inventory)
    )


def join_tree(record: FileRecord, tree: TreeRecord, *, broken: bool) -> FileRecord:
    """Returns slang's record with what only the tree sees, at a lower confidence."""
    rest = list(tree.record.units)
    units = []
    for unit in record.units:
        other = _same(unit, rest)
        if other is None:
            units.append(_alone(unit) if broken else unit)
        else:
            rest.remove(other)
            units.append(_joined(unit, other, broken))
    units += rest
    units.sort(key=lambda unit: (unit.line, unit.end_line, unit.name))
    return msgspec.structs.replace(
        record,
        units=tuple(units),
        binds=_union(record.binds, tree.record.binds, lambda b: (b.target, b.unit, b.name)),
        types=_union(record.types, tree.record.types, lambda t: t.name),
        routines=_union(record.routines, tree.record.routines, lambda r: r.name),
        parameters=_union(record.parameters, tree.record.parameters, lambda p: p.name),
        layers=(Layer.SLANG.value, Layer.TREE_SITTER.value, Layer.REGEX.value),
    )


def _same(unit: Unit, others: Sequence[Unit]) -> Unit | None:
    named = [other for other in others if other.name == unit.name and other.kind == unit.kind]
    near = [other for other in named if abs(other.line - unit.line) <= 3]
    return near[0] if near else None


def _alone(unit: Unit) -> Unit:
    instances = tuple(_at(instance, BROKEN) for instance in unit.instances)
    return msgspec.structs.replace(unit, confidence=BROKEN, instances=instances)


def _at(instance: Instance, confidence: float, *layers: str) -> Instance:
    return msgspec.structs.replace(
        instance, confidence=confidence, layers=(*instance.layers, *layers)
    )


def _joined(unit: Unit, other: Unit, broken: bool) -> Unit:
    seen = {(item.unit, item.name) for item in other.instances}
    known = {(item.unit, item.name) for item in unit.instances}
    tree = Layer.TREE_SITTER.value
    alone = BROKEN if broken else ALONE
    instances = [
        _at(item, BOTH, tree) if (item.unit, item.name) in seen else _at(item, alone)
        for item in unit.instances
    ]
    instances += [item for item in other.instances if (item.unit, item.name) not in known]
    instances.sort(key=lambda item: (item.line, item.name))
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
        ports=_union(unit.ports, other.ports, by_name),
        parameters=_union(unit.parameters, other.parameters, by_name),
        signals=_union(unit.signals, _without(other.signals, unit.ports), by_name),
        instances=tuple(instances),
        processes=tuple(sorted((*unit.processes, *processes), key=lambda p: (p.line, p.end_line))),
        types=_union(unit.types, other.types, by_name),
        routines=_union(unit.routines, other.routines, by_name),
        modports=_union(unit.modports, other.modports, by_name),
        imports=_union(unit.imports, other.imports, lambda item: item[0]),
        extends=unit.extends or other.extends,
        layers=(*unit.layers, tree) if is_tree else unit.layers,
        confidence=BOTH if is_tree else alone,
    )


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


def join_witness(record: FileRecord, by_slang: FileRecord, witness: Any) -> FileRecord:
    """Returns a record with PyVerilog's agreement marked and its disagreement listed.

    Args:
        record: the record so far, all readers joined.
        by_slang: what slang alone saw; PyVerilog read the same preprocessed text.
        witness: PyVerilog's view.
    """
    name = Layer.PYVERILOG.value
    if witness.silent:
        note = Diagnostic(name, "note", 0, f"no tree: {witness.silent}")
        return msgspec.structs.replace(record, diagnostics=(*record.diagnostics, note))
    views = {view.name: view for view in witness.units}
    modules = [unit for unit in by_slang.units if unit.kind == "module"]
    lines = []
    for unit in modules:
        if unit.name in views:
            lines += _differences(unit, views[unit.name])
        else:
            lines.append(f"{unit.name}:{unit.line}: module seen by pyslang only")
    both = {(unit.name, unit.line) for unit in modules if unit.name in views}
    units = [
        _witnessed(unit, views[unit.name]) if (unit.name, unit.line) in both else unit
        for unit in record.units
    ]
    return msgspec.structs.replace(
        record,
        units=tuple(units),
        layers=(*record.layers[:-1], name, record.layers[-1]),
        disagreements=tuple(lines),
    )


def _witnessed(unit: Unit, view: Any) -> Unit:
    name = Layer.PYVERILOG.value
    return msgspec.structs.replace(
        unit,
        layers=(*unit.layers, name),
        confidence=BOTH,
        instances=tuple(
            _at(item, BOTH, name) if (item.unit, item.name) in view.instances else item
            for item in unit.instances
        ),
    )


def _differences(unit: Unit, view: Any) -> list[str]:
    place = f"{unit.name}:{unit.line}"
    ours = {(instance.unit, instance.name) for instance in unit.instances}
    ports = [port.name for port in unit.ports]
    lines = [f"{place}: port {p} seen by pyslang only" for p in ports if p not in view.ports]
    lines += [f"{place}: port {p} seen by PyVerilog only" for p in view.ports if p not in ports]
    for label, extra in (("pyslang", ours - view.instances), ("PyVerilog", view.instances - ours)):
        lines += [f"{place}: instance {n} of {u} seen by {label} only" for u, n in sorted(extra)]
    return lines
