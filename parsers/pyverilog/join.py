"""Joins PyVerilog's view into a file's record: what it confirms, and what it alone sees.

PyVerilog's line numbers are those of a preprocessed text, so what it alone sees is looked up in the
source; what stands there in no such words (an included file or a macro says it) is left out.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import TypeVar

import msgspec

from hdlgraph.model import (
    BIT,
    Connection,
    Diagnostic,
    FileRecord,
    Instance,
    Layer,
    Parameter,
    Port,
    Scope,
    Sighting,
    Unit,
)
from hdlgraph.parsers import limits
from hdlgraph.parsers.pyverilog.parse import View
from hdlgraph.parsers.pyverilog.view import Actual, ViewInstance, ViewUnit, plain_number, text_of
from hdlgraph.parsers.text.directives import scopes_at
from hdlgraph.parsers.text.expressions import KEYWORDS, names
from hdlgraph.parsers.text.inventory import Inventory

BOTH = 1.0
"""Confidence of what slang and PyVerilog both see in plain Verilog."""
ALONE = 0.7
"""Confidence of what PyVerilog alone sees."""
NAME = Layer.PYVERILOG.value
PYVERILOG = BIT[Layer.PYVERILOG]
_BEGINS, _NOT_WITHIN = re.compile(r"(?<![\w$.`])"), re.compile(r"(?<![\w$.])")
_ENDS = re.compile(r"(?![\w$])")
_GIVEN = re.compile(r"(?![\w$])\s*(?:\[[^\]]*\]\s*)*=(?!=)")
"""What follows the name of a parameter where it is declared."""
_PORTS = re.compile(r"\s*(?:\[[^\]]*\]\s*)?\(")
T = TypeVar("T", Port, Parameter, Connection)

_NUMBER = re.compile(
    r"(?<![\w'])(?:\d[\d_]*)?\s*'[sS]?[bodhBODH]\s*[0-9a-fA-FxXzZ?_]+"
    r"|(?<![\w.'])\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?"
)


def join_view(
    record: FileRecord, by_slang: FileRecord, view: View, inventory: Inventory, *, sure: bool
) -> FileRecord:
    """Returns a record with PyVerilog as a witness of what it sees.

    Args:
        record: the record so far, all other readers joined.
        by_slang: what slang alone saw.
        view: PyVerilog's view of the preprocessed text.
        inventory: the text of the file.
        sure: whether agreement raises `confidence`, which ranks files: that is so in plain
            Verilog alone, whatever else PyVerilog reads.
    """
    if view.silent:
        if record.language != "verilog":
            return record
        note = Diagnostic(NAME, "note", 0, f"no tree: {view.silent}")
        return msgspec.structs.replace(record, diagnostics=(*record.diagnostics, note))
    of_slang = {(unit.name, unit.line) for unit in by_slang.units if unit.kind == "module"}
    units = list(record.units)
    sightings = list(record.sightings)
    for at, seen in _pairs(units, of_slang, view.units):
        is_sure = sure and (units[at].name, units[at].line) in of_slang
        joined = _UnitJoin(units[at], seen, inventory, is_sure)
        units[at] = joined.unit()
        sightings += joined.sightings
    return msgspec.structs.replace(
        record,
        units=tuple(units),
        layers=(*record.layers[:-1], NAME, record.layers[-1]),
        sightings=tuple(sightings),
    )


def _pairs(
    units: Sequence[Unit], of_slang: Collection[tuple[str, int]], views: Sequence[ViewUnit]
) -> list[tuple[int, ViewUnit]]:
    """Returns each module's place among the units with its view: same name, same turn.

    A module that slang and PyVerilog do not read (the branch of an `ifdef that is not taken)
    gets the view only if slang sees no module of its name: then slang lost it.
    """
    by_name: dict[str, list[ViewUnit]] = defaultdict(list)
    for seen in views:
        by_name[seen.name].append(seen)
    places: dict[str, list[int]] = defaultdict(list)
    for at, unit in enumerate(units):
        if unit.kind == "module" and unit.name in by_name:
            places[unit.name].append(at)
    found = []
    for name, rows in places.items():
        read = [at for at in rows if (name, units[at].line) in of_slang]
        found += list(zip(read or rows[:1], _repeated(by_name[name]), strict=False))
    return sorted(found, key=lambda pair: pair[0])


def _repeated(views: Sequence[ViewUnit]) -> Iterator[ViewUnit]:
    yield from views
    while True:
        yield views[-1]


class _UnitJoin:
    """One module and what PyVerilog sees of it."""

    def __init__(self, unit: Unit, seen: ViewUnit, inventory: Inventory, sure: bool) -> None:
        self._unit, self._seen, self._sure = unit, seen, sure
        self._inventory = inventory
        source = inventory.source
        self._start = source.starts[max(unit.line - 1, 0)]
        last = min(unit.end_line, len(source.starts) - 1)
        self._end = source.starts[last] if last < len(source.starts) else len(source.code)
        if unit.end_line >= len(source.starts):
            self._end = len(source.code)
        self.sightings: list[Sighting] = []

    def unit(self) -> Unit:
        """Returns the module with its witnesses."""
        unit = self._unit
        return msgspec.structs.replace(
            unit,
            ports=self._ports(),
            parameters=self._parameters(),
            instances=self._instances(),
            layers=(*unit.layers, NAME),
            confidence=BOTH if self._sure else unit.confidence,
        )

    def _sight(self, kind: str, name: str, line: int) -> None:
        self.sightings.append(Sighting(kind, self._unit.name, name, line, PYVERILOG))

    def _find(
        self, name: str, before: re.Pattern[str], behind: re.Pattern[str], start: int = -1
    ) -> int:
        """Returns the offset of a name in the module, of which both patterns hold; else -1."""
        code, at = self._inventory.source.code, max(start, self._start)
        while (at := code.find(name, at, self._end)) >= 0:
            if before.match(code, at) and behind.match(code, at + len(name), self._end):
                return at
            at += 1
        return -1

    def _ports(self) -> tuple[Port, ...]:
        seen = dict(self._seen.ports)
        ports = []
        for port in self._unit.ports:
            other = seen.pop(port.name, None)
            agrees = other is not None and (not other or not port.direction or
                                            other == port.direction)  # fmt: skip
            ports.append(_confirmed(port) if agrees else port)
        for name, direction in seen.items():
            line = self._line_of(name)
            if line:
                near = self._inventory.comments.near(line)
                ports.append(Port(name, direction, "", line, near, PYVERILOG))
        return tuple(ports)

    def _parameters(self) -> tuple[Parameter, ...]:
        seen = {one[0]: one for one in self._seen.parameters}
        found = [
            _confirmed(one) if seen.pop(one.name, None) else one for one in self._unit.parameters
        ]
        for name, kind, value in seen.values():
            # One that only an include declares stands there; here the name is used alone.
            line = self._line_of(name, _GIVEN)
            if line:
                default = text_of(value)[: limits.EXPRESSION_CHARS]
                near = self._inventory.comments.near(line)
                found.append(Parameter(name, kind, "", default, line, near, PYVERILOG))
        return tuple(found)

    def _line_of(self, name: str, behind: re.Pattern[str] = _ENDS) -> int:
        at = self._find(name, _BEGINS, behind)
        return self._inventory.source.line_of(at) if at >= 0 else 0

    def _instances(self) -> tuple[Instance, ...]:
        seen: dict[tuple[str, str], list[ViewInstance]] = defaultdict(list)
        for one in self._seen.instances:
            seen[one.unit, one.name].append(one)
        known = set(seen)
        found = []
        for instance in self._unit.instances:
            key = (instance.unit, instance.name)
            if seen.get(key):
                instance = self._with_view(instance, seen[key].pop(0))
            if self._sure and key in known:
                instance = msgspec.structs.replace(instance, confidence=BOTH)
            found.append(instance)
        extra = [made for rest in seen.values() for one in rest if (made := self._made(one))]
        if extra:
            found = sorted([*found, *extra], key=lambda item: (item.line, item.name))
        return tuple(found)

    def _with_view(self, instance: Instance, seen: ViewInstance) -> Instance:
        """Returns an instance of the record with its own and its actuals' witnesses."""
        overrides = {one.name or f"#{one.position}": one for one in seen.overrides}
        witnesses = []
        for (name, value), bits in zip(
            instance.parameters, instance.override_witnesses, strict=True
        ):
            other = overrides.get(name)
            witnesses.append(bits | PYVERILOG if other and _same_value(value, other) else bits)
        bindings = {one.name or one.position: one for one in seen.bindings}
        connections = []
        for item in instance.connections:
            other = bindings.pop(item.port or item.position, None)
            if other and _same_actual(item, other):
                item = _confirmed(item)
            elif other and not item.expr:
                item = self._connection(other, item.line)  # lost by the others, not left open
            elif other:
                self._sight("binding", f"{instance.name}.{item.port or item.position}", item.line)
            connections.append(item)
        if "*" not in {item.port for item in connections}:
            connections += [self._connection(one, instance.line) for one in bindings.values()]
        return msgspec.structs.replace(
            instance,
            witnesses=instance.witnesses | PYVERILOG,
            override_witnesses=tuple(witnesses),
            connections=tuple(connections),
        )

    def _connection(self, one: Actual, line: int) -> Connection:
        return Connection(
            port=one.name,
            expr=text_of(one.node)[: limits.EXPRESSION_CHARS],
            signals=tuple(sorted(one.names)),
            line=line,
            position=-1 if one.name else one.position,
            witnesses=PYVERILOG,
        )

    def _made(self, seen: ViewInstance) -> Instance | None:
        """Returns an instance that PyVerilog alone sees, None where the text has no such words."""
        unit = re.escape(seen.unit)
        code, at = self._inventory.source.code, self._start - 1
        while (at := self._find(seen.name, _NOT_WITHIN, _PORTS, at + 1)) >= 0:
            begin = max(code.rfind(";", self._start, at), self._start)
            if re.search(rf"(?<![\w$.]){unit}(?![\w$])", code[begin:at]):
                break
        if at < 0:
            return None
        line = self._inventory.source.line_of(at)
        close = code.find(";", at, self._end)
        scopes = tuple(Scope(label, "", line) for label in seen.labels)
        return Instance(
            name=seen.name,
            unit=seen.unit,
            line=line,
            end_line=self._inventory.source.line_of(close) if close >= 0 else line,
            parameters=tuple(
                (one.name or f"#{one.position}", text_of(one.node)[: limits.EXPRESSION_CHARS])
                for one in seen.overrides
            ),
            connections=tuple(self._connection(one, line) for one in seen.bindings),
            scopes=(*scopes_at(self._inventory.regions, line), *scopes),
            comment=self._inventory.comments.of(line),
            witnesses=PYVERILOG,
            confidence=ALONE,
            override_witnesses=(PYVERILOG,) * len(seen.overrides),
        )


def _confirmed(fact: T) -> T:
    return msgspec.structs.replace(fact, witnesses=fact.witnesses | PYVERILOG)


def _same_actual(item: Connection, seen: Actual) -> bool:
    """Returns whether both readers see the same names in what is connected to a port."""
    if seen.node is None or not item.expr:
        return seen.node is None and not item.expr
    if "`" in item.expr or "\\" in item.expr:
        return True  # PyVerilog reads what macros stand for
    if len(item.expr) >= limits.EXPRESSION_CHARS:
        return seen.names >= set(item.signals)
    return {name for name in seen.names if name not in KEYWORDS} == set(names(item.expr))


def _same_value(value: str, seen: Actual) -> bool:
    """Returns whether both readers see the same names and numbers in an override."""
    if "`" in value or "\\" in value or len(value) >= limits.EXPRESSION_CHARS:
        return True
    if seen.node is None or not value:
        return seen.node is None and not value
    numbers = {plain_number(number) for number in _NUMBER.findall(value.partition('"')[0])}
    mine = {name for name in seen.names if name not in KEYWORDS}
    return mine == set(names(value)) and ('"' in value or numbers == seen.constants)
