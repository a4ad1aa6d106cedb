"""Assignment patterns: what `'{name: value}` around a place in the text is assigned to."""

from __future__ import annotations

import re
from collections.abc import Sequence

LINES = 60
"""Lines above a place in which the begin of its pattern is looked for."""
_STOPS = re.compile(r"\b(?:begin|case[zx]?|else|end|generate|module|function|task)\b")
_SPLIT = re.compile(r"[;{]|\bassign\b|\breturn\b")


def target(lines: Sequence[str], number: int, column: int) -> str | None:
    """Returns what stands before the pattern around a place: `req_o =` or a type.

    None where no pattern is around it: it is a label, or the choice of a condition.

    Args:
        lines: of the file.
        number: of the line, from 1.
        column: in the line, from 0.
    """
    depth = 0
    for row in range(number - 1, max(-1, number - 1 - LINES), -1):
        text = lines[row][:column] if row == number - 1 else lines[row].partition("//")[0]
        for at in range(len(text) - 1, -1, -1):
            sign = text[at]
            if sign in ")]}":
                depth += 1
            elif sign in "([{":
                if not depth:
                    return _before(lines, row, text[:at]) if sign == "{" else None
                depth -= 1
            elif (sign == ";" or (sign == "?" and row == number - 1)) and not depth:
                return None
        if not depth and _STOPS.search(text):
            return None
    return None


def _before(lines: Sequence[str], row: int, text: str) -> str | None:
    """Returns what stands before a brace, None where it begins no pattern."""
    text = text.rstrip()
    if not text.endswith("'"):
        return None
    text = text[:-1].rstrip()
    if not text and row:
        text = lines[row - 1].partition("//")[0].rstrip()
    return _SPLIT.split(text)[-1].strip()
