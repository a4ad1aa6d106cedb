"""Reads ports and instances by regular expression: for files that no parser can read."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from hdlgraph.parsers import limits
from hdlgraph.parsers.finish import Enclosing, assign_by_line
from hdlgraph.parsers.text.expressions import KEYWORDS
from hdlgraph.parsers.text.inventory import Inventory

from hdlgraph.model import FileRecord, Instance, Layer, Port, Unit

_INSTANCE = re.compile(
    r"^[ \t]*([A-Za-z_][\w$]*)[ \t\r\n]+(?:#[ \t\r\n]*\(((?:[^()]|\((?:[^()]|\([^()]*\)){0,200}\))"
    r"{0,400})\)[ \t\r\n]*)?([A-Za-z_][\w$]*)[ \t]*(?:\[[^\]\n]*\][ \t]*)?\(",
    re.MULTILINE,
)
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
            ports.setdefault(owner, []).append(Port(match[3], match[1], kind, line, comment))
    return msgspec.structs.replace(
        inventory.record,
        units=tuple(
            _with(unit, ports.get(i, []), instances.get(i, [])) for i, unit in enumerate(units)
        ),
        imports=tuple(imports),
    )


def instances_of_text(inventory: Inventory) -> Iterator[tuple[str, str, int]]:
    """Yields (unit, name, line) of what looks like an instance."""
    source = inventory.source
    for n, match in enumerate(_INSTANCE.finditer(source.code)):
        if n >= _INSTANCES:
            break
        if match[1] not in KEYWORDS and match[3] not in KEYWORDS:
            yield match[1], match[3], source.line_of(match.start(3))


def _instance(inventory: Inventory, unit: str, name: str, line: int) -> Instance:
    return Instance(
        name=name,
        unit=unit,
        line=line,
        end_line=line,
        comment=inventory.comments.of(line),
        layers=(Layer.REGEX.value,),
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
