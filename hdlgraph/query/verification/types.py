"""Takes types apart as they are written: `pkg::name #(.T(x), 4)`, with parameters put in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

LONG = 4000
"""Characters of a type; of a longer one the rest is left out."""
_NAME = re.compile(
    r"\A\s*(?:virtual\s+)?(?:interface\s+)?(?:\w+\s*::\s*)*([A-Za-z_]\w*)\s*(.*)\Z", re.S
)
_NAMED = re.compile(r"\A\.\s*(\w+)\s*\((.*)\)\Z", re.S)
_WORD = re.compile(r"(?<![\w.`$])[A-Za-z_]\w*(?!\s*::)")
_MARK = re.compile(r"[()\[\]{},]")


class Written(NamedTuple):
    """A type: its name without package, and what is given to its parameters: (name or "", text)."""

    name: str
    given: tuple[tuple[str, str], ...] = ()


@lru_cache(maxsize=20_000)
def written(text: str) -> Written:
    """Returns the parts of a type; a name of "" where it has none."""
    found = _NAME.match(text[:LONG])
    if found is None:
        return Written("")
    rest = found[2].strip()
    if not rest.startswith("#"):
        return Written(found[1])
    inside = rest[1:].strip()
    inside = inside[1:-1] if inside.startswith("(") and inside.endswith(")") else ""
    given = []
    for part in split(inside):
        named = _NAMED.match(part)
        given.append((named[1], named[2].strip()) if named else ("", part))
    return Written(found[1], tuple(given))


def split(text: str) -> list[str]:
    """Returns the parts of a list between commas that stand in no brackets."""
    parts, start, depth = [], 0, 0
    for mark in _MARK.finditer(text):
        if mark[0] in "([{":
            depth += 1
        elif mark[0] in ")]}":
            depth -= 1
        elif not depth:
            parts.append(text[start : mark.start()].strip())
            start = mark.end()
    last = text[start:].strip()
    return [*parts, last] if parts or last else []


def filled(text: str, values: Mapping[str, str]) -> str:
    """Returns a type with the values of parameters in the place of their names."""
    if not values:
        return text
    return _WORD.sub(lambda found: values.get(found[0], found[0]), text)[:LONG]


def bound(
    parameters: tuple[tuple[str, str], ...], given: tuple[tuple[str, str], ...]
) -> dict[str, str]:
    """Returns the value of each parameter of a class: what is given, else its default."""
    by_name = {name: text for name, text in given if name}
    by_place = [text for name, text in given if not name]
    values: dict[str, str] = {}
    for place, (name, default) in enumerate(parameters):
        if name in by_name:
            values[name] = by_name[name]
        elif place < len(by_place):
            values[name] = by_place[place]
        else:
            values[name] = filled(default, values)
    return values
