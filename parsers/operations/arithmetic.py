"""Operations on whole words: arithmetic, comparisons, choices, vectors joined and taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hdlgraph.model import Operation
from hdlgraph.parsers.operations.code import Assignment, Code

_N = r"[A-Za-z_]\w*"
_OPERAND = rf"(?:\$(?:un)?signed\()?({_N})(?:\[[^\[\]]*\])?\)?"
_TIMES = re.compile(rf"(?<![\w$.`'(*]){_OPERAND}(\*|/|%)(?!\*){_OPERAND}")
_BY_AMOUNT = re.compile(rf"{_OPERAND}(<<<?|>>>?)\(?({_N})(?:\[[^\[\]]*\])?\)?")
_LESS = re.compile(rf"\(?{_OPERAND}(<|>|<=|>=|==|!=){_OPERAND}\)?")
_SUM = re.compile(rf"\(?{_OPERAND}([-+]){_OPERAND}\)?")
_EXTENDS = re.compile(rf"\{{\{{[^{{}}]+\{{({_N})(?:\[[^\[\]]+\])\}}\}},\1")
_Z = r"\(?(?:\d*'[bh][zZ]+|'z|\{[^{}]{1,40}\{1'b[zZ]\}\})\)?"
_ENABLE = rf"\(?[~!]?({_N})(?:\[\w+\])?(?:==1'b[01])?\)?"
_HIGH_Z = re.compile(rf"{_ENABLE}\?([^?]+):{_Z}|{_ENABLE}\?{_Z}:([^?]+)")


def words(code: Code) -> Iterator[Operation]:
    """Yields products, quotients, sums, shifts by an amount, and comparisons of two signals."""
    said: set[tuple[str, str]] = set()
    for one in code.assignments:
        for kind, names, detail in _arithmetic(code, one.right):
            if (kind, one.name) not in said:
                said.add((kind, one.name))
                yield Operation(kind, (one.name, *names), code.line(one.at), detail)


_WORDS = {"*": "multiplies", "/": "divides", "%": "takes remainder"}


def _arithmetic(code: Code, right: str) -> Iterator[tuple[str, tuple[str, ...], str]]:
    known = code.declared
    if "*" in right or "/" in right or "%" in right:
        for match in _TIMES.finditer(right):
            if match[1] in known and match[3] in known and not _in_index(right, match.start()):
                yield _WORDS[match[2]], (match[1], match[3]), ""
    if "<<" in right or ">>" in right:
        for match in _BY_AMOUNT.finditer(right):
            if match[1] in known and match[3] in known and not _in_index(right, match.start()):
                way = "left" if "<" in match[2] else "right"
                arithmetic_way = f"arithmetically {way}" if match[2] == ">>>" else way
                yield "shifts by", (match[1], match[3]), arithmetic_way
    compared = _LESS.fullmatch(right)
    if compared and compared[1] in known and compared[3] in known:
        yield "compares", (compared[1], compared[3]), compared[2]
    added = _SUM.fullmatch(right)
    if added and added[1] in known and added[3] in known:
        yield ("adds" if added[2] == "+" else "subtracts"), (added[1], added[3]), ""


def _in_index(text: str, at: int) -> bool:
    before = text[:at]
    return before.count("[") > before.count("]")


def joining(code: Code) -> Iterator[Operation]:
    """Yields choices between two signals, packed and unpacked vectors, sign extension, pads."""
    for one in code.assignments:
        right = one.right
        if "?" in right:
            yield from _choice(code, one)
        elif right[0] == "{" and right[-1] == "}" and one.left[0] != "{":
            parts = right[1:-1].split(",")
            if 3 <= len(parts) <= 12 and all(part in code.declared for part in parts):
                if len(set(parts)) == len(parts):
                    yield Operation("packs", (one.name, *parts[:6]), code.line(one.at))
            elif extended := _EXTENDS.match(right):
                yield Operation("extends sign", (one.name, extended[1]), code.line(one.at))
        elif one.left[0] == "{" and right in code.declared:
            parts = one.left[1:-1].split(",")
            if len(parts) >= 2 and all(part in code.declared for part in parts):
                yield Operation("unpacks", (right, *parts[:6]), code.line(one.at))


def _choice(code: Code, one: Assignment) -> Iterator[Operation]:
    right = one.right
    pad = _HIGH_Z.fullmatch(right)
    if pad:
        enable, data = pad[1] or pad[3], pad[2] or pad[4]
        known = tuple(n for n in re.findall(_N, data) if n in code.declared)[:1]
        yield Operation("drives pad", (one.name, enable, *known), code.line(one.at))
        return
    plain = re.fullmatch(rf"\(?({_N})\)?\?\(?({_N})\)?:\(?({_N})\)?", right)
    if plain and {plain[1], plain[2], plain[3]} <= code.declared and one.name not in plain.groups():
        yield Operation("selects", (one.name, plain[2], plain[3], plain[1]), code.line(one.at))
