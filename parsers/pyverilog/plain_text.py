"""Verilog without directives, line by line, for files that slang cannot even preprocess.

It knows the file alone: a condition on a macro that the file does not define is false, and a macro
without arguments stands for its words. What needs more than that is given up.
"""

from __future__ import annotations

import re

from hdlgraph.parsers import limits
from hdlgraph.parsers.text.source import Source

_DIRECTIVE = re.compile(r"^[ \t]*`(\w+)[ \t]*(.*)$")
_DEFINE = re.compile(r"([A-Za-z_]\w*)(\(?)[ \t]*(.*)$")
_USE = re.compile(r"`([A-Za-z_]\w*)")
_NO_TEXT = frozenset(
    """timescale default_nettype resetall celldefine endcelldefine include line pragma
        unconnected_drive nounconnected_drive begin_keywords end_keywords""".split()
)
_DEPTH = 16
"""Macros in macros are replaced so often; a longer chain is given up."""


def plain_text(source: Source) -> str:
    """Returns the text without directives, "" where that takes a real preprocessor.

    Every line stays on its line.
    """
    macros: dict[str, str] = {}
    taken: list[list[bool]] = []  # of each open condition: is it read now, was a branch read
    lines: list[str] = []
    size = 0
    for line in source.bare.split("\n"):
        match = _DIRECTIVE.match(line)
        word = match[1] if match else ""
        rest = match[2].strip() if match else ""
        is_read = all(now for now, _ in taken)
        if word in ("ifdef", "ifndef", "elsif", "else", "endif"):
            if not _condition(word, rest, macros, taken):
                return ""
            line = ""
        elif not is_read or word in _NO_TEXT:
            line = ""
        elif word == "undef":
            macros.pop(rest.partition(" ")[0], None)
            line = ""
        elif word == "define":
            named = _DEFINE.match(rest)
            if named is None or named[2] or rest.endswith("\\"):
                return ""
            macros[named[1]] = named[3]
            line = ""
        elif "`" in line:
            expanded = _expanded(line, macros)
            if expanded is None:
                return ""
            line = expanded
        size += len(line) + 1
        if size > limits.WITNESS_CHARS:
            return ""
        lines.append(line)
    return "\n".join(lines)


def _condition(word: str, rest: str, macros: dict[str, str], taken: list[list[bool]]) -> bool:
    """Follows a condition; returns whether it has the form that is understood."""
    name, _, more = rest.partition(" ")
    if "`" in rest or (more.strip() and word in ("ifdef", "ifndef", "elsif")):
        return False
    if word in ("ifdef", "ifndef"):
        holds = (name in macros) == (word == "ifdef")
        taken.append([holds, holds])
        return True
    if not taken:
        return False
    if word == "endif":
        taken.pop()
        return True
    now = not taken[-1][1] and (word == "else" or name in macros)
    taken[-1] = [now, now or taken[-1][1]]
    return True


def _expanded(line: str, macros: dict[str, str]) -> str | None:
    for _ in range(_DEPTH):
        if "`" not in line:
            return line
        used = _USE.findall(line)
        if any(name not in macros for name in used):
            return None
        # Before it is made: 200 kB of source can stand for three gigabytes.
        if len(line) + sum(len(macros[name]) for name in used) > limits.WITNESS_CHARS:
            return None
        line = _USE.sub(lambda match: macros[match[1]], line)
    return None
