"""Answers with the registers of a block, or the fields of a register, that a question names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hdlgraph.errors import HdlgraphError
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.results import SearchResult

MAX_LISTED = 80  # registers or fields
MAX_BLOCKS = 2  # of one name
TEXT = 90  # characters of a description
NAMES = 4  # words of a question that are looked up as registers
_WORD = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){0,2}")
_LISTED = frozenset("registers register csrs fields field bits map".split())
_ASKING = frozenset(
    "a access address addresses all an and are at available base block blocks byte default "
    "describe described do does exist explain for give has have how i in interface is ip list many "
    "me module offset offsets of on peripheral please reset resets show software tell the there to "
    "unit value values what what's where which with".split()
)


def add_register_map(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the registers or fields that a question asks for; False where it asks for none."""
    words = _WORD.findall(question)
    if not {word.lower() for word in words} & _LISTED:
        return False
    names = [word for word in dict.fromkeys(words) if word.lower() not in _ASKING | _LISTED]
    try:
        known = {one["name"].lower() for one in queries.registers("")["blocks"]}
    except HdlgraphError:  # an index that holds no registers
        return False
    blocks = [one for one in names if one.lower() in known]
    others = [one for one in names if one not in blocks]
    if len(blocks) > 1 or len(others) > 1 or not names:
        return False
    try:
        found = queries.registers(".".join((*blocks, *others)), limit=MAX_LISTED)["blocks"]
    except HdlgraphError:
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    found = [one for one in found if one["path"] not in moved][:MAX_BLOCKS]
    for block in found:
        _add_block(page, block, whole=not others)
    return bool(found)


def add_named_register(
    page: FactPage, question: str, queries: Queries, result: SearchResult
) -> bool:
    """Adds the register that a question names, with its fields; False where it names none.

    A name as software writes it (`CTRL_MODE`) is enough with its block, or where one block has it.
    Where documents lead the answer they have the register's table.
    """
    if result.routing is not None and result.routing.first == "passages":
        return False
    words = list(dict.fromkeys(_WORD.findall(question)))
    try:
        known = {one["name"].lower() for one in queries.registers("")["blocks"]}
    except HdlgraphError:  # an index that holds no registers
        return False
    blocks = [word for word in words if word.lower() in known]
    names = [word for word in words if word not in blocks and word.isupper() and len(word) > 2]
    moved = {*result.stale.changed, *result.stale.removed}
    for name in names[:NAMES]:
        for block in blocks or [""]:
            found = _having(queries, block, name, moved)
            if found and len({one["name"] for one in found}) == 1 and (block or "_" in name):
                _add_block(page, found[0], whole=False)
                return True
    return False


def _having(
    queries: Queries, block: str, name: str, moved: set[str]
) -> Sequence[Mapping[str, Any]]:
    """Returns the blocks that have a register of a name; of all blocks where `block` is ""."""
    try:
        found = queries.registers(f"{block}.{name}" if block else name, limit=MAX_LISTED)["blocks"]
    except HdlgraphError:
        return []
    return [
        one
        for one in found
        if one["path"] not in moved
        and any(register["name"].upper() == name for register in one["registers"])
    ]


def _add_block(page: FactPage, block: Mapping[str, Any], whole: bool) -> None:
    """Adds a block with its registers, or (not `whole`) the fields of those that fit."""
    registers = block["registers"]
    name = block["name"]
    if whole:
        count = block["n_registers"]
        page.state(
            f"{name} has {count} register{'s' * (count != 1)}:", block["path"], block["line"]
        )
        for one in registers:
            access = f", {one['access']}" if one["access"] else ""
            times = f" x {one['count']}" if one["count"] > 1 else ""
            text = f"- {_offset(one)} {one['name']}{times}{access}{_described(one)}"
            page.state(text, one["path"], one["line"])
        if count > len(registers):
            page.add(f"- and {count - len(registers)} more: `hdlgraph registers {name}` lists all")
        return
    for one in registers:
        fields = one["fields"]
        head = f"{name}.{one['name']} at {_offset(one)}{_described(one)}"
        count = f"{len(fields)} field{'s' * (len(fields) != 1)}"
        text = f"{head.rstrip('.')}; {count}:" if fields else head
        page.state(text, one["path"], one["line"])
        for field in fields:
            last = field["lsb"] + field["width"] - 1
            bits = f"{last}:{field['lsb']}" if last > field["lsb"] else str(last)
            facts = [f"[{bits}]", field["name"], field["access"]]
            facts += [f"reset {field['reset']}"] if field["reset"] else []
            text = f"- {' '.join(filter(None, facts))}{_described(field)}"
            page.state(text, field["path"], field["line"])
    page.add(f"`hdlgraph registers {name}` lists the lines of RTL of each field.")


def _offset(one: Mapping[str, Any]) -> str:
    return f"0x{one['offset']:x}" if one["offset"] is not None else "no offset"


def _described(one: Mapping[str, Any]) -> str:
    """Returns the first sentence of a description after a colon, "" without one."""
    text = re.split(r"(?<=[.;])\s", " ".join(one["text"].split()), maxsplit=1)[0]
    if not text:
        return ""
    return f": {text}" if len(text) <= TEXT else f": {text[: TEXT - 1].rstrip()}…"
