"""Finds compiler directives in plain text: includes, macros and conditions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hdlgraph.model import Macro, Scope
from hdlgraph.parsers import limits
from hdlgraph.parsers.text.source import Source

DIRECTIVES = frozenset(
    """begin_keywords celldefine default_decay_time default_nettype default_trireg_strength
        define delay_mode_distributed delay_mode_path delay_mode_unit delay_mode_zero else
        elsif end_keywords endcelldefine endif endprotect endprotected ifdef ifndef
        include line nounconnected_drive pragma protect protected resetall timescale
        unconnected_drive undef undefineall __FILE__ __LINE__ protect_begin protect_end""".split()
)
INCLUDE = re.compile(r"`include[ \t]*(?:\"([^\"\n]*)\"|<([^>\n]*)>)")
_DEFINE = re.compile(r"`define[ \t]+([A-Za-z_]\w*)(\([^)]*\))?((?:\\\r?\n|[^\n])*)")
_USE = re.compile(r"`(?<!``)([A-Za-z_]\w*)")
"""The sign first: the engine passes over all other places fast."""
_CONDITION = re.compile(r"`(ifdef|ifndef|elsif|else|endif)\b[ \t]*([A-Za-z_]\w*|\([^\n]*\))?")
BODY_LIMIT = 200
CONDITION_CHARS = 400
"""A longer condition takes up no further ones."""
_FORMER = 50
"""So many branches before one are said not to hold."""


@dataclass(frozen=True, slots=True)
class Region:
    """Lines (1-based, inclusive) that one `ifdef branch covers, and the condition for it."""

    line: int
    end_line: int
    condition: str


def includes_of(bare: str) -> list[tuple[str, int]]:
    """Returns (name as written, offset of the directive) of every include."""
    if "`include" not in bare:
        return []
    return [(m[1] or m[2] or "", m.start()) for m in INCLUDE.finditer(bare)]


def macros_of(source: Source) -> list[Macro]:
    """Returns the macros that the text defines, in order."""
    found = []
    for match in _DEFINE.finditer(source.bare):
        body = " ".join(match[3].replace("\\\n", " ").replace("\\\r\n", " ").split())
        found.append(
            Macro(
                name=match[1],
                parameters=" ".join((match[2] or "").strip("()").split()),
                body=body[:BODY_LIMIT],
                line=source.line_of(match.start()),
            )
        )
    return found


def define_spans(source: Source) -> list[tuple[int, int]]:
    """Returns (start, end) offsets of the macro definitions, in order."""
    if "`define" not in source.bare:
        return []
    return [match.span() for match in _DEFINE.finditer(source.bare)]


def macro_uses(source: Source) -> dict[str, int]:
    """Returns the offset of the first use of each macro, directives excluded."""
    first: dict[str, int] = {}
    for match in _USE.finditer(source.code):
        name = match[1]
        if name not in DIRECTIVES and name not in first:
            first[name] = match.start()
    return first


def lines_with_macros(source: Source) -> tuple[int, ...]:
    """Returns the lines (1-based) that use a macro, directives excluded; at most `BRANCHES`."""
    lines = dict.fromkeys(
        source.line_of(match.start())
        for match in _USE.finditer(source.code)
        if match[1] not in DIRECTIVES
    )
    return tuple(lines)[: limits.BRANCHES]


def regions_of(source: Source) -> list[Region]:
    """Returns the conditional regions of a file without its include guard."""
    if "`if" not in source.code:
        return []
    regions: list[Region] = []
    stack: list[tuple[str, int, list[str]]] = []
    """Of each open branch: what its directive asks for, its line, what no former one may be."""
    for match in _CONDITION.finditer(source.code):
        word, name = match[1], (match[2] or "").strip()
        line = source.line_of(match.start())
        if word in ("ifdef", "ifndef"):
            stack.append((name if word == "ifdef" else f"!{name}", line, []))
        elif stack:
            own, start, before = stack.pop()
            regions.append(Region(start, line, " && ".join(filter(None, [*before, own]))))
            negated = [*before, _negate(own)] if own and len(before) < _FORMER else before
            if word == "elsif":
                stack.append((name, line, negated))
            elif word == "else":
                stack.append(("", line, negated))
    return sorted(
        (
            region
            for region in regions
            if region.condition[:1] != "!"
            or not is_guard(region.condition[1:], region.line, source)
        ),
        key=lambda region: (region.line, -region.end_line),
    )


def _negate(condition: str) -> str:
    return condition[1:] if condition.startswith("!") else f"!{condition}"


def is_guard(name: str, line: int, source: Source) -> bool:
    """Returns whether an `ifndef of a macro on a line (1-based) is followed by its `define."""
    begin = source.starts[line - 1]
    end = source.starts[min(line + 2, len(source.starts) - 1)] if source.starts else 0
    return re.search(rf"`define\s+{re.escape(name)}\b", source.code[begin : end + 200]) is not None


def scopes_at(regions: Sequence[Region], line: int) -> tuple[Scope, ...]:
    """Returns the `ifdef scopes around a line, outermost first."""
    return tuple(
        Scope(label="", condition=region.condition, line=region.line, kind="ifdef")
        for region in regions
        if region.line < line < region.end_line
    )


def conditions_by_line(regions: Sequence[Region], n_lines: int) -> list[str]:
    """Returns what the `ifdef branches around each line ask for; the first item is of line 0.

    Branches deep inside others are not told to the last one.
    """
    found = [""] * (n_lines + 2)
    around: list[tuple[int, str]] = []  # end and condition of the branches that a line is in
    at = 0
    for line in range(1, len(found)):
        while around and around[-1][0] <= line:
            around.pop()
        found[line] = around[-1][1] if around else ""
        while at < len(regions) and regions[at].line == line:
            outer = around[-1][1] if around else ""
            if regions[at].end_line > line:
                around.append((regions[at].end_line, joined(outer, regions[at].condition)))
            at += 1
    return found


def joined(outer: str, condition: str) -> str:
    """Returns two conditions as one that asks for both."""
    if not outer or not condition:
        return outer or condition
    return outer if len(outer) > CONDITION_CHARS else f"{outer} && {condition}"
