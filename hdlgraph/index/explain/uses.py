"""What ties a file to others, of the file alone: what it declares for them and what it uses."""

from __future__ import annotations

import msgspec

from hdlgraph.index.explain.by_rules.behaviour import state_type_names
from hdlgraph.index.kept.functions import kept
from hdlgraph.model import FileRecord, Unit


class Used(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An instance; `shared` is whether its comment may be of something else, too."""

    name: str
    unit: str
    line: int
    comment: str
    shared: bool


class UnitUses(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a unit uses; `extends` is the name of its base without parameters, "" for none."""

    name: str
    extends: str
    imports: tuple[str, ...]
    instances: tuple[Used, ...]


class Uses(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What ties a file to others.

    `includes` are names without folders, `binds` (unit, target), `enums` (name, members) in their
    order, `states` the types of its state registers, sorted.
    """

    units: tuple[UnitUses, ...] = ()
    imports: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    binds: tuple[tuple[str, str], ...] = ()
    enums: tuple[tuple[str, tuple[str, ...]], ...] = ()
    states: tuple[str, ...] = ()


@kept
def uses_of(record: FileRecord) -> Uses:
    """Returns what ties a file to others."""
    types = (*record.types, *(kind for unit in record.units for kind in unit.types))
    return Uses(
        tuple(_of_unit(record, unit) for unit in record.units),
        tuple(package for package, _ in record.imports),
        tuple(included.rpartition("/")[2] for included, _ in record.includes),
        tuple((bind.unit, bind.target) for bind in record.binds),
        tuple((kind.name, kind.members) for kind in types if kind.kind == "enum"),
        tuple(sorted(state_type_names(record))),
    )


def _of_unit(record: FileRecord, unit: Unit) -> UnitUses:
    shared = _shared(record, unit)
    instances = (
        Used(one.name, one.unit, one.line, one.comment, one.line in shared)
        for one in unit.instances
    )
    base = unit.extends.partition("#")[0].strip()
    return UnitUses(unit.name, base, tuple(name for name, _ in unit.imports), tuple(instances))


def _shared(record: FileRecord, unit: Unit) -> set[int]:
    """Returns the lines of instances whose comments may be of something else, too."""
    beside = {comment.line for comment in record.comments}
    known = sorted((one for one in unit.instances if one.comment), key=lambda one: one.line)
    found = {one.line for one in known if one.line in beside and one.end_line > one.line}
    bare = {one.line: one.unit for one in unit.instances if not one.comment}
    for one in known:
        below = (bare.get(line) for line in (one.end_line + 1, one.end_line + 2))
        if any(other and other != one.unit for other in below):
            found.add(one.line)
    return found
