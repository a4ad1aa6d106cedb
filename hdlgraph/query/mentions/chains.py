"""What stands before a field: the names of `commit_instr_i[0].ex.valid` before `valid`."""

from __future__ import annotations

import re
from collections.abc import Iterator

FAR = 2000
"""Characters before a field that are looked at."""
_SIGNS = frozenset("_$")


def chains(text: str, field: str) -> Iterator[list[str]]:
    """Yields the names before each use of a field on a line, [] where they are no plain names.

    A port that is connected by name (`.field(net)`) is no use of a field.
    """
    for found in re.finditer(rf"\.\s*{re.escape(field)}(?![\w$])", text):
        names = names_before(text, found.start())
        if names is not None:
            yield names


def names_before(text: str, end: int) -> list[str] | None:
    """Returns the names before a dot; None where nothing stands there."""
    names: list[str] = []
    first, at = max(0, end - FAR), end
    while True:
        at = _without_index(text, at, first)
        begin = at
        while begin > first and (text[begin - 1].isalnum() or text[begin - 1] in _SIGNS):
            begin -= 1
        if begin == at:
            is_port = not names and (at == first or text[at - 1] in "(,")
            return None if is_port else []
        names.append(text[begin:at])
        at = _without_spaces(text, begin, first)
        if at > first and text[at - 1] == ".":
            at -= 1
        else:
            return [] if text[first:at].endswith("::") else names[::-1]


def _without_spaces(text: str, at: int, first: int) -> int:
    while at > first and text[at - 1].isspace():
        at -= 1
    return at


def _without_index(text: str, at: int, first: int) -> int:
    """Returns where a name ends that indices and spaces follow."""
    at = _without_spaces(text, at, first)
    while at > first and text[at - 1] == "]":
        depth = 0
        while at > first:
            at -= 1
            depth += (text[at] == "]") - (text[at] == "[")
            if not depth:
                break
        at = _without_spaces(text, at, first)
    return at
