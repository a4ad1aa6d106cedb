"""The values of constant expressions: literals, names, arithmetic."""

from __future__ import annotations

import re
from collections.abc import Callable

_TOKEN = re.compile(
    r"\s*(?:(\d*\s*'\s*[sS]?[hHdDbBoO]\s*[0-9a-fA-F_xXzZ?]+|\d[\d_]*|0x[0-9a-fA-F_]+)|"
    r"((?:\w+\s*::\s*)?[A-Za-z_$][\w$]*|`[A-Za-z_]\w*)|(<<|>>|[-+*/%&|^~()]))"
)
_BASED = re.compile(r"(\d*)\s*'\s*[sS]?([hHdDbBoO])\s*([0-9a-fA-F_]+)$")
_BASES = {"h": 16, "d": 10, "b": 2, "o": 8}
_LEVELS = (("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "/", "%"))
LENGTH, DEPTH = 400, 40
"""Longer or deeper expressions have no value."""
WIDEST = 1 << 128
ALL = (1 << 64) - 1


class NoNumberError(ValueError):
    """An expression has no value that its text states."""


def literal(text: str) -> int:
    """Returns the value of a number as Verilog, or C, writes it.

    Raises:
        NoNumberError: it is none, or has unknown bits.
    """
    plain = text.strip().replace("_", "")
    try:
        if plain[:2].lower() == "0x":
            return int(plain, 16)
        based = _BASED.match(plain)
        return int(based[3], _BASES[based[2].lower()]) if based else int(plain)
    except ValueError as error:
        raise NoNumberError(text[:80]) from error


def value(text: str, known: Callable[[str], int]) -> int:
    """Returns the value of an expression.

    Args:
        text: as written.
        known: gives the value of a name; raises NoNumberError for others.

    Raises:
        NoNumberError: it has none.
    """
    if len(text) > LENGTH:
        raise NoNumberError("too long")
    tokens: list[tuple[str, str]] = []
    at = 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None:
            raise NoNumberError(text[:80])
        kind = "number" if match[1] else "name" if match[2] else "sign"
        tokens.append((kind, match[1] or match[2] or match[3]))
        at = match.end()
    reading = _Reading(tokens, known)
    found = reading.level(0, 0)
    if reading.at != len(tokens) or abs(found) > WIDEST:
        raise NoNumberError(text[:80])
    return found


class _Reading:
    def __init__(self, tokens: list[tuple[str, str]], known: Callable[[str], int]) -> None:
        self.tokens, self.known, self.at = tokens, known, 0

    def _next(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("", "")

    def level(self, number: int, depth: int) -> int:
        """Returns the value of what binds at least as strongly as a level of signs."""
        if depth > DEPTH:
            raise NoNumberError("too deep")
        if number == len(_LEVELS):
            return self._single(depth)
        left = self.level(number + 1, depth)
        while self._next()[1] in _LEVELS[number]:
            sign = self._next()[1]
            self.at += 1
            left = _joined(sign, left, self.level(number + 1, depth))
        return left

    def _single(self, depth: int) -> int:
        kind, text = self._next()
        self.at += 1
        if kind == "number":
            return literal(text)
        if kind == "name":
            return self.known("".join(text.split()))
        if text == "(":
            found = self.level(0, depth + 1)
            if self._next()[1] != ")":
                raise NoNumberError("a bracket stays open")
            self.at += 1
            return found
        if text == "~":
            return ~self._single(depth + 1) & ALL
        if text in ("-", "+"):
            found = self._single(depth + 1)
            return -found if text == "-" else found
        raise NoNumberError(text)


def _joined(sign: str, left: int, right: int) -> int:
    if sign in ("<<", ">>") and not 0 <= right <= 128:
        raise NoNumberError("a shift too far")
    if sign in ("/", "%") and right == 0:
        raise NoNumberError("a division by 0")
    found = {
        "|": lambda: left | right, "^": lambda: left ^ right, "&": lambda: left & right,
        "<<": lambda: left << right, ">>": lambda: left >> right, "+": lambda: left + right,
        "-": lambda: left - right, "*": lambda: left * right, "/": lambda: left // right,
        "%": lambda: left % right,
    }[sign]()  # fmt: skip
    if abs(found) > WIDEST:
        raise NoNumberError("too large")
    return found
