"""Finds where RTL uses the structs that register generators make: `reg2hw.ctrl.tx.q` and the like.

`NAME_reg2hw_t` brings values of registers to the hardware and `NAME_hw2reg_t` takes values of the
hardware to the registers (OpenTitan's generator); `NAME__out_t` and `NAME__in_t` are those of
PeakRDL. Ports and signals of such a type may have any name.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from hdlgraph.model import Unit
from hdlgraph.model.unit import Port, Signal
from hdlgraph.parsers.text.source import line_starts, without_comments

READS, WRITES, IMPLEMENTS = "reads", "writes", "implements"
STORAGE = "field_storage"
"""The struct of PeakRDL's modules that holds the values of all fields."""
USES = 20_000
"""Uses inside a unit that are looked at."""
LOOK_BACK = 2000
"""Characters before a use in which its statement begins."""
_STRUCT = re.compile(r"(?:\w+::)?(\w+?)_(reg2hw|hw2reg)_(?:(\w+)_m?reg_)?t\b")
_HWIF = re.compile(r"(?:\w+::)?(\w+?)__(in|out)_t\b")
_STEP = re.compile(r"\[[^\[\]\n]{0,200}(?:\[[^\[\]\n]{0,80}\][^\[\]\n]{0,80}){0,4}\]|\s?\.\s?(\w+)")
_BEGIN = re.compile(r"(?:;|\b(?:begin|end|else|endcase|generate|always_comb|always_latch)\b)")
_ASSIGN = re.compile(r"(?<![=!<>])<?=(?!=)")
_ASSIGNED = re.compile(r"\s{0,200}<?=(?!=)")
_TEST = re.compile(r"\b(?:if|case[xz]?|while|posedge|negedge|assert)\b")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_ENDS = frozenset({"q", "qe", "re", "d", "de"})
"""Members that say which wire of a field is meant."""


class Struct(NamedTuple):
    """What a port or signal of a register struct stands for.

    `block` is the block of registers, `register` the register where the struct is of one alone;
    both in small letters. `to_hardware` says that it brings values to the hardware,
    `own` that the unit is the one that holds the registers.
    """

    block: str
    register: str
    to_hardware: bool
    own: bool = False


class Reference(NamedTuple):
    """A use of a register struct; `members` are the names behind it in small letters."""

    struct: Struct
    members: tuple[str, ...]
    line: int
    text: str
    how: str


def structs_of(unit: Unit) -> dict[str, Struct]:
    """Returns the ports and signals of a unit that are of a register struct, by name."""
    found: dict[str, Struct] = {}
    declared: tuple[Port | Signal, ...] = (*unit.ports, *unit.signals)
    for one in declared:
        match = _STRUCT.search(one.type)
        if match:
            register = (match[3] or "").lower()
            out = match[2] == "reg2hw"
            own = out and not register and getattr(one, "direction", "") == "output"
            found[one.name] = Struct(match[1].lower(), register, out, own)
        elif match := _HWIF.search(one.type):
            block, out = match[1].lower(), match[2] == "out"
            own = getattr(one, "direction", "") == ("output" if out else "input")
            found[one.name] = Struct(block, "", out, own)
            if own:
                found[STORAGE] = found[one.name]
    return found


class Code:
    """The text of a file without comments and strings, and where its lines begin."""

    def __init__(self, text: str) -> None:
        bare = without_comments(text)
        self.text = _STRING.sub(lambda found: " " * len(found[0]), bare)
        self._starts = line_starts(self.text)

    def line_of(self, offset: int) -> int:
        """Returns the line, from 1, of a character."""
        return bisect_right(self._starts, offset)

    def span(self, line: int, end_line: int) -> tuple[int, int]:
        """Returns the offsets of the first character of a line and of the end of another."""
        last = len(self._starts)
        begin = self._starts[min(line, last) - 1]
        return begin, self._starts[end_line] if end_line < last else len(self.text)


def references(code: Code, unit: Unit, structs: Mapping[str, Struct]) -> Iterator[Reference]:
    """Yields the uses of register structs inside a unit, by place."""
    begin, end = code.span(unit.line, unit.end_line)
    names = sorted(filter(None, structs), key=len, reverse=True)
    uses = _uses(names).finditer(code.text, begin, end) if names else iter(())
    for found in islice(uses, USES):
        members, stop = _members(code.text, found.end(), end)
        if members:
            struct = structs[found[0]]
            text = " ".join(code.text[found.start() : stop].split())
            how = _how(code.text, found.start(), stop, struct.to_hardware)
            if struct.to_hardware and how == WRITES and not struct.own:
                continue  # an own value of that type, of which the register knows nothing
            how = IMPLEMENTS if struct.own else how
            yield Reference(struct, members, code.line_of(found.start()), text, how)


def _uses(names: Sequence[str]) -> re.Pattern[str]:
    """Returns a pattern of names; their first letters come first, as all else is passed over."""
    first = "".join(re.escape(letter) for letter in dict.fromkeys(name[0] for name in names))
    each = "|".join(f"(?<={re.escape(name[0])}){re.escape(name[1:])}" for name in names)
    return re.compile(rf"[{first}](?<![\w.$`].)(?:{each})(?![\w$])")


def _members(text: str, at: int, end: int) -> tuple[tuple[str, ...], int]:
    """Returns the names behind a struct in small letters, and where they end."""
    found: list[str] = []
    while at < end and len(found) < 16 and (step := _STEP.match(text, at, end)):
        if step[1]:
            found.append(step[1].lower())
        at = step.end()
    return tuple(found), at


def _how(text: str, begin: int, end: int, to_hardware: bool) -> str:
    """Returns whether a use reads or writes, by the side of the assignment it stands on."""
    # Behind the last semicolon, which begins a statement too.
    least = max(0, begin - LOOK_BACK)
    before = text[max(least, text.rfind(";", least, begin) + 1) : begin]
    before = before[max((found.end() for found in _BEGIN.finditer(before)), default=0) :]
    if _ASSIGN.search(before) or _TEST.search(before):
        return READS
    if before.count("(") <= before.count(")") and _ASSIGNED.match(text, end):
        return WRITES
    return READS if to_hardware else WRITES


def wire(name: str) -> bool:
    """Returns whether a member of a struct is a wire of a field and no field."""
    return name in _ENDS
