"""Finds what must hold for lines of a file to count: the conditions that enclose them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial

from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.passages.view import FileView

HEAD = 12  # lines of a condition that are shown
_OPENS = frozenset("branch arm case loop".split())
_DIRECTIVE = re.compile(r"^\s*`(ifdef|ifndef|elsif|else|endif)\b")
_GUARD = re.compile(
    r"^[ \t]*`ifndef[ \t]+(\w+)[^\n]*\n(?:[ \t]*(?://[^\n]*)?\n)*[ \t]*`define[ \t]+(\w+)", re.M
)


def guards(view: FileView, numbers: Iterable[int]) -> set[int]:
    """Returns the lines of the conditions around some lines, those of the preprocessor included.

    Args:
        view: the file.
        numbers: lines that are shown; blank ones and comments ask for no condition.
    """
    directives = view.kept("directives", partial(_directives, view))
    found: set[int] = set()
    for number in sorted(set(numbers)):
        if not 1 <= number <= len(view.source.lines) or not view.is_code(number):
            continue
        found |= directives.get(number, frozenset())
        for one in view.outline.enclosing(number):
            found |= opening(one, number)
    return found


def opening(one: Statement, number: int) -> set[int]:
    """Returns the lines that open a statement around a line, none where it is no condition."""
    if one.kind == "always":
        return {one.line}
    if one.kind not in _OPENS or (one.kind == "loop" and one.process is not None):
        return set()
    inner = one.children[0].line if one.children else one.end_line
    last = min(inner - 1, one.line + HEAD - 1, number)
    found = set(range(one.line, max(last, one.line) + 1))
    if one.kind == "branch" and not one.head and one.parent is not None:
        first = one.parent.children[0]  # an `else` says nothing without its `if`
        found.add(first.line)
    return found


def _directives(view: FileView) -> dict[int, frozenset[int]]:
    """Returns line -> lines of the preprocessor's conditions around it."""
    lines = view.source.lines
    guard = _GUARD.search(view.source.text)
    include = guard is not None and guard[1] == guard[2]
    first = view.source.text.count("\n", 0, guard.start(1)) + 1 if guard and include else 0
    found: dict[int, frozenset[int]] = {}
    open_: list[frozenset[int]] = []
    for number, line in enumerate(lines, 1):
        directive = _DIRECTIVE.match(line)
        if directive is None:
            if open_:
                found[number] = frozenset().union(*open_)
            continue
        word = directive[1]
        if word in ("ifdef", "ifndef"):
            open_.append(frozenset() if number == first else frozenset([number]))
        elif word == "endif":
            if open_:
                open_.pop()
        elif open_:
            open_[-1] = open_[-1] | {number}
    return found
