"""A condition as it is told: without constants that decide nothing and double negations."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from hdlgraph.parsers.text.conditions import all_of, bare, choice, outside_of, pieces
from hdlgraph.query.clocks.parameters.arithmetic import evaluate

NEVER = "1'b0"
"""A condition that never holds."""
DEEPEST = 16
LONGEST = 4000
"""Characters of a text that is read; a longer one is told as it is."""
_LOGIC, _BITS = (("||", True), ("&&", False)), (("|", True), ("&", False))
"""Operators that join truths, each with the value that decides it; those of single bits."""
_UNREAD = re.compile(r'"|\^|<?->| \.\.\.$|\binside\b|<<|>>')
"""What is not taken apart: texts, other operators, and what was cut."""
_COMPARED = re.compile(r"(?<![<>=!])([!=]=)(?![=?])")
_OTHER = re.compile(r"(?<![=!<>])[<>]|===|!==|==\?|!=\?|[-+*/%]")
_NAME = r"[\w$.`]+(?:::[\w$]+)*"
_PRIMARY = re.compile(rf"{_NAME}(?:\s*\[[^\[\]]*\]|\.[\w$]+)*(?:\s*\([^()]*\))?")
_WORD = re.compile(r"(?<![\w$.'`])[A-Za-z_][\w$]*")
_ZERO, _ONE = re.compile(r"1\s*'\s*[bdhBDH]\s*0"), re.compile(r"1\s*'\s*[bdhBDH]\s*1")
_WRITTEN = re.compile(r"\d*\s*'[sS]?[bodhBODH]\s*[\da-fA-F_]+|'[01]|\d[\d_]*")


class Known(NamedTuple):
    """What is known of the names: which texts are one bit, and the numbers of parameters."""

    is_bit: Callable[[str], bool] = lambda _: False
    number: Callable[[str], int | None] = lambda _: None


def reduced(text: str, known: Known = Known()) -> str:  # noqa: B008 - a frozen tuple
    """Returns what a condition asks for: "" for nothing, `NEVER` where it cannot hold.

    A text in which nothing is to be reduced comes back as it is.
    """
    found = _truth(text, known, 0)
    if isinstance(found, bool):
        return "" if found else NEVER
    return found


def settled(value: str, known: Known = Known()) -> str:  # noqa: B008 - a frozen tuple
    """Returns the value that a choice has whose test is decided, any other value as it is."""
    for _ in range(DEEPEST):
        parts = choice(bare(value)) if "?" in value and len(value) <= LONGEST else None
        holds = _truth(parts[0], known, 0) if parts else ""
        if parts is None or not isinstance(holds, bool):
            return value
        value = bare(parts[1] if holds else parts[2])
    return value


def values_of(text: str, left: str, known: Known) -> list[str]:
    """Returns the parameters that stood in a text and decided what is left of it: `FAST = 1`."""
    if text == left:
        return []
    names = [one for one in _WORD.findall(text) if one not in _WORD.findall(left)]
    values = ((one, known.number(one)) for one in dict.fromkeys(names))
    return [f"{name} = {value}" for name, value in values if value is not None]


def _truth(text: str, known: Known, depth: int) -> bool | str:
    """Returns whether a condition holds, or what it asks for."""
    whole, same = bare(text), text.strip()
    if depth > DEEPEST or len(whole) > LONGEST or _UNREAD.search(whole):
        return same
    if (number := _number(whole, known)) is not None:
        return bool(number)
    outside = outside_of(whole)
    if "?" in outside:
        return _chosen(whole, same, known, depth)
    for operator, decides in (*_LOGIC, *_BITS):
        operands = pieces(whole, outside, operator)
        if len(operands) > 1:
            if len(operator) == 1 and not all(_is_single(one, known) for one in operands):
                return same
            return _joined(operands, same, operator, decides, known, depth)
    if _OTHER.search(outside):
        return same
    if _COMPARED.search(outside):
        return _compared(whole, same, outside, known, depth)
    if whole[:1] == "!":
        inner = _truth(whole[1:], known, depth + 1)
        return (not inner) if isinstance(inner, bool) else _denied(inner, known)
    return same


def _number(text: str, known: Known) -> int | None:
    """Returns the number of a constant, None of anything else.

    Arithmetic on numbers with a width may wrap, so it is left alone.
    """
    if "'" in text and not _WRITTEN.fullmatch(text) and re.search(r"[-+*/%~]", text):
        return None
    found = evaluate(text, known.number)
    return found if isinstance(found, int) else None


def _chosen(whole: str, same: str, known: Known, depth: int) -> bool | str:
    parts = choice(whole)
    holds = _truth(parts[0], known, depth + 1) if parts else ""
    if parts is None or not isinstance(holds, bool):
        return same
    return _truth(parts[1] if holds else parts[2], known, depth + 1)


def _joined(
    operands: list[str], same: str, operator: str, decides: bool, known: Known, depth: int
) -> bool | str:
    found = [_truth(one, known, depth + 1) for one in operands]
    if any(one is decides for one in found):
        return decides
    left = list(dict.fromkeys(one for one in found if isinstance(one, str)))
    if not left:
        return not decides
    if [one.strip() for one in operands] == left:
        return same
    if len(operator) == 1 and not all(_is_single(one, known) for one in left):
        return same  # `(w != 0) & b`: without the comparison it is another bit that counts
    if len(left) == 1:
        return left[0]
    if operator == "&&":
        return all_of(left)
    # What is in brackets stays so: an operand of "|" or "&" may hold one that binds less.
    return f" {operator} ".join(one if _is_tight(one) else f"({bare(one)})" for one in left)


def _compared(whole: str, same: str, outside: str, known: Known, depth: int) -> bool | str:
    """Returns a comparison with one bit as the truth of its other side."""
    signs = list(_COMPARED.finditer(outside))
    if len(signs) != 1:
        return same
    sides = (bare(whole[: signs[0].start()]), bare(whole[signs[0].end() :]))
    for one, other in (sides, sides[::-1]):
        is_zero, is_one = _ZERO.fullmatch(other), _ONE.fullmatch(other)
        if is_zero or (is_one and _is_single(one, known)):
            inner = _truth(one, known, depth + 1)
            turned = bool(is_zero) == (signs[0][1] == "==")
            if isinstance(inner, bool):
                return inner != turned
            return _denied(inner, known) if turned else inner
    return same


def _denied(text: str, known: Known) -> str:
    """Returns the opposite of a condition."""
    whole = bare(text)
    inner = whole[1:].strip()
    if whole[:1] == "!" and _is_whole(inner):
        return bare(inner)
    if whole[:1] == "~" and _is_whole(inner) and _is_single(inner, known):
        return bare(inner)
    outside = outside_of(whole)
    signs = list(_COMPARED.finditer(outside))
    if len(signs) == 1 and signs[0][1] == "!=" and not re.search(r"[|&?^]", outside):
        return f"{whole[: signs[0].start()]}=={whole[signs[0].end() :]}"
    return f"!{whole}" if _PRIMARY.fullmatch(whole) else f"!({whole})"


def _is_whole(text: str) -> bool:
    """Returns whether an operator before a text is one of all of it."""
    return bool(_PRIMARY.fullmatch(text)) or bare(text) != text.strip()


def _is_tight(text: str) -> bool:
    return _is_whole(text) or (text[:1] in "!~" and _is_whole(text[1:].strip()))


def _is_single(text: str, known: Known) -> bool:
    """Returns whether a text is one bit: so declared, denied, compared or joined as a truth."""
    whole = bare(text)
    if _ZERO.fullmatch(whole) or _ONE.fullmatch(whole) or known.is_bit(whole):
        return True
    outside = outside_of(whole)
    if "?" in outside or _UNREAD.search(whole):
        return False
    for operator, _ in _LOGIC:
        if len(pieces(whole, outside, operator)) > 1:
            return True
    for operator, _ in _BITS:
        operands = pieces(whole, outside, operator)
        if len(operands) > 1:
            return all(_is_single(one, known) for one in operands)
    if _COMPARED.search(outside) or re.search(r"(?<![<>])[<>](?![<>])", outside):
        return True
    inner = whole[1:].strip()
    if whole[:1] == "!" and _is_whole(inner):
        return True
    return whole[:1] == "~" and _is_whole(inner) and _is_single(inner, known)
