"""Reads the registers of IP-XACT components (IEEE 1685, also the former SPIRIT form)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hdlgraph.index.registers.reggen import BYTES, MOST, WIDE, number
from hdlgraph.index.registers.xml_tree import Element, XmlError, read_xml
from hdlgraph.store.design.registers import Field, Register, RegisterBlock

SIGNS = (b"accellera.org/XMLSchema", b"spiritconsortium.org/XMLSchema")
"""What stands in an IP-XACT file: its namespace."""
ENDINGS = (".ipxact", "ipxact.xml", "component.xml")
ACCESS = {
    "read-write": "rw",
    "read-only": "ro",
    "write-only": "wo",
    "read-writeonce": "rw1",
    "writeonce": "w1",
}
DEEP = 20
"""Register files inside each other."""


def read_ipxact(path: str, data: bytes) -> list[RegisterBlock]:
    """Returns a block for each memory map of a component that has registers.

    Numbers have to stand in the file: what depends on parameters is unknown.

    Raises:
        XmlError: the file is broken or too large.
    """
    if not any(sign in data for sign in SIGNS):
        return []
    component = read_xml(data)
    if component.name != "component":
        return []
    owner = component.text_of("name")
    maps = [one for one in component.get("memoryMaps").all("memoryMap") if owner]
    found = []
    for one in maps:
        registers: list[Register] = []
        for block in one.all("addressBlock"):
            base = _number(block, "baseAddress")
            _registers(block, "", base, registers, 0)
        name = owner if len(maps) == 1 else f"{owner}_{one.text_of('name')}"
        if registers:
            line = component.get("name").line
            found.append(RegisterBlock(name, "ip-xact", path, line, tuple(registers)))
    return found


def _registers(block: Element, before: str, base: int, found: list[Register], depth: int) -> None:
    for one in block.inside:
        if one.name not in ("register", "registerFile") or not one.text_of("name"):
            continue
        offset = _number(one, "addressOffset")
        at = base + offset if 0 <= base < BYTES and 0 <= offset < BYTES else -1
        name = f"{before}{one.text_of('name')}"
        if one.name == "registerFile":
            if depth >= DEEP:
                raise XmlError(f"line {one.line}: more than {DEEP} register files in each other")
            _registers(one, f"{name}.", at, found, depth + 1)
            continue
        if len(found) >= MOST:
            raise XmlError(f"line {one.line}: more than {MOST} registers")
        found.append(_register(one, name, at))


def _register(one: Element, name: str, at: int) -> Register:
    count = 1
    for dim in (*one.all("dim"), *one.get("array").all("dim")):
        count = min(count * max(0, number(_plain(dim.text), 0)), MOST)
    access = _access(one, "")
    fields = tuple(_fields(one, access))
    size = max(0, min(number(_plain(one.text_of("size")), 0), 1 << 20)) // 8
    kind = "array" if one.get("dim").text or one.get("array").inside else "register"
    return Register(name, kind, at, count, size, access, one.get("name").line, _short(one), fields)


def _fields(one: Element, access: str) -> Iterator[Field]:
    whole = one.text_of("reset", "value") or one.text_of("resets", "reset", "value")
    value = number(_plain(whole), -1)
    for part in one.all("field"):
        lsb = number(_plain(part.text_of("bitOffset")), -1)
        width = number(_plain(part.text_of("bitWidth")), 0)
        if not 0 <= lsb < WIDE or not 0 < width <= WIDE:
            lsb, width = -1, 0
        reset = part.text_of("resets", "reset", "value")
        if not reset and value >= 0 and width:
            reset = hex(value >> lsb & (1 << width) - 1)
        yield Field(
            part.text_of("name"), lsb, width, _access(part, access), "", reset,
            part.get("name").line, _short(part),
        )  # fmt: skip


def _access(one: Element, default: str) -> str:
    """Returns the access as other descriptions write it, with what a write or read changes."""
    access = one.text_of("access") or one.text_of(
        "fieldAccessPolicies", "fieldAccessPolicy", "access"
    )
    words = (
        ACCESS.get(access.lower(), access),
        one.text_of("modifiedWriteValue"),
        one.text_of("readAction"),
    )
    return " ".join(word for word in words if word) or default


def _number(one: Element, name: str) -> int:
    return number(_plain(one.text_of(name)), -1)


def _plain(text: str) -> str:
    """Returns a number without the marks of IP-XACT: `#10` and `'h10` are hexadecimal."""
    text = text.strip()
    text = f"0x{text[1:]}" if text.startswith("#") else text
    return re.sub(r"^0X", "0x", text)


def _short(one: Element) -> str:
    return " ".join(one.text_of("description").split())[:200].partition(". ")[0]
