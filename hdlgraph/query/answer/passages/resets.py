"""Finds what a file assigns while a reset is active."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.passages.logic import context_lines
from hdlgraph.query.answer.passages.view import FileView

_VALUE = re.compile(r"\w*(?:res(?:et)?_?val(?:ue)?|rst_?val(?:ue)?|init_?val(?:ue)?)\w*", re.I)
BRANCH = 20  # lines of a reset branch that is shown whole
LONGEST = 60  # characters of a value that is said in words


@dataclass(frozen=True, slots=True)
class Reset:
    """A name, the value it takes on reset, its line, and the lines of what encloses that.

    `branch` has the lines of the whole reset branch where it is short, else nothing.
    """

    name: str
    value: str
    line: int
    end_line: int
    worth: float
    lines: tuple[int, ...]
    branch: tuple[int, ...] = ()

    def words(self) -> str:
        """Returns it in words, "" where the value is too long for them."""
        return f"{self.name} resets to {self.value}" if len(self.value) <= LONGEST else ""


def resets(view: FileView) -> list[Reset]:
    """Returns what is reset in a file, that worth most to the question first."""
    found: dict[str, Reset] = {}
    for one in view.outline.statements:
        if one.kind != "set" or not one.lefts or one.line in view.checked:
            continue
        branch = _reset_branch(one)
        if branch is None:
            continue
        process = one.process or branch
        name = one.left_sides[0]
        lines = context_lines(one, process) | set(range(one.line, one.end_line + 1))
        worth = sum(view.words(one).values())
        short = branch.end_line - branch.line < BRANCH
        whole = tuple(range(branch.line, branch.end_line + 1)) if short else ()
        told = tuple(sorted(lines))
        reset = Reset(name, one.right_side, one.line, one.end_line, worth, told, whole)
        found.setdefault(name, reset)
    return sorted(found.values(), key=lambda r: (-r.worth, r.line))


def _reset_branch(one: Statement) -> Statement | None:
    branch = None
    for outer in one.around():
        if outer.kind == "branch":
            branch = outer if outer.reset else None
            if branch is not None:
                return branch
    return branch


def held(view: FileView) -> list[tuple[float, Statement, list[int]]]:
    """Returns (worth, instance, lines) of registers in instances that are told their reset value.

    Best first; the lines are those of its head and of the connection with the value.
    """
    found = []
    for one in view.outline.named("instance"):
        ports = [p for p in one.connections if _VALUE.fullmatch(p)]
        if not ports:
            continue
        worth = sum(view.words(one).values())
        lines = {one.line}
        for number in range(one.line, one.end_line + 1):
            text = view.source.lines[number - 1]
            if any(f".{p}" in text for p in ports) or one.name in text:
                lines.add(number)
        found.append((worth, one, sorted(lines)[:5]))
    return sorted(found, key=lambda item: (-item[0], item[1].line))
