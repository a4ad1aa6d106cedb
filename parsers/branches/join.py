"""Joins what further trees of a file read into the facts of the first one, each at its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec

from hdlgraph.model import Bind, Instance, Parameter, Process, Routine, Type, Unit
from hdlgraph.parsers.draft import Draft
from hdlgraph.parsers.finish import assign_by_line
from hdlgraph.parsers.text.inventory import Inventory
from hdlgraph.parsers.widths import Widths

_LISTS = (
    "ports", "declared_ports", "parameters", "signals", "types", "routines", "modports",
    "assertions", "gates", "defparams",
)  # fmt: skip
_NETTYPE = re.compile(r"`default_nettype[ \t]+(\w+)")


class Placing(Protocol):
    """Says which lines no tree before has read.

    Attributes:
        repairs: whether the first tree is broken and this one is not, so that what only this one
            reads is believed in all lines.
    """

    repairs: bool

    def fresh(self, line: int) -> bool:
        """Returns whether a line is new."""
        ...


@dataclass(frozen=True, slots=True)
class UnitFacts:
    """What a file holds: units in order of line, and what stands outside of any unit."""

    units: tuple[Unit, ...]
    imports: tuple[tuple[str, int], ...]
    types: tuple[Type, ...]
    routines: tuple[Routine, ...]
    parameters: tuple[Parameter, ...]
    binds: tuple[Bind, ...]


@dataclass(slots=True)
class Collected:
    """What the trees of a file hold while they are read."""

    units: list[Draft]
    outside: Draft
    binds: list[Bind] = field(default_factory=list)

    def join(self, other: Collected, at: Placing) -> None:
        """Adds what another tree has read in the lines that are new there."""
        _join_draft(self.outside, other.outside, at)
        self.binds += [bind for bind in other.binds if at.fresh(bind.line)]
        for draft in other.units:
            same = [one for one in self.units if one.name == draft.name and one.kind == draft.kind]
            mine = next((one for one in same if _is_same(one, draft, at)), None)
            if mine is not None:
                _join_draft(mine, draft, at)
            elif at.fresh(draft.line) or (at.repairs and not same):
                self.units.append(draft)

    def forget(self, lines: Collection[int]) -> None:
        """Drops what was declared in lines that cannot be read."""
        for draft in (self.outside, *self.units):
            for name in (*_LISTS, "instances"):
                kept = getattr(draft, name)
                kept[:] = [one for one in kept if one.line not in lines]

    def finish(self, inventory: Inventory) -> UnitFacts:
        """Returns the facts with their names checked against all declarations."""
        rest = self.outside.finish()
        widths = Widths(rest.parameters, rest.types)
        known = _names_outside(self.outside)
        nets = _lines_without_nets(inventory)
        units = []
        for draft in self.units:
            is_told = not self.outside.all_names and not _is_strict(nets, draft.line)
            unit = draft.finish(known if is_told else None, inventory.source.code_of)
            units.append(widths.of_unit(unit))
        units.sort(key=lambda unit: (unit.line, unit.end_line, unit.name))
        units, file_imports = assign_by_line(units, inventory)
        return UnitFacts(
            units=tuple(units),
            imports=tuple(dict.fromkeys([*rest.imports, *file_imports])),
            types=widths.outside,
            routines=rest.routines,
            parameters=rest.parameters,
            binds=tuple(sorted(self.binds, key=lambda bind: (bind.line, bind.target, bind.name))),
        )


def _is_same(mine: Draft, other: Draft, at: Placing) -> bool:
    if mine.line == other.line:
        return True
    # A header in each branch of an `ifdef, and one body for all of them.
    return at.fresh(other.line) and mine.end_line == other.end_line


def _join_draft(mine: Draft, other: Draft, at: Placing) -> None:
    for name in _LISTS:
        kept = getattr(mine, name)
        new = [one for one in getattr(other, name) if at.fresh(one.line)]
        if at.repairs:
            known = {one.name for one in kept if hasattr(one, "name")}
            lost = [one for one in getattr(other, name) if getattr(one, "name", "") not in known]
            new = [*new, *(one for one in lost if one not in new)]
        if new:
            kept[:] = sorted([*kept, *new], key=lambda one: one.line)
    mine.imports += [one for one in other.imports if at.fresh(one[1])]
    mine.exports += [one for one in other.exports if one not in mine.exports]
    mine.others |= other.others
    mine.all_names |= other.all_names
    mine.extends = mine.extends or other.extends
    _join_lines(mine.instances, other.instances, at, _key_of_instance, _instance)
    _join_lines(mine.processes, other.processes, at, lambda one: (one.line, one.kind), _process)


def _key_of_instance(one: Instance) -> tuple[Any, ...]:
    return (one.line, one.name, one.unit)


def _join_lines(
    mine: list[Any],
    others: Iterable[Any],
    at: Placing,
    key: Callable[[Any], Any],
    both: Callable[[Any, Any, Placing], Any],
) -> None:
    """Adds new items at their place; one that both have becomes what `both` makes of it."""
    places: dict[Any, int] = {}
    for number, one in enumerate(mine):
        places.setdefault(key(one), number)
    new = []
    for one in others:
        place = places.get(key(one))
        if at.fresh(one.line):
            new.append(one)
        elif place is not None:
            mine[place] = both(mine[place], one, at)
        else:  # its head depends on an `ifdef, its name does not
            new.append(one)
    if new:
        mine[:] = sorted([*mine, *new], key=lambda one: one.line)


def _instance(mine: Instance, other: Instance, at: Placing) -> Instance:
    """Returns an instance with the connections and overrides that stand in new lines."""
    new = [one for one in other.connections if at.fresh(one.line)]
    known = {name for name, _ in mine.parameters}
    rows = zip(other.parameters, other.override_witnesses, other.override_lines, strict=True)
    extra = [row for row in rows if row[0][0] not in known]
    if not new and not extra:
        return mine
    return msgspec.structs.replace(
        mine,
        connections=tuple(sorted([*mine.connections, *new], key=lambda one: one.line)),
        parameters=(*mine.parameters, *(pair for pair, _, _ in extra)),
        override_witnesses=(*mine.override_witnesses, *(bits for _, bits, _ in extra)),
        override_lines=(*mine.override_lines, *(line for _, _, line in extra)),
    )


def _process(mine: Process, other: Process, at: Placing) -> Process:  # noqa: ARG001
    """Returns a process that reads and writes what it does in either branch."""
    return msgspec.structs.replace(
        mine,
        reads=tuple(dict.fromkeys((*mine.reads, *other.reads))),
        writes=tuple(dict.fromkeys((*mine.writes, *other.writes))),
        resets=tuple(dict.fromkeys((*mine.resets, *other.resets))),
    )


def _names_outside(outside: Draft) -> set[str]:
    enums = (f.name for one in outside.types if one.kind == "enum" for f in one.fields)
    named: tuple[Any, ...] = (*outside.parameters, *outside.signals, *outside.routines)
    return {one.name for one in named} | set(enums) | outside.others


def _lines_without_nets(inventory: Inventory) -> list[tuple[int, bool]]:
    """Returns (line, whether undeclared names are errors from there on)."""
    source = inventory.source
    if "`default_nettype" not in source.code:
        return []
    return [
        (source.line_of(match.start()), match[1] == "none")
        for match in _NETTYPE.finditer(source.code)
    ]


def _is_strict(changes: list[tuple[int, bool]], line: int) -> bool:
    before = [strict for at, strict in changes if at < line]
    return before[-1] if before else False
