"""Widths of types in bits, as far as one file states them: enums, structs, unions, their fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from hdlgraph.model import Parameter, Type, Unit

_BITS = {
    "bit": 1, "logic": 1, "reg": 1, "wire": 1, "byte": 8, "shortint": 16, "int": 32, "integer": 32,
    "longint": 64, "time": 64,
}  # fmt: skip
_TYPE = re.compile(r"(?:(\w+)\s*)?(?:\b(?:signed|unsigned)\b)?\s*((?:\[[^\[\]]*\]\s*)*)")
_RANGE = re.compile(r"\[([^\[\]]*)\]")
_TOKEN = re.compile(
    r"\s*(?:(\d[\d_]*)?'[sS]?([bodhBODH])\s*([0-9a-fA-F_]+)|(\d[\d_]*)|(\$clog2\b)"
    r"|([A-Za-z_]\w*)|(<<|>>|\*\*|[-+*/%()]))"
)
_BASES = {"b": 2, "o": 8, "d": 10, "h": 16}
_DEPTH = 24
_LARGEST = 1 << 40


class Widths:
    """Knows the constants and types outside of units, and those of the unit at hand.

    Args:
        parameters: the constants at file level.
        types: the types at file level.
    """

    def __init__(self, parameters: Iterable[Parameter], types: Sequence[Type]) -> None:
        self._texts = {one.name: one.default for one in parameters}
        self._outer = dict(self._texts)
        self._types: dict[str, int] = {}
        self._values: dict[str, int | None] = {}
        self.outside = self._sized(types)
        """The types at file level with their widths."""
        self._known = dict(self._types)

    def of_unit(self, unit: Unit) -> Unit:
        """Returns a unit whose types have widths; what its instances override is not known."""
        if not unit.types:
            return unit
        fixed = [one for one in unit.parameters if not one.condition and _is_fixed(one, unit)]
        self._texts = self._outer | {one.name: one.default for one in fixed}
        self._types = dict(self._known)
        self._values = {}
        return msgspec.structs.replace(unit, types=self._sized(unit.types))

    def _sized(self, types: Sequence[Type]) -> tuple[Type, ...]:
        found = []
        for one in types:
            sized = self._type(one)
            self._types.setdefault(one.name, sized.width)
            found.append(sized)
        return tuple(found)

    def _type(self, one: Type) -> Type:
        if one.kind in ("enum", "alias"):
            width = self.bits(one.base) if one.base else 32 if one.kind == "enum" else 0
            return msgspec.structs.replace(one, width=width)
        fields = tuple(
            msgspec.structs.replace(member, width=self.bits(member.type)) for member in one.fields
        )
        sizes = [member.width for member in fields]
        whole = sum(sizes) if one.kind == "struct" else max(sizes, default=0)
        return msgspec.structs.replace(one, fields=fields, width=whole if all(sizes) else 0)

    def bits(self, written: str) -> int:
        """Returns the bits of a type as written, 0 where they are not known."""
        match = _TYPE.fullmatch(written.strip())
        if match is None:
            return 0
        word = match[1] or "logic"
        if word in ("signed", "unsigned"):
            word = "logic"
        bits = _BITS.get(word) or self._types.get(word, 0)
        for inner in _RANGE.findall(match[2]):
            bits *= self._size(inner)
        return bits if 0 < bits < _LARGEST else 0

    def _size(self, inner: str) -> int:
        left, colon, right = inner.partition(":")
        if not colon:
            return max(self._value(left) or 0, 0)
        first, last = self._value(left), self._value(right)
        return 0 if first is None or last is None else abs(first - last) + 1

    def _value(self, text: str, depth: int = 0) -> int | None:
        """Returns the value of an expression of numbers and known constants, None if unknown."""
        plain = text.strip()
        if plain.isdecimal():
            return int(plain) if len(plain) < 12 else None
        tokens: list[re.Match[str]] = []
        at = 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if match is None or len(tokens) > 64:
                return None
            tokens.append(match)
            at = match.end()
        return _Sum(self, tokens, depth).value() if depth < _DEPTH else None

    def constant(self, name: str, depth: int) -> int | None:
        """Returns the value of a constant by its name, None if unknown."""
        if name not in self._values:
            self._values[name] = None  # in case that it is made of itself
            text = self._texts.get(name)
            self._values[name] = self._value(text, depth + 1) if text else None
        return self._values[name]


def _is_fixed(one: Parameter, unit: Unit) -> bool:
    return one.kind == "localparam" or unit.kind in ("package", "class")


class _Sum:
    """Evaluates the tokens of one expression."""

    def __init__(self, widths: Widths, tokens: list[re.Match[str]], depth: int) -> None:
        self._widths, self._tokens, self._depth = widths, tokens, depth
        self._at = 0

    def value(self) -> int | None:
        try:
            found = self._shift()
        except (ValueError, ZeroDivisionError, RecursionError):
            return None
        return found if self._at == len(self._tokens) and abs(found) < _LARGEST else None

    def _next(self, *operators: str) -> str:
        if self._at < len(self._tokens) and self._tokens[self._at][7] in operators:
            self._at += 1
            return self._tokens[self._at - 1][7]
        return ""

    def _shift(self) -> int:
        left = self._sum()
        while operator := self._next("<<", ">>"):
            right = self._sum()
            if not 0 <= right < 64:
                raise ValueError
            left = left << right if operator == "<<" else left >> right
        return left

    def _sum(self) -> int:
        left = self._product()
        while operator := self._next("+", "-"):
            right = self._product()
            left = left + right if operator == "+" else left - right
        return left

    def _product(self) -> int:
        left = self._power()
        while operator := self._next("*", "/", "%"):
            right = self._power()
            left = left * right if operator == "*" else (
                left // right if operator == "/" else left % right)  # fmt: skip
            if abs(left) > _LARGEST:
                raise ValueError
        return left

    def _power(self) -> int:
        left = self._operand()
        if self._next("**"):
            right = self._power()
            if not 0 <= right < 64 or abs(left) > 1 << 16:
                raise ValueError
            left = int(left**right)
            if abs(left) > _LARGEST:
                raise ValueError
        return left

    def _operand(self) -> int:
        if self._next("-"):
            return -self._operand()
        if self._next("("):
            found = self._shift()
            if not self._next(")"):
                raise ValueError
            return found
        if self._at >= len(self._tokens):
            raise ValueError
        token = self._tokens[self._at]
        self._at += 1
        if token[2]:
            return int(token[3].replace("_", ""), _BASES[token[2].lower()])
        if token[4]:
            return int(token[4].replace("_", "")[:13])
        if token[5]:
            return max(self._operand() - 1, 0).bit_length()
        known = self._widths.constant(token[6], self._depth) if token[6] else None
        if known is None:
            raise ValueError
        return known
