"""Links registers and fields to the RTL that implements and uses them, by the names they share."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from hdlgraph.index.kept.functions import kept
from hdlgraph.index.registers.references import Code, Struct, references, structs_of, wire
from hdlgraph.model import FileRecord, Unit
from hdlgraph.model.paths import shared_folders
from hdlgraph.model.unit import Port, Signal
from hdlgraph.store.design.registers import Register, RegisterBlock, RtlLine

TOP, PACKAGE = "_reg_top", "_reg_pkg"
"""How the module and the package end that the generator makes of a block."""
LINES = 500
"""Most lines of RTL that are kept of one field or register."""
ORDER = {"implements": 0, "declares": 1, "writes": 2, "reads": 3}
_CONSTANT = re.compile(r"^[ \t]*assign[ \t]+(\w+)_qs[ \t]*=", re.MULTILINE)
_AFFIX = re.compile(r"^(?:reg|r)_|_(?:q|reg|r|ff|o|i)$")
"""What names of signals have besides the name of a field."""
_HOLDERS = re.compile(r"_(?:regs?|registers|csrs?)$")
"""How the unit with the registers of a block may end, besides the generator's."""
_NUMBERS = re.compile(r"_?\d+")


TextOf = Callable[[str, str], str]
"""Returns the text of a file, given its path and SHA-256."""


class Found(NamedTuple):
    """A line of RTL and what it names: `members` of a struct, or one `cell` or `parameter`."""

    line: RtlLine
    members: tuple[str, ...] = ()
    cell: str = ""


_Spoken = tuple[str, str, tuple[Found, ...]]
"""A block of registers, the unit that speaks of it, and its lines."""


class Evidence:
    """The lines of RTL that speak of registers, of all files.

    Args:
        records: the facts of all files, sorted by path.
        blocks: the blocks that count.
        text_of: returns the text of a file, given its path and SHA-256.
    """

    def __init__(
        self, records: Iterable[FileRecord], blocks: Sequence[RegisterBlock], text_of: TextOf
    ) -> None:
        self._places: dict[str, list[str]] = defaultdict(list)
        for block in blocks:
            self._places[block.name.lower()].append(block.path)
        named = named_in(blocks)
        self._found: dict[str, dict[tuple[str, str], list[Found]]] = defaultdict(dict)
        for record in records:
            for name, unit, found in in_file(record, named, text_of=text_of):
                self._found[name].setdefault((unit, record.path), []).extend(found)

    def of(self, block: RegisterBlock) -> Iterator[Found]:
        """Yields what is known of a block; of units of one name those nearest to its file.

        What lies nearer to another block of the name speaks of that one.
        """
        others = [path for path in self._places[block.name.lower()] if path != block.path]
        units: dict[str, list[str]] = defaultdict(list)
        found = self._found.get(block.name.lower(), {})
        for unit, path in found:
            units[unit].append(path)
        for unit, paths in sorted(units.items()):
            nearest = min(paths, key=lambda path: (-shared_folders(block.path, path), path))
            own = shared_folders(block.path, nearest)
            if all(shared_folders(other, nearest) <= own for other in others):
                yield from found[unit, nearest]


def named_in(blocks: Iterable[RegisterBlock]) -> frozenset[str]:
    """Returns the names of blocks as lines of RTL are looked for by them, in lower case."""
    return frozenset(block.name.lower() for block in blocks)


@kept
def in_file(record: FileRecord, named: frozenset[str], *, text_of: TextOf) -> tuple[_Spoken, ...]:
    """Returns (block, unit, lines) of what a file says of the blocks that are named."""
    return tuple(_in_file(record, named, text_of))


def _in_file(record: FileRecord, named: frozenset[str], text_of: TextOf) -> Iterator[_Spoken]:
    code: Code | None = None
    for unit in record.units:
        known = {n: s for n, s in structs_of(unit).items() if s.block in named}
        top = _block(unit.name, TOP, named) if unit.instances else ""
        if top:
            yield top, unit.name, tuple(_cells(record.path, unit))
        package = _block(unit.name, PACKAGE, named)
        if package:
            yield package, unit.name, tuple(_offsets(record.path, unit, package))
        holder = _HOLDERS.sub("", unit.name.lower())
        if holder in named:
            yield holder, unit.name, tuple(_signals(record.path, unit))
        if not known and not top:
            continue
        code = code or Code(text_of(record.path, record.sha256))
        if top:
            yield top, unit.name, tuple(_constants(record.path, unit, code))
        else:
            yield from _uses(record.path, unit, known, code)


def _block(name: str, end: str, named: frozenset[str]) -> str:
    block = name[: -len(end)].lower() if name.lower().endswith(end) else ""
    return block if block in named else ""


def _uses(path: str, unit: Unit, known: Mapping[str, Struct], code: Code) -> Iterator[_Spoken]:
    for one in references(code, unit, known):
        line = RtlLine(path, one.line, one.how, one.text, unit.name)
        members = (one.struct.register, *one.members) if one.struct.register else one.members
        yield one.struct.block, unit.name, (Found(line, members),)


def _cells(path: str, unit: Unit) -> Iterator[Found]:
    for one in unit.instances:
        name = one.name.rpartition(".")[2]
        cell = name.lower().removeprefix("u_")
        yield Found(RtlLine(path, one.line, "implements", name, unit.name), cell=cell)


