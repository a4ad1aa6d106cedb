"""The names in the text of an expression with the selections behind them."""

from __future__ import annotations

import re
from functools import lru_cache

from hdlgraph.query.signals.machines.choices import choices

LONGEST = 4000
"""Characters of an expression that are read."""
_NAME = re.compile(r"(?<![\w$'`.\\])[A-Za-z_][\w$]*")
_MEMBER = re.compile(r"\s*\.\s*([A-Za-z_][\w$]*)")
_INDEX = re.compile(r"(?:\w+\s*::\s*)*([A-Za-z_][\w$]*)")
_BITWISE = re.compile(r"[\w$.:\[\]\s()&|^~']+")
_OTHER = re.compile(r"&&|\|\||'|[\w$]\s*\(|(?:^|[(&|^~])\s*[&|^]")
"""What keeps an expression from going bit by bit: logic, literals, calls, reductions."""

_CALL = re.compile(r"(?<![\w$'`.:\\])((?:[A-Za-z_]\w*\s*::\s*)*[A-Za-z_]\w*)\s*\(")


@lru_cache(maxsize=20_000)
def occurrences(text: str) -> dict[str, tuple[str, ...]]:
    """Returns the names in an expression, each with the ways in which it is written there.

    `a[0] & a[1].b[i]` has `a` as `a[0]`, `a.b` as `a[1].b[i]` and `i` as `i`.
    """
    found: dict[str, dict[str, None]] = {}
    waiting = [text[:LONGEST]]
    for one in waiting:  # it grows
        at = 0
        while (name := _NAME.search(one, at)) is not None:
            parts, at = _whole(one, name)
            plain = ".".join(part for part in parts if part[0] != "[")
            written = "".join(part if part[0] == "[" else f".{part}" for part in parts)[1:]
            found.setdefault(plain, {})[written] = None
            waiting += [part[1:-1] for part in parts if part[0] == "["]
    return {name: tuple(ways) for name, ways in found.items()}


def _whole(text: str, name: re.Match[str]) -> tuple[list[str], int]:
    """Returns a name with its members and selections in order, and where it ends."""
    parts, at = [name[0]], name.end()
    while at < len(text):
        member = _MEMBER.match(text, at)
        begin = at + len(text[at:]) - len(text[at:].lstrip()) if member is None else at
        if member is not None:
            parts.append(member[1])
            at = member.end()
        elif text[begin : begin + 1] == "[" and (end := _closing(text, begin)):
            parts.append(text[begin:end])
            at = end
        else:
            break
    return parts, at


def _closing(text: str, at: int) -> int:
    """Returns where the bracket that opens at a place has closed, 0 where it does not."""
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] == "[") - (text[place] == "]")
        if depth == 0:
            return place + 1
    return 0


@lru_cache(maxsize=20_000)
def index_words(text: str) -> frozenset[str]:
    """Returns the names that stand in the selections of an expression or a name."""
    found: set[str] = set()
    at = text.find("[")
    while at >= 0:
        end = _closing(text, at) or len(text)
        found.update(_INDEX.findall(text[at:end]))
        at = text.find("[", end)
    return frozenset(found)


@lru_cache(maxsize=20_000)
def is_bitwise(text: str) -> bool:
    """Returns whether each bit of a value is made of the same bits of the names in it.

    Of a choice every value is such.
    """
    return bool(text) and all(
        _BITWISE.fullmatch(value) and not _OTHER.search(value) for value, _ in choices(text)
    )


@lru_cache(maxsize=20_000)
def called_in(text: str) -> str:
    """Returns the first function that an expression calls, none of the system's; "" for none."""
    found = _CALL.search(text[:LONGEST]) if "(" in text else None
    return found[1] if found else ""
