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


def outside_of(text: str) -> str:
    """Returns a text with what stands in brackets blanked, of the same length."""
    depth, out = 0, []
    for char in text:
        depth -= char in ")]}"
        out.append(char if depth <= 0 else " ")
        depth += char in "([{"
    return "".join(out)


def pieces(text: str, outside: str, operator: str) -> list[str]:
    """Returns the operands of an operator between two of them."""
    found, begin, at = [], 0, outside.find(operator)
    while at >= 0:
        end = at + len(operator)
        alone = outside[at - 1 : at] not in ("|", "&", "~") and outside[end : end + 1] not in "|&"
        if alone and re.search(r"[\w)\]}'\"]\s*$", text[begin:at]) and text[end:].strip():
            found.append(text[begin:at])
            begin = end
        at = outside.find(operator, end)
    return [*found, text[begin:]]


def choice(text: str) -> tuple[str, str, str] | None:
    """Returns test, first and second value of a choice; None where there is no whole one."""
    depth, open_, question = 0, 0, -1
    for at, char in enumerate(text):
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif depth:
            continue
        elif char == "?":
            question = at if question < 0 else question
            open_ += 1
        elif char == ":" and open_ and text[at - 1 : at + 2].count(":") == 1:
            open_ -= 1
            if open_ == 0:
                test = bare(text[:question])
                return test, text[question + 1 : at], text[at + 1 :]
    return None
