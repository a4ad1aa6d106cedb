"""Finds the `if` branches of generate blocks, and the condition under which a line counts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hdlgraph.model import Operation, Unit
from hdlgraph.parsers.operations.code import Code
from hdlgraph.parsers.text.expressions import closing

LONGEST = 60
"""Characters of a condition that is kept as written."""
UNNAMED = "in one configuration"
"""Stands for a longer condition, and for that of an `ifdef."""
BRANCHES = 500
"""Of one unit."""
_TOKEN = re.compile(r"begin\b(?<!\wbegin)|end\b(?<!\wend)|if\b(?<!\wif)")
"""Words first: the engine passes over what begins otherwise."""
_OPEN = re.compile(r"\s*\(")
_BEGIN = re.compile(r"\s*begin\b")
_ELSE = re.compile(r"(?:\s*:\s*\w+)?\s*else\s+begin\b")


@dataclass(frozen=True, slots=True)
class Branch:
    """Lines of one branch of a generate block, and what picks it."""

    first: int
    last: int
    condition: str


def branches_of(code: Code, bare: str) -> list[Branch]:
    """Returns the branches of a unit's generate blocks in order.

    Args:
        code: the code of the unit.
        bare: the unit's text with strings, of the same length as that of `code`.
    """
    text = code.text
    tokens = list(_TOKEN.finditer(text))
    ends = _ends(tokens)
    busy = sorted((p.line, p.end_line) for p in code.unit.processes if p.kind != "assign")
    busy += sorted((r.line, r.end_line) for r in code.unit.routines)
    found: list[Branch] = []
    for token in tokens:
        opening = _OPEN.match(text, token.end()) if token[0] == "if" else None
        line = code.line(token.start())
        if not opening or any(first <= line <= last for first, last in busy):
            continue
        close = closing(text, opening.end())
        begin = _BEGIN.match(text, close)
        end = ends.get(begin.end()) if begin else None
        if end is None:
            continue
        condition = " ".join(bare[opening.end() : close - 1].split())
        if re.fullmatch(r"\d*(?:'[bdh])?\d+", condition):
            continue
        kept = condition if 0 < len(condition) <= LONGEST else ""
        found.append(Branch(line, code.line(end), kept or UNNAMED))
        other = _ELSE.match(text, end)
        if other and other.end() in ends:
            last = code.line(ends[other.end()])
            negated = f"!({kept})" if kept else UNNAMED
            found.append(Branch(code.line(other.end()), last, negated))
        if len(found) >= BRANCHES:
            break
    return found


def _ends(tokens: Sequence[re.Match[str]]) -> dict[int, int]:
    """Returns for each `begin`, by where it ends, where its `end` ends."""
    out: dict[int, int] = {}
    opened: list[int] = []
    for token in tokens:
        if token[0] == "begin":
            opened.append(token.end())
        elif token[0] == "end" and opened:
            out[opened.pop()] = token.end()
    return out


def conditions(operations: Sequence[Operation], branches: Sequence[Branch]) -> dict[int, str]:
    """Returns the condition of each line with an operation in a branch, the innermost one's."""
    out: dict[int, str] = {}
    for one in operations:
        around = [b for b in branches if b.first <= one.line <= b.last]
        if around:
            out[one.line] = min(around, key=lambda b: b.last - b.first).condition
    return out


def unit_text(unit: Unit, code: Code, starts: Sequence[int], bare: str) -> str:
    """Returns the text of a unit with its strings, as long as that of its code."""
    begin = starts[min(unit.line, len(starts)) - 1]
    return bare[begin : begin + len(code.text)]
