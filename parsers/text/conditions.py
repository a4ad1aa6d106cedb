"""Conditions as text: several that must hold together, bracketed where the language needs it."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LOOSE = re.compile(r"\|\||\?|<?->")
"""What binds less than `&&` does (IEEE 1800-2017, table 11-2)."""


def both(former: str, condition: str) -> str:
    """Returns a condition behind those that must hold with it, in brackets where it needs them.

    Args:
        former: what must hold as well, with the "&&" that joins it; "" for nothing.
        condition: as the source writes it.
    """
    if former and ("||" in condition or "?" in condition):
        return f"{former}({condition})"
    return former + condition


def all_of(conditions: Iterable[str], word: str = "&&") -> str:
    """Returns conditions joined by a word, "" for none; an empty one asks for nothing."""
    parts = [one for one in conditions if one]
    if len(parts) < 2:
        return "".join(parts)
    return f" {word} ".join(f"({one})" if _is_loose(one) else one for one in parts)


def trimmed(text: str) -> str:
    """Returns a condition from which a test was cut out, without the `&&` and brackets left over.

    Brackets that the rest needs stay: `() && a & (b)` becomes `a & (b)`.
    """
    former = ""
    while text != former:
        former = text
        text = re.sub(r"\(\s*\)", "", text).strip()
        text = re.sub(r"^&+|&+$|(?<=\()\s*&&|&&\s*(?=\))", "", text).strip()
        if text.count(")") > text.count("(") and text.startswith(")"):
            text = text[1:]
        if text.count("(") > text.count(")") and text.endswith("("):
            text = text[:-1]
    return bare(text)


def _is_loose(text: str) -> bool:
    """Returns whether something outside of all brackets binds less than `&&`."""
    if not _LOOSE.search(text):
        return False
    depth = 0
    outside = []
    for char in text:
        depth -= char in ")]}"
        if depth <= 0:
            outside.append(char)
        depth += char in "([{"
    return bool(_LOOSE.search("".join(outside)))


def bare(text: str) -> str:
    """Returns a text without the brackets around all of it."""
    text = text.strip()
    while text.startswith("(") and text.endswith(")") and _closes_last(text):
        text = text[1:-1].strip()
    return text


def _closes_last(text: str) -> bool:
    """Returns whether the first bracket is closed by the last one."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return at == len(text) - 1
    return False