def _constants(path: str, unit: Unit, code: Code) -> Iterator[Found]:
    """Yields the fields that are a constant in the module of a block, and have no cell."""
    for found in _CONSTANT.finditer(code.text, *code.span(unit.line, unit.end_line)):
        line = code.line_of(found.start(1))
        name = f"{found[1]}_qs"
        yield Found(RtlLine(path, line, "implements", name, unit.name), cell=found[1].lower())


def _offsets(path: str, unit: Unit, block: str) -> Iterator[Found]:
    for one in unit.parameters:
        name = one.name.lower()
        if name.endswith("_offset") and name.startswith(f"{block}_"):
            cell = f"={name[len(block) + 1 : -len('_offset')]}"
            yield Found(RtlLine(path, one.line, "declares", one.name, unit.name), cell=cell)


def _signals(path: str, unit: Unit) -> Iterator[Found]:
    """Yields the ports and signals of a unit; such as have the name of a field count."""
    declared: tuple[Port | Signal, ...] = (*unit.ports, *unit.signals)
    for one in declared:
        name = _AFFIX.sub("", one.name.lower())
        line = RtlLine(path, one.line, "declares", one.name, unit.name)
        yield Found(line, cell=f"~{name}")


def link(block: RegisterBlock, found: Iterable[Found]) -> RegisterBlock:
    """Returns a block with the lines of RTL of each register and field."""
    names = _Names(block.registers)
    lines: dict[tuple[int, int], list[RtlLine]] = defaultdict(list)
    for one in found:
        if one.cell.startswith("~") and block.format == "hjson":
            continue  # what its generator makes is surer than names
        place = names.of_members(one.members) if one.members else names.of_cell(one.cell)
        if place is None:
            continue
        at, field = place
        fields = block.registers[at].fields
        if field >= 0 or not fields or one.line.how == "declares":
            lines[at, field].append(one.line)
        else:
            for number in range(len(fields)):
                lines[at, number].append(one.line._replace(whole=True))
    return block._replace(
        registers=tuple(_linked(register, at, lines) for at, register in enumerate(block.registers))
    )


def _linked(
    register: Register, at: int, lines: Mapping[tuple[int, int], Sequence[RtlLine]]
) -> Register:
    fields = tuple(
        field._replace(rtl=_sorted(lines.get((at, number), ())))
        for number, field in enumerate(register.fields)
    )
    return register._replace(fields=fields, rtl=_sorted(lines.get((at, -1), ())))


def _sorted(lines: Sequence[RtlLine]) -> tuple[RtlLine, ...]:
    key = lambda one: (one.whole, ORDER[one.how], one.path, one.line, one.name)  # noqa: E731
    return tuple(sorted(dict.fromkeys(lines), key=key)[:LINES])


class _Names:
    """Finds a register and field by the names that a generator gives them.

    A place is (number of the register, number of the field or -1 for the register as a whole).
    """

    def __init__(self, registers: Sequence[Register]) -> None:
        self._registers = registers
        self._by_name = {one.name.lower(): at for at, one in enumerate(registers)}
        self._fields = [
            {field.name.lower(): number for number, field in enumerate(one.fields)}
            for one in registers
        ]
        self._cells: dict[str, tuple[int, int]] = {}
        for at, one in enumerate(registers):
            for name, number in self._fields[at].items():
                self._cells.setdefault(f"{_flat(one.name)}_{name}", (at, number))
            self._cells[_flat(one.name)] = (at, 0 if len(one.fields) == 1 else -1)
        self._arrays = sorted(
            ((one.name.lower(), at) for at, one in enumerate(registers) if one.kind == "array"),
            key=lambda pair: -len(pair[0]),
        )

    def of_members(self, members: Sequence[str]) -> tuple[int, int] | None:
        """Returns the place that members of a struct name, None where they name none."""
        for count in range(len(members), 0, -1):
            at = self._by_name.get(".".join(members[:count]))
            if at is None:
                continue
            rest = members[count:]
            if rest and rest[0] in self._fields[at]:
                return at, self._fields[at][rest[0]]
            if not rest or wire(rest[0]):
                return at, 0 if len(self._registers[at].fields) == 1 else -1
        return None

    def of_cell(self, name: str) -> tuple[int, int] | None:
        """Returns the place of a cell, of an offset (`=NAME`) or of a signal (`~NAME`)."""
        if name.startswith("="):
            at = self._by_name.get(name[1:])
            at = self._by_name.get(re.sub(r"_\d+$", "", name[1:])) if at is None else at
            return None if at is None else (at, -1)
        if name in self._cells or name.startswith("~"):
            return self._cells.get(name.removeprefix("~"))
        for array, at in self._arrays:
            if name.startswith(array):
                rest = _NUMBERS.match(name, len(array))
                place = self._in_array(at, name[rest.end() if rest else len(array) :])
                if place is not None:
                    return place
        return None

    def _in_array(self, at: int, rest: str) -> tuple[int, int] | None:
        """Returns the place in an array of what follows its name, as `_en_a_3`."""
        only = 0 if len(self._fields[at]) == 1 else -1
        if not rest:
            return at, only
        if not rest.startswith("_"):
            return None
        bare = re.sub(r"_?\d+$", "", rest[1:])
        for name in (rest[1:], bare):
            if name in self._fields[at]:
                return at, self._fields[at][name]
        return None


def _flat(name: str) -> str:
    return name.lower().replace(".", "_")
