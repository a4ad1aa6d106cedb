"""The assignments of a unit, read from its text with comments and strings blanked."""

from __future__ import annotations

import bisect
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from hdlgraph.model import Unit
from hdlgraph.parsers.text.expressions import closing
from hdlgraph.parsers.text.source import Source, line_starts

CHARS = 400_000
"""Of the text of one unit, so many characters are searched."""
ASSIGNMENTS = 20_000
"""Of one unit."""
CALLS = 500
"""Macro calls of one unit that may hold a flip-flop."""

_NAME = r"[A-Za-z_][\w$]*"
_INDEX = r"\[(?:[^\[\]=;]|\[[^\[\]=;]{0,80}\]){0,200}\]"
_LEFT = rf"\{{[^{{}};=]{{1,2000}}\}}|{_NAME}+(?:\s*{_INDEX}|\.\w+){{0,8}}+"
# Letters first: the engine passes over all other places fast.
_ASSIGN = re.compile(
    rf"[;:)abdeilrw](?:(?<=[;:)])|(?<![\w$.`'].)(?:(?<=b)egin(?:\s*:\s*\w+)?|(?<=e)lse"
    rf"|(?<=a)ssign|(?<=d)o|(?<=a)lways_comb|(?<=i)nitial|(?:(?<=w)ire|(?<=l)ogic|(?<=b)it"
    rf"|(?<=r)eg)\b(?:\s+(?:signed|unsigned)\b)?(?:\s*\[[^\]=;]{{0,200}}\]){{0,4}}))"
    rf"(?![\w$])\s*+({_LEFT})\s*+(<=|[-+|&^*]?=)(?!=)\s*(?:#\s*[\w.`]+\s*)?"
)
_OPERATOR = re.compile(rf"[!=]==?\s*(`?{_NAME}(?:::{_NAME})*|\d*'[hdb][\da-fA-F_]+)(?![\w$(\[.])")
_OPERAND = re.compile(rf"(?<![\w$.`'])({_NAME})(?:\s*\[[^\]]{{1,60}}\])?\s*$")
_FOR = re.compile(r"for\s*\(")
_CHECK = re.compile(
    r"\b(?:assert|assume|cover|restrict)\b|`\w*(?:ASSERT|ASSUME|COVER)\w*\s*\(", re.I
)
_CHECKS = ("assert", "assume", "cover", "restrict")
_CALL = re.compile(r"`\w+\s*\([^;]{0,400}")
_LOOP = re.compile(
    rf"for\s*\(\s*(?:genvar\s+|(?:automatic\s+)?(?:int|integer)\s+(?:unsigned\s+)?)?"
    rf"({_NAME})\s*="
)
_BASE = re.compile(_NAME)
_SUFFIX = re.compile(
    r"(?<=\w)_(?:[qdrnpc]|ff|reg|nxt|next|new|[cn]s|prev|old|last|raw|i|o|ni|no|[qdr]\d|dly)$"
    r"|(?<=[a-z])(?:Reg|Next|_Q|_D|_R|_N)$"
)
_PREFIX = re.compile(r"^(?:next|nxt|n|r|d|q|cur|curr|current|reg|new|i|o|w|c)_(?=\w)", re.I)


class Assignment(NamedTuple):
    """One assignment: `name` is what it writes, `left` and `right` are without white space.

    `at` counts characters of the unit's text. `clocked` is whether a clock edge triggers it.
    """

    name: str
    left: str
    operator: str
    right: str
    at: int
    clocked: bool


@dataclass(frozen=True)
class Code:
    """The text of a unit and its assignments, by position and by the name that they write."""

    unit: Unit
    text: str
    first_line: int
    assignments: tuple[Assignment, ...]
    by_name: dict[str, list[Assignment]] = field(repr=False)
    by_stem: dict[str, list[str]] = field(repr=False)
    """The names that are written, by what they have in common with their next values."""
    declared: frozenset[str] = field(repr=False)
    inputs: frozenset[str] = field(repr=False)
    loops: frozenset[str] = field(repr=False)
    comparisons: list[tuple[str, str, int]] = field(repr=False)
    """(declared name, constant or name it is compared with by == or !=, position)"""
    _starts: tuple[int, ...] = field(repr=False)

    @cached_property
    def calls(self) -> list[str]:
        """The texts of macro calls, each up to its semicolon."""
        return [match[0] for match, _ in zip(_CALL.finditer(self.text), range(CALLS), strict=False)]

    @cached_property
    def joined(self) -> list[frozenset[str]]:
        """The signals that each instance connects."""
        return [
            frozenset(name for one in instance.connections for name in one.signals)
            for instance in self.unit.instances
        ]

    @cached_property
    def checks(self) -> list[tuple[int, int]]:
        """Where the assertions stand in the text: begin and end of each."""
        lowered = self.text.lower()
        if lowered.isascii() and not any(one in lowered for one in _CHECKS):
            return []
        out = []
        for match in _CHECK.finditer(self.text):
            if match[0].endswith("("):
                out.append((match.start(), closing(self.text, match.end())))
            else:
                end = self.text.find(";", match.end())
                out.append((match.start(), end if end >= 0 else len(self.text)))
        return out

    def line(self, at: int) -> int:
        """Returns the line in the file of a position in the text."""
        return self.first_line + bisect.bisect_right(self._starts, at) - 1

    def offset(self, line: int) -> int:
        """Returns the position at which a line of the file begins."""
        return self._starts[min(max(line - self.first_line, 0), len(self._starts) - 1)]

    def between(self, start: int, end: int) -> Sequence[Assignment]:
        """Returns the assignments that begin from `start` to before `end`."""
        low = bisect.bisect_left(self.assignments, start, key=lambda one: one.at)
        high = bisect.bisect_left(self.assignments, end, key=lambda one: one.at)
        return self.assignments[low:high]


