"""Helpers to read statements out of SystemVerilog text: brackets, arguments, types, paths.

All of them look at a bounded number of characters, whatever a text holds.
"""

from __future__ import annotations

import re

REACH = 4000
"""Characters within which brackets close and types begin."""
MAX_CHARS = 300
"""Characters of an expression that are kept."""
_OPEN, _CLOSE = "([{", ")]}"
_MARK = re.compile(r"[()\[\]{},]")
_STEP = re.compile(r"[()]")
_CASTS = re.compile(r"(?:\$|`\w{0,40})cast\s*\([^(),]*,\Z")
_SPACE = re.compile(r"\s+")


def closing(code: str, at: int) -> int:
    """Returns the offset of the `)` that closes the `(` at an offset; -1 where none is near."""
    depth = 0
    for found in _STEP.finditer(code, at, at + REACH):
        depth += 1 if found[0] == "(" else -1
        if not depth:
            return found.start()
    return -1


def opening(code: str, at: int) -> int:
    """Returns the offset of the `(` that the `)` at an offset closes; -1 where none is near."""
    depth = 0
    for place in range(at, max(-1, at - REACH), -1):
        if code[place] == ")":
            depth += 1
        elif code[place] == "(":
            depth -= 1
            if not depth:
                return place
    return -1


def arguments(code: str, bare: str, at: int) -> tuple[list[str], int]:
    """Returns the arguments of the brackets that open at an offset, and where they close.

    Args:
        code: the text without comments and what stands in strings.
        bare: the same with strings, from which the arguments are taken.
        at: the offset of the `(`.

    Returns:
        ([], -1) where they do not close.
    """
    end = closing(code, at)
    if end < 0:
        return [], -1
    found, start, depth = [], at + 1, 0
    for mark in _MARK.finditer(code, at + 1, end):
        if mark[0] in _OPEN:
            depth += 1
        elif mark[0] in _CLOSE:
            depth -= 1
        elif not depth:
            found.append(plain(bare[start : mark.start()]))
            start = mark.end()
    last = plain(bare[start:end])
    return ([*found, last] if found or last else []), end


def plain(text: str) -> str:
    """Returns an expression with single spaces, cut where it is very long."""
    return _SPACE.sub(" ", text[:REACH].strip())[:MAX_CHARS]


def back(code: str, at: int) -> int:
    """Returns the offset behind the last character before `at` that is no white space."""
    while at > 0 and code[at - 1].isspace():
        at -= 1
    return at


def type_before(code: str, at: int) -> tuple[str, int]:
    """Returns the type that ends before an offset, as `pkg::name #(X)`, and where it begins."""
    end = place = back(code, at)
    if place and code[place - 1] == ")":
        place = back(code, opening(code, place - 1)) if opening(code, place - 1) >= 0 else 0
        if not place or code[place - 1] != "#":
            return "", at
        place = back(code, place - 1)
    start = word_before(code, place)
    if start == place:
        return "", at
    before = back(code, start)
    if code[max(0, before - 2) : before] == "::":
        scope_end = back(code, before - 2)
        scope = word_before(code, scope_end)
        start = scope if scope < scope_end else start
    return plain(code[start:end]), start


def word_before(code: str, at: int) -> int:
    """Returns where the name that ends before an offset begins; the offset where none does."""
    while at > 0 and (code[at - 1].isalnum() or code[at - 1] in "_$"):
        at -= 1
    return at


def path_before(code: str, at: int) -> str:
    """Returns the path that ends before an offset, as `m_env.m_agent[i].monitor`; "" for none."""
    end = place = back(code, at)
    least = max(0, end - MAX_CHARS)
    while place > least:
        if code[place - 1] == "]":
            opens = _index(code, place - 1, least)
            if opens < 0:
                return ""
            place = back(code, opens)
            continue
        start = word_before(code, place)
        if start == place:
            return ""
        before = back(code, start)
        if before and code[before - 1] == "." and before > least:
            place = back(code, before - 1)
            continue
        return plain(code[start:end])
    return ""


def _index(code: str, at: int, least: int) -> int:
    depth = 0
    for place in range(at, least - 1, -1):
        depth += {"]": 1, "[": -1}.get(code[place], 0)
        if not depth:
            return place
    return -1


def target_before(code: str, at: int) -> str:
    """Returns the variable that is assigned what begins at an offset; "" for none."""
    place = back(code, at)
    if place and code[place - 1] == "=" and code[max(0, place - 2)] not in "=!<>":
        return path_before(code, place - 1)
    if place and code[place - 1] == ",":  # $cast(variable, ... or a macro of that name
        variable = path_before(code, place - 1)
        head = code[max(0, place - MAX_CHARS - 20) : place]
        return variable if variable and _CASTS.search(head) else ""
    return ""
