"""Finds the registers and fields that a name means: a block, `ctrl`, `uart.CTRL.TX`, or a unit."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from hdlgraph.errors import UsageError
from hdlgraph.model import Location
from hdlgraph.store.design.registers import Field, Register, RegisterBlock, RtlLine

BRIEF, FULL = 3, 50
"""Lines of RTL of a field that are listed: of a whole block, and of a register or field."""
SUGGESTED = 5
NOTHING = (
    "no description of registers was found in the repository; `hdlgraph index` names those that "
    "cannot be read"
)
_PREFIX = re.compile(r"^\w*(?:reg2hw|hw2reg)\w*\.")
_WIRE = re.compile(r"\.(?:q|qe|re|d|de)$")
_INDEX = re.compile(r"\[[^\]]{0,40}\]")


class Selected(NamedTuple):
    """A block with the registers and fields that were asked for."""

    block: RegisterBlock
    registers: tuple[Register, ...]


def overview(blocks: Sequence[RegisterBlock]) -> dict[str, Any]:
    """Returns all blocks with their counts, without their registers."""
    return {"schema": 1, "name": "", "blocks": [_head(one, one.registers) for one in blocks]}


def registers(blocks: Sequence[RegisterBlock], name: str, limit: int = 0) -> dict[str, Any]:
    """Returns the blocks, registers and fields that a name means, each with its lines of RTL.

    Args:
        blocks: all blocks.
        name: of a block (`uart`), a register or field (`CTRL`, `uart.CTRL.TX`, `reg2hw.ctrl.tx.q`,
            `ctrl_tx`; small and capital letters are the same), or of a unit that uses registers.
        limit: most lines of RTL of a field; 0 for few of a block and more of a register.

    Raises:
        UsageError: nothing has the name; the message holds the nearest names.
    """
    key = _plain(name)
    whole = [Selected(one, one.registers) for one in blocks if one.name.lower() == key]
    found = whole or [*_named(blocks, key)] or [*_of_unit(blocks, key)]
    if not found:
        raise UsageError(_unknown(blocks, name, key))
    most = limit or (BRIEF if whole else FULL)
    records = [
        {
            **_head(one.block, one.registers),
            "registers": [_register(one.block, register, most) for register in one.registers],
        }
        for one in found
    ]
    return {"schema": 1, "name": name, "blocks": records}


def called(blocks: Iterable[RegisterBlock], name: str) -> list[tuple[str, Location]]:
    """Returns the registers that are called exactly so, as BLOCK.NAME, with their places."""
    return [
        (f"{block.name}.{register.name}", Location(block.path, register.line))
        for block in blocks
        for register in block.registers
        if name in (register.name, f"{block.name}.{register.name}")
    ]


def best_matching(blocks: Iterable[RegisterBlock], text: str) -> list[tuple[str, Location]]:
    """Returns the registers whose names and descriptions have most words of a text.

    Of several those count whose names have most of them.
    """
    words = set(re.findall(r"[a-z0-9]+", text.lower()))
    found: dict[tuple[int, int], list[tuple[str, Location]]] = {}
    for block in blocks:
        for register in block.registers:
            text_of, name = _register_text(block, register), f"{block.name}.{register.name}"
            have = [sum(one in text for one in words) for text in (text_of, name.lower())]
            place = (name, Location(block.path, register.line))
            found.setdefault((have[0], have[1]), []).append(place)
    most = max(found, default=(0, 0))
    return found[most] if most[0] else []


def _register_text(block: RegisterBlock, register: Register) -> str:
    names = (block.name, register.name, *(one.name for one in register.fields))
    return " ".join((*names, register.text, *(one.text for one in register.fields))).lower()


def _plain(name: str) -> str:
    """Returns a name without the struct before it, the wire behind it, and indices."""
    bare = _INDEX.sub("", name.strip()).lower()
    return _WIRE.sub("", _PREFIX.sub("", bare))


def _named(blocks: Iterable[RegisterBlock], key: str) -> Iterator[Selected]:
    """Yields the blocks with the registers, or else with the fields, of a name."""
    found = [*_each(blocks, lambda block, register: _is_register(block, register, key))]
    yield from found or _each(blocks, lambda block, register: _with_fields(block, register, key))


def _each(
    blocks: Iterable[RegisterBlock],
    keep: Callable[[RegisterBlock, Register], Register | None],
) -> Iterator[Selected]:
    for block in blocks:
        kept = tuple(found for one in block.registers if (found := keep(block, one)) is not None)
        if kept:
            yield Selected(block, kept)


def _is_register(block: RegisterBlock, register: Register, key: str) -> Register | None:
    name = register.name.lower()
    copy = register.kind == "array" and re.sub(r"_?\d+$", "", key) in _names(block, name)
    return register if key in _names(block, name) or copy else None


def _with_fields(block: RegisterBlock, register: Register, key: str) -> Register | None:
    name = register.name.lower()
    kept = tuple(field for field in register.fields if _is_field(block, name, field, key))
    return register._replace(fields=kept) if kept else None


def _is_field(block: RegisterBlock, register: str, field: Field, key: str) -> bool:
    name = field.name.lower()
    both = (f"{register}.{name}", f"{register}_{name}")
    return key == name or any(key in _names(block, one) for one in both)


def _names(block: RegisterBlock, name: str) -> tuple[str, str]:
    return name, f"{block.name.lower()}.{name}"


def _of_unit(blocks: Iterable[RegisterBlock], key: str) -> Iterator[Selected]:
    """Yields the registers that a unit implements or uses, with the lines inside it alone."""
    key = key.rpartition("#")[2]
    for block in blocks:
        kept = []
        for register in block.registers:
            fields = tuple(
                field._replace(rtl=rtl)
                for field in register.fields
                if (rtl := _inside(field.rtl, key))
            )
            rtl = _inside(register.rtl, key)
            if fields or rtl:
                kept.append(register._replace(fields=fields, rtl=rtl))
        if kept:
            yield Selected(block, tuple(kept))


def _inside(lines: Iterable[RtlLine], unit: str) -> tuple[RtlLine, ...]:
    return tuple(one for one in lines if one.unit.lower() == unit)


def _unknown(blocks: Sequence[RegisterBlock], name: str, key: str) -> str:
    """Returns the message for an unknown name, with the names nearest to it."""
    short = name.strip()[:200]
    if not blocks:
        return f"{short!r}: {NOTHING}"
    places: dict[str, tuple[str, Location]] = {}
    for block in blocks:
        places.setdefault(block.name.lower(), (block.name, Location(block.path, block.line)))
        for one in block.registers:
            full_name = f"{block.name}.{one.name}"
            at = Location(block.path, one.line)
            for known in (one.name.lower(), full_name.lower()):
                places.setdefault(known, (full_name, at))
            for field in one.fields:
                at = Location(block.path, field.line)
                name_in = f"{one.name}.{field.name}"
                for known in (field.name, name_in, f"{block.name}.{name_in}"):
                    places.setdefault(known.lower(), (f"{block.name}.{name_in}", at))
    near = difflib.get_close_matches(key[:100], places, n=SUGGESTED, cutoff=0.7)
    hint = ", ".join(f"{places[one][0]} ({places[one][1]})" for one in near)
    end = f"did you mean {hint}?" if near else "`hdlgraph registers` lists the blocks"
    return f"no block, register, field or unit with registers is called {short!r}; {end}"


def _head(block: RegisterBlock, kept: Sequence[Register]) -> dict[str, Any]:
    fields = [field for register in kept for field in register.fields]
    return {
        "name": block.name,
        "format": block.format,
        **_place(block.path, block.line),
        "n_registers": len(kept),
        "n_fields": len(fields),
        "n_linked": sum(1 for field in fields if field.rtl),
    }


def _place(path: str, line: int) -> dict[str, Any]:
    return {"path": path, "line": line, "location": str(Location(path, line))}


def _register(block: RegisterBlock, one: Register, most: int) -> dict[str, Any]:
    return {
        "name": one.name,
        "kind": one.kind,
        "offset": one.offset,
        "count": one.copies,
        "size": one.size,
        "access": one.access,
        **_place(block.path, one.line),
        "text": one.text,
        **_lines(one.rtl, most),
        "fields": [_field(block, field, most) for field in one.fields],
    }


def _field(block: RegisterBlock, one: Field, most: int) -> dict[str, Any]:
    return {
        "name": one.name,
        "lsb": one.lsb,
        "width": one.width,
        "access": one.access,
        "hardware": one.hardware,
        "reset": one.reset,
        **_place(block.path, one.line),
        "text": one.text,
        **_lines(one.rtl, most),
    }


def _lines(lines: Sequence[RtlLine], most: int) -> dict[str, Any]:
    listed = [
        {
            **_place(one.path, one.line),
            "how": one.how,
            "name": one.name,
            "unit": one.unit,
            "whole": one.whole,
        }
        for one in lines[:most]
    ]
    return {"rtl": listed, "n_rtl": len(lines)}