def code_of(unit: Unit, source: Source) -> Code:
    """Returns the code of a unit, nested units included."""
    starts = source.starts
    begin = starts[min(unit.line, len(starts)) - 1]
    end = starts[unit.end_line] if unit.end_line < len(starts) else len(source.code)
    text = source.code[begin : min(end, begin + CHARS)]
    loops = _loop_variables(unit, text)
    text = _without_loop_heads(text)
    lines = tuple(line_starts(text))
    found = _assignments(unit, text, lines)
    by_name: dict[str, list[Assignment]] = defaultdict(list)
    by_stem: dict[str, list[str]] = defaultdict(list)
    for one in found:
        if one.name not in by_name:
            by_stem[stem(one.name)].append(one.name)
        by_name[one.name].append(one)
    declared = frozenset({p.name for p in unit.ports} | {signal.name for signal in unit.signals})
    return Code(
        unit=unit,
        text=text,
        first_line=unit.line,
        assignments=tuple(found),
        by_name=dict(by_name),
        by_stem=dict(by_stem),
        declared=declared,
        comparisons=_comparisons(text, declared),
        inputs=frozenset(port.name for port in unit.ports if port.direction == "input"),
        loops=loops,
        _starts=lines,
    )


def _assignments(unit: Unit, text: str, lines: Sequence[int]) -> list[Assignment]:
    """Returns the assignments of a text in order; `lines` are the offsets of its lines."""
    clocked = _clocked_lines(unit)
    found: list[Assignment] = []
    at = 0
    while len(found) < ASSIGNMENTS and (match := _ASSIGN.search(text, at)):
        stop = text.find(";", match.end())
        stop = len(text) if stop < 0 else stop
        line = unit.line + bisect.bisect_right(lines, match.start(1)) - 1
        left = "".join(match[1].split())
        name = _BASE.search(left)
        right = "".join(text[match.end() : stop].split())
        if name and right:
            is_clocked = _within(clocked, line)
            found.append(Assignment(name[0], left, match[2], right, match.start(1), is_clocked))
        at = max(stop, match.end())
    return found


def _comparisons(text: str, declared: frozenset[str]) -> list[tuple[str, str, int]]:
    out = []
    for match in _OPERATOR.finditer(text):
        at = match.start()
        name = _OPERAND.search(text, max(at - 90, 0), at)
        if name and name[1] in declared:
            out.append((name[1], match[1], name.start()))
    return out


def _loop_variables(unit: Unit, text: str) -> frozenset[str]:
    """Returns the names that loops count with, and the integers."""
    found = {match[1] for match in _LOOP.finditer(text)} if "for" in text else set()
    kinds = ("integer", "int", "genvar")
    return frozenset(found | {s.name for s in unit.signals if s.type.split(" ")[0] in kinds})


def _clocked_lines(unit: Unit) -> list[tuple[int, int]]:
    return sorted((p.line, p.end_line) for p in unit.processes if p.clocks)


def _within(ranges: list[tuple[int, int]], line: int) -> bool:
    at = bisect.bisect_right(ranges, (line, 1 << 60)) - 1
    return at >= 0 and line <= ranges[at][1]


def _without_loop_heads(text: str) -> str:
    """Returns the text with the heads of `for` loops blanked: their `;` ends no statement."""
    if "for" not in text:
        return text
    out: list[str] = []
    done = 0
    for match in _FOR.finditer(text):
        if match.start() < done:
            continue
        end = closing(text, match.end(), 1000)
        head = text[match.end() : end]
        blank = "\n".join(" " * len(part) for part in head.split("\n"))
        out += (text[done : match.end()], blank[:-1] + ")" if blank else "")
        done = end
    return "".join([*out, text[done:]]) if out else text


@lru_cache(maxsize=1 << 16)
def stem(name: str) -> str:
    """Returns a name without what tells a register from its next value: state_q, next_state."""
    low = name.lower() if name.isupper() else name
    if low in ("cs", "ns", "state", "nstate", "cstate", "pstate"):
        return "state"
    for _ in range(2):
        low = _PREFIX.sub("", _SUFFIX.sub("", low))
    return re.sub(r"^(?:next|cur|current)(?=[A-Zs])|(?<=[a-z])(?:Next|Cur)$", "", low).lower()


def same_register(code: Code, register: str, source: str) -> bool:
    """Returns whether `source` is `register` or the value that it takes next."""
    if register == source or stem(register) == stem(source):
        return True
    return any(one.right == source for one in code.by_name.get(register, ()))


def twins(code: Code, register: str) -> list[str]:
    """Returns the names written with the values of a register: its own, and its next values'."""
    found = dict.fromkeys(code.by_stem.get(stem(register), ()))
    found.update(dict.fromkeys(one.right for one in code.by_name.get(register, ())))
    return sorted(name for name in found if name in code.by_name)
