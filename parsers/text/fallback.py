"""Reads ports and instances by regular expression: for files that no parser can read."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from hdlgraph.model import BIT, FileRecord, Instance, Layer, Port, Sighting, Unit
from hdlgraph.parsers import limits
from hdlgraph.parsers.finish import Enclosing, assign_by_line
from hdlgraph.parsers.text.expressions import KEYWORDS
from hdlgraph.parsers.text.inventory import Inventory

REGEX = BIT[Layer.REGEX]

# The end of the line before comes first: the engine passes over all other places fast.
_HEAD = (
    r"\n[ \t]*+([A-Za-z_][\w$]*+)[ \t\r\n]++"
    r"(?:#[ \t\r\n]*\(((?:[^()]|\((?:[^()]|\([^()]*\)){0,200}\)){0,400})\)[ \t\r\n]*+)?"
    r"([A-Za-z_][\w$]*+)"
)
_INSTANCE = re.compile(_HEAD + r"[ \t]*+(?:\[[^\]\n]*\][ \t]*+)?\(")
_INSTANCE_OVER_LINES = re.compile(_HEAD + r"[ \t\r\n]*+(?:\[[^\]\n]*\][ \t\r\n]*+)?\(")
"""The ports may begin on a line of their own; it only confirms what other readers see."""
_PORT = re.compile(
    r"^[ \t]*(input|output|inout)\b[ \t]*([^;,)\n=]*?)\b([A-Za-z_]\w*)[ \t]*(?=[,;)\n=]|$)",
    re.MULTILINE,
)
_INSTANCES = 20_000
_HOLDERS = frozenset({"module", "interface", "program", "checker"})


def floor_record(inventory: Inventory) -> FileRecord:
    """Returns the record of text alone: units, ports and instances by regular expression."""
    source = inventory.source
    units, imports = assign_by_line(inventory.record.units, inventory)
    enclosing = Enclosing(units)
    instances: dict[int, list[Instance]] = {}
    for unit, name, line in instances_of_text(inventory):
        owner = enclosing.at(line)
        if owner >= 0 and units[owner].kind in _HOLDERS:
            instances.setdefault(owner, []).append(_instance(inventory, unit, name, line))
    ports: dict[int, list[Port]] = {}
    for match in _PORT.finditer(source.code):
        line = source.line_of(match.start())
        owner = enclosing.at(line)
        if owner >= 0 and units[owner].kind in _HOLDERS:
            kind = " ".join(match[2].split())[: limits.TYPE_CHARS]
            comment = inventory.comments.near(line)
            port = Port(match[3], match[1], kind, line, comment, REGEX)
            ports.setdefault(owner, []).append(port)
    return msgspec.structs.replace(
        inventory.record,
        units=tuple(
            _with(unit, ports.get(i, []), instances.get(i, [])) for i, unit in enumerate(units)
        ),
        imports=tuple(imports),
    )


def confirmed_by_text(record: FileRecord, inventory: Inventory) -> FileRecord:
    """Returns a record with the regular expressions as a witness of its units and instances.

    What looks like an instance and is none to any other reader is listed in `sightings`.
    """
    told: dict[tuple[str, str], list[int]] = {}
    for unit, name, line in instances_of_text(inventory, over_lines=True):
        told.setdefault((unit, name), []).append(line)
    named = {(unit.kind, unit.name) for unit in inventory.record.units}
    units = []
    for one in record.units:
        layers = one.layers
        if (one.kind, one.name) in named and Layer.REGEX.value not in layers:
            layers = (*layers, Layer.REGEX.value)
        instances = tuple(
            msgspec.structs.replace(item, witnesses=item.witnesses | REGEX)
            if (item.unit, item.name) in told
            else item
            for item in one.instances
        )
        units.append(msgspec.structs.replace(one, layers=layers, instances=instances))
    known = {(item.unit, item.name) for one in units for item in one.instances}
    known |= {(bind.unit, bind.name) for bind in record.binds}
    enclosing = Enclosing(units)
    alone = []
    for (unit, name), lines in told.items():
        owner = enclosing.at(lines[0])
        if (unit, name) not in known and owner >= 0 and units[owner].kind in _HOLDERS:
            what = f"{unit} {name}"
            alone.append(Sighting("instance", units[owner].name, what, lines[0], REGEX))
    return msgspec.structs.replace(
        record, units=tuple(units), sightings=(*record.sightings, *alone)[: limits.SIGHTINGS]
    )


def instances_of_text(
    inventory: Inventory, *, over_lines: bool = False
) -> Iterator[tuple[str, str, int]]:
    """Yields (unit, name, line) of what looks like an instance.

    Args:
        inventory: the text.
        over_lines: whether the ports may begin on another line than the name.
    """
    source = inventory.source
    pattern = _INSTANCE_OVER_LINES if over_lines else _INSTANCE
    for n, match in enumerate(pattern.finditer("\n" + source.code)):
        if n >= _INSTANCES:
            break
        if match[1] not in KEYWORDS and match[3] not in KEYWORDS:
            yield match[1], match[3], source.line_of(match.start(3) - 1)


def _instance(inventory: Inventory, unit: str, name: str, line: int) -> Instance:
    return Instance(
        name=name,
        unit=unit,
        line=line,
        end_line=line,
        comment=inventory.comments.of(line),
        witnesses=REGEX,
        confidence=0.5,
    )


def _with(unit: Unit, ports: list[Port], instances: list[Instance]) -> Unit:
    if not ports and not instances:
        return unit
    distinct = {port.name: port for port in reversed(ports)}
    ordered = sorted(distinct.values(), key=lambda port: (port.line, port.name))
    return msgspec.structs.replace(
        unit, ports=tuple(ordered[: limits.SIGNALS]), instances=tuple(instances)
    )
