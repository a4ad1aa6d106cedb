"""Describes what a unit consists of: what a package defines, what is instantiated or computed."""

from __future__ import annotations

import re

from hdlgraph.index.explain.by_rules.people.flows import logic_of
from hdlgraph.index.explain.by_rules.protocols import is_timing
from hdlgraph.index.explain.by_rules.sentences import Sentence, some
from hdlgraph.model import FileRecord, Unit

_GUARD = re.compile(r"_(?:s?vh?|h|inc|include|guard|macros|defines?)_*$", re.I)
"""How macros end that only keep a file from being included twice."""


def contents_of(unit: Unit, proven: bool = False) -> list[Sentence]:
    """Returns what stands in a unit, whatever its code does.

    Args:
        unit: what is looked at.
        proven: whether outputs are said to be computed from those inputs alone that reach them.
    """
    if unit.kind == "package":
        return _package(unit)
    logic = logic_of(unit) if proven else _logic(unit)
    return [*_modports(unit), *_instances(unit), *logic]


def file_contents(record: FileRecord, valued: bool = False) -> list[Sentence]:
    """Returns what a file without units defines: macros, constants, types, routines.

    Args:
        record: the facts of the file.
        valued: whether constants need a value; ports of a broken template have none.
    """
    out: list[Sentence] = []
    macros = [m.name for m in record.macros if m.body or not _GUARD.search(m.name)]
    if macros:
        out.append(("defines the macros ", *some(macros, 10)))
    constants = [p.name for p in record.parameters if p.default or not valued]
    if constants:
        out.append(("defines the constants ", *some(constants, 10)))
    if record.types:
        out.append(("defines the types ", *some([t.name for t in record.types], 8)))
    if record.routines:
        out.append(("defines the routines ", *some([r.name for r in record.routines], 8)))
    return out


def _package(unit: Unit) -> list[Sentence]:
    out: list[Sentence] = []
    types = [kind.name for kind in unit.types]
    if types:
        out.append(("defines the types ", *some(types, 8)))
    if unit.parameters:
        out.append(("defines the constants ", *some([p.name for p in unit.parameters], 10)))
    if unit.routines:
        out.append(("defines the functions ", *some([r.name for r in unit.routines], 8)))
    return out


def _modports(unit: Unit) -> list[Sentence]:
    names = [modport.name for modport in unit.modports]
    return [("groups signals for the sides ", *some(names, 6))] if names else []


def _instances(unit: Unit) -> list[Sentence]:
    units = [instance.unit for instance in unit.instances]
    return [("instantiates ", *some(units, 8))] if units else []


def _logic(unit: Unit) -> list[Sentence]:
    """Returns the outputs that are computed, with the inputs they are made of, and registers."""
    inputs = {p.name for p in unit.ports if p.direction == "input" and not is_timing(p.name)}
    outputs = [p.name for p in unit.ports if p.direction == "output"]
    written = {name for process in unit.processes for name in process.writes}
    read = {name for process in unit.processes for name in process.reads}
    driven = [name for name in outputs if name in written]
    sources = [p.name for p in unit.ports if p.name in inputs and p.name in read]
    out: list[Sentence] = []
    if driven and sources:
        out.append(("computes ", *some(driven, 6), " from ", *some(sources, 6)))
    elif driven:
        out.append(("drives ", *some(driven, 6)))
    kept = [name for process in unit.processes if process.clocks for name in process.writes]
    plain = [name for name in kept if name not in set(driven)]
    if plain:
        out.append(("keeps in registers ", *some(plain, 8)))
    return out
