"""Which cells a module of a technology map stands for: a synthesiser puts it in their place.

Such modules say so by the attribute `techmap_celltype`, else by their own name: that of an internal
cell, as `$_DFF_P_`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, product

import msgspec

from hdlgraph.model import FileRecord, Unit
from hdlgraph.parsers.text.inventory import Inventory
from hdlgraph.parsers.text.source import Source

CELLS = 256
"""Cells of one module."""
LISTED = 4000
"""Attributes of one file."""
_ATTRIBUTE = re.compile(
    r"\(\*[^*()]{0,400}?\btechmap_celltype\s*=\s*\"([^\"]{0,4000})\"[^*()]{0,400}\*\)"
    r"(?:\s{0,200}\(\*[^*]{0,400}\*\)){0,8}\s{0,200}(?:macro)?module\s+(\\\S+|[A-Za-z_$][\w$]*)"
)
_CHOICE = re.compile(r"\[([^\[\]^-]{1,16})\]")
_OPEN = re.compile(r"[*?\[\]]")
_MAPS = re.compile(r"(?<![\w$])_TECHMAP_[A-Z]")


def with_cells(record: FileRecord, inventory: Inventory) -> FileRecord:
    """Returns the record, its modules with the cells that they stand for."""
    source = inventory.source
    if "techmap" not in source.code and "_TECHMAP_" not in source.code:
        return record
    told = _attributes(source)
    is_map = bool(told) or _MAPS.search(source.code) is not None
    units = [_told(unit, told, is_map, source) for unit in record.units]
    return msgspec.structs.replace(record, units=tuple(units))


def _attributes(source: Source) -> dict[tuple[str, int], tuple[tuple[str, int], ...]]:
    """Returns the cells of attributes, each with its line, by name and line of the module."""
    found = {}
    for match in islice(_ATTRIBUTE.finditer(source.bare), LISTED):
        cells: list[tuple[str, int]] = []
        for word in re.finditer(r"\S+", match[1]):
            if len(cells) >= CELLS:
                break
            line = source.line_of(match.start(1) + word.start())
            cells += [(name, line) for name in _named(word[0].removeprefix("\\"))]
        place = (match[2].removeprefix("\\"), source.line_of(match.start(2)))
        found[place] = tuple(cells[:CELLS])
    return found


def _named(pattern: str) -> Iterator[str]:
    """Yields the cells that a pattern names, as `$_DFF_[NP]_`; none of one that has no end."""
    parts = _CHOICE.split(pattern)
    if any(_OPEN.search(part) for part in parts[::2]):
        return
    choices = [sorted(set(part)) if at % 2 else [part] for at, part in enumerate(parts)]
    yield from islice(("".join(one) for one in product(*choices)), CELLS)


def _told(
    unit: Unit,
    told: dict[tuple[str, int], tuple[tuple[str, int], ...]],
    is_map: bool,
    source: Source,
) -> Unit:
    """Returns a unit with its cells; `is_map` says that its file is a technology map."""
    cells = told.get((unit.name, unit.line))
    if cells is None and unit.kind == "module" and is_map:
        code = source.code_of(unit.line, unit.end_line)
        if unit.name.startswith("$") or _MAPS.search(code):
            cells = ((unit.name, unit.line),)
    return msgspec.structs.replace(unit, cells=cells) if cells else unit
