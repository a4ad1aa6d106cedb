"""Answers what sets or reads the register, or its field, that a question names as software does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from hdlgraph.errors import HdlgraphError
from hdlgraph.model import Location
from hdlgraph.query.answer.direct.queries import Queries
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.answer.passages.guards import guards
from hdlgraph.query.question.relation import asks_ends
from hdlgraph.results import SearchResult

LINES, FEW = 12, 3  # of RTL that are told of a field, and of each of several
FIELDS = 8  # of a register that are told
LONG = 8  # lines of a statement that are shown
NAMES = 6  # of a question that are looked up
_W = r"[A-Za-z_]\w*"
_DOTTED = re.compile(rf"(?<![\w.$/]){_W}(?:\.{_W}){{1,2}}(?![\w$/]|\.\w)")
_WORD = re.compile(rf"(?<![\w.$]){_W}(?![\w$])")
_ASKED = re.compile(r"\b(?:registers?|csrs?|fields?|bits?)\b", re.I)
_VERB = re.compile(r"\b(?:set|clear|write|drive|update|change|read|use|implement|happen)s?\b", re.I)
_READ = re.compile(r"\b(?:read|use|happen)s?\b", re.I)
"""What happens when software writes a field is done by what reads it."""
_SAYS = {"writes": "hardware sets it", "implements": "it is held", "reads": "hardware reads it"}


def add_registers(page: FactPage, question: str, queries: Queries, result: SearchResult) -> bool:
    """Adds the lines that set, hold and read a register or a field; False where none is named.

    The name is `REG.FIELD`, `BLOCK.REG.FIELD`, or has the block as a word of its own: "STATUS of
    hmac". Of a register all fields are told.
    """
    if not (_VERB.search(question) or asks_ends(question)):
        return False
    moved = {*result.stale.changed, *result.stale.removed}
    for name in list(_names(question, queries))[:NAMES]:
        try:
            blocks = queries.registers(name)["blocks"]
        except HdlgraphError:
            continue
        found = [
            (block, register, field)
            for block in blocks
            for register in block["registers"]
            for field in register["fields"]
        ]
        if len({(block["name"], register["name"]) for block, register, _ in found}) == 1:
            added = [_add(page, question, one, moved, len(found)) for one in found[:FIELDS]]
            if len(found) > FIELDS:
                page.add(f"- and {len(found) - FIELDS} more fields: `hdlgraph registers {name}`")
            return any(added)
    return False


def _names(question: str, queries: Queries) -> Iterator[str]:
    """Yields what may name a field, the ones with their block first."""
    try:
        known = {one["name"].lower() for one in queries.registers("")["blocks"]}
    except HdlgraphError:  # an index that holds no registers
        return
    blocks = [word for word in _WORD.findall(question) if word.lower() in known]
    for name in dict.fromkeys(_DOTTED.findall(question)):
        if name.count(".") == 1:
            yield from (f"{block}.{name}" for block in dict.fromkeys(blocks))
        if name.count(".") == 2 or _ASKED.search(question) or name.isupper():
            yield name
    for block in dict.fromkeys(blocks):
        for word in dict.fromkeys(_WORD.findall(question)):
            if word not in blocks and (word.isupper() or "_" in word):
                yield f"{block}.{word}"


def _add(
    page: FactPage,
    question: str,
    found: tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]],
    moved: set[str],
    several: int,
) -> bool:
    """Adds a field: what it is, and its lines of RTL; False where it has none.

    Of `several` fields each has fewer lines.
    """
    block, register, field = found
    lines = [one for one in (*field["rtl"], *register["rtl"]) if one["path"] not in moved]
    lines = [one for one in lines if one["how"] in _SAYS and one["unit"]]
    if not lines or not any(one in lines for one in field["rtl"]):
        return False
    order = ("reads", "writes", "implements") if _READ.search(question) else tuple(_SAYS)
    lines.sort(key=lambda one: order.index(one["how"]))
    name = f"{block['name']}.{register['name']}.{field['name']}"
    place = Location(field["path"], field["line"])
    means = f": {' '.join(field['text'].split())}" if field["text"] else ""
    access = f", {field['access']} to software" if field["access"] else ""
    page.add(f"{name} ({place}) is bit {_bits(field)} of its register{access}{means}")
    if not any(one["how"] == "writes" for one in lines) and not _READ.search(question):
        page.add("No line of the hardware sets it beside the register itself.")
    most = LINES if several == 1 else FEW
    for one in lines[:most]:
        _line(page, one)
    if len(lines) > most:
        page.add(f"- and {len(lines) - most} more: `hdlgraph registers {name}` lists all")
    page.add()
    return True


def _bits(field: Mapping[str, Any]) -> str:
    last = field["lsb"] + field["width"] - 1
    return f"{last}:{field['lsb']}" if last > field["lsb"] else str(last)


def _line(page: FactPage, one: Mapping[str, Any]) -> None:
    """Adds a line of RTL of a field with its statement and the conditions around it."""
    view = page.view(one["path"])
    if not 1 <= one["line"] <= len(view.source.lines):
        return
    statement = page.outline(one["path"], one["line"]).at(one["line"])
    numbers = {one["line"]}
    if statement is not None and statement.end_line - statement.line < LONG:
        numbers |= set(range(statement.line, statement.end_line + 1))
    if one["how"] != "implements":
        numbers |= guards(view, [one["line"]])
    page.add(f"- {_SAYS[one['how']]} in {one['unit']}:")
    page.code(one["path"], view.source, sorted(numbers))
