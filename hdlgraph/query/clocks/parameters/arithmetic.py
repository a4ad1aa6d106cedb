"""The value of a constant expression, as far as whole numbers, texts and names of choices go."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from functools import lru_cache

Value = int | str
"""A number; or a text, with its quotes, or a name of an enumeration, which only compare."""
Lookup = Callable[[str], Value | None]
LONGEST, DEEPEST = 400, 24
KEPT = 1 << 16
"""Expressions whose values are kept."""
LARGEST = 1 << 64
_TOKEN = re.compile(
    r"\s*(?:(\d*\s*'[sS]?[bodhBODH]\s*[0-9a-fA-F_]+|'[01]|\d[\d_]*)|(\"[^\"]*\")"
    r"|([$`]?[A-Za-z_][\w$]*(?:(?:::|\.)[A-Za-z_][\w$]*)*)"
    r"|(\*\*|&&|\|\||===?|!==?|<=|>=|<<|>>|[-+*/%<>!~&|^?:()\[\]]))"
)
_LEVELS = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "===", "!=", "!=="), ("<", "<=", ">", ">="),
    ("<<", ">>"), ("+", "-"), ("*", "/", "%"), ("**",),
)  # fmt: skip
_LEVEL = {sign: level for level, signs in enumerate(_LEVELS) for sign in signs}
_BASES = {"b": 2, "o": 8, "d": 10, "h": 16}


class _Unknown(Exception):
    """The value cannot be told."""


def evaluate(text: str, lookup: Lookup, number: Lookup | None = None) -> Value | None:
    """Returns the value of an expression, None where it cannot be told.

    Args:
        text: as written.
        lookup: returns the value of a name, None where it is not known.
        number: returns the number of a name whose value is a member of an enumeration, None of
            others. It is asked where the members themselves tell nothing; a bit of it may be taken.
    """
    if len(text) > LONGEST:
        return None
    names = _names(text)
    if names is None:
        return None
    values = tuple(map(lookup, names))
    found = _value(text, values)
    if found is not None or number is None or not any(isinstance(one, str) for one in values):
        return found
    numbers = {
        name: told
        for name, one in zip(names, values, strict=True)
        if isinstance(one, str) and (told := number(name)) is not None
    }
    known = (numbers.get(name, one) for name, one in zip(names, values, strict=True))
    return _value(text, tuple(known), frozenset(numbers)) if numbers else None


@lru_cache(KEPT)
def _value(
    text: str, values: tuple[Value | None, ...], flat: frozenset[str] = frozenset()
) -> Value | None:
    """Returns the value of an expression with these values of its names, in their order.

    Of those in `flat` an element is a bit.
    """
    try:
        known = dict(zip(_names(text) or (), values, strict=True))
        parser = _Parser(_tokens(text), known, flat)
        found = parser.choice(0)
        return found if parser.at == len(parser.tokens) else None
    except (_Unknown, RecursionError, ZeroDivisionError):
        return None


@lru_cache(KEPT)
def _names(text: str) -> tuple[str, ...] | None:
    """Returns the names in an expression, None where it is none."""
    try:
        tokens = _tokens(text)
    except _Unknown:
        return None
    return tuple(dict.fromkeys(one for kind, one in tokens if kind == "name" and one[0] != "$"))


def _tokens(text: str) -> list[tuple[str, str]]:
    found, at, text = [], 0, text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _Unknown
        kind = ("number", "text", "name", "sign")[(match.lastindex or 1) - 1]
        found.append((kind, match[match.lastindex or 1]))
        at = match.end()
    return found


class _Parser:
    def __init__(
        self,
        tokens: list[tuple[str, str]],
        known: dict[str, Value | None],
        flat: frozenset[str],
    ) -> None:
        self.tokens, self._known, self._flat, self.at = tokens, known, flat, 0

    def _sign(self) -> str:
        if self.at < len(self.tokens) and self.tokens[self.at][0] == "sign":
            return self.tokens[self.at][1]
        return ""

    def _take(self, sign: str) -> None:
        if self._sign() != sign:
            raise _Unknown
        self.at += 1

    def choice(self, depth: int) -> Value:
        """Returns the value of `a ? b : c` or of less."""
        if depth > DEEPEST:
            raise _Unknown
        test = self._binary(0, depth)
        if self._sign() != "?":
            return test
        self.at += 1
        first = self.choice(depth + 1)
        self._take(":")
        second = self.choice(depth + 1)
        return first if _number(test) else second

    def _binary(self, least: int, depth: int) -> Value:
        """Returns the value of operands joined by operators that bind so closely at least."""
        left = self._single(depth)
        while (level := _LEVEL.get(self._sign(), -1)) >= least:
            sign = self._sign()
            self.at += 1
            left = _apply(sign, left, self._binary(level + 1, depth))
        return left

    def _single(self, depth: int) -> Value:
        if depth > DEEPEST or self.at >= len(self.tokens):
            raise _Unknown
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            return _literal(text)
        if kind == "text":
            return text
        if kind == "name":
            return self._named(text, depth)
        if text == "(":
            found = self.choice(depth + 1)
            self._take(")")
            return found
        if text == "!":
            return int(not _number(self._single(depth + 1)))
        if text == "-":
            return -_number(self._single(depth + 1))
        if text == "+":
            return _number(self._single(depth + 1))
        raise _Unknown

    def _named(self, text: str, depth: int) -> Value:
        if text == "$clog2":
            self._take("(")
            value = _number(self.choice(depth + 1))
            self._take(")")
            return max(value - 1, 0).bit_length()
        found = self._known.get(text)
        if found is None:
            raise _Unknown
        if text in self._flat and self._sign() == "[":
            self.at += 1
            bit = _number(self.choice(depth + 1))
            self._take("]")
            return _number(found) >> max(bit, 0) & 1
        while self._sign() == "[":
            if found != 0:  # nothing tells how many bits an element has
                raise _Unknown
            self._skip()
        return found

    def _skip(self) -> None:
        """Passes over a selection: whatever it takes of 0 is 0."""
        depth = 0
        while self.at < len(self.tokens):
            kind, text = self.tokens[self.at]
            depth += (kind == "sign") * ((text == "[") - (text == "]"))
            self.at += 1
            if depth == 0:
                return
        raise _Unknown


def _literal(text: str) -> int:
    width, quote, rest = text.replace("_", "").replace(" ", "").partition("'")
    if not quote:
        return int(width)
    rest = rest.lstrip("sS")
    if rest[:1].lower() not in _BASES:
        return int(rest)  # '0 and '1
    try:
        return int(rest[1:], _BASES[rest[0].lower()])
    except ValueError as error:
        raise _Unknown from error


def _number(value: Value) -> int:
    if isinstance(value, str) or abs(value) >= LARGEST:
        raise _Unknown
    return value


def _apply(sign: str, left: Value, right: Value) -> Value:
    if sign in ("==", "==="):
        return int(_alike(left, right))
    if sign in ("!=", "!=="):
        return int(not _alike(left, right))
    a, b = _number(left), _number(right)
    if sign in ("<<", ">>", "**") and not 0 <= b <= 63:
        raise _Unknown
    return _number(_TABLE[sign](a, b))


def _power(a: int, b: int) -> int:
    if abs(a) >= 1 << 16:
        raise _Unknown
    return int(a**b)


_TABLE: dict[str, Callable[[int, int], int]] = {
    "||": lambda a, b: int(bool(a or b)), "&&": lambda a, b: int(bool(a and b)),
    "|": operator.or_, "^": operator.xor, "&": operator.and_,
    "<": lambda a, b: int(a < b), "<=": lambda a, b: int(a <= b), ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b), "<<": operator.lshift, ">>": operator.rshift,
    "+": operator.add, "-": operator.sub, "*": operator.mul,
    "/": lambda a, b: int(a / b) if a < LARGEST >> 12 else a // b, "%": operator.mod,
    "**": _power,
}  # fmt: skip


def _alike(left: Value, right: Value) -> bool:
    if isinstance(left, str) != isinstance(right, str):
        raise _Unknown  # a member of an enumeration and its number
    return left == right
