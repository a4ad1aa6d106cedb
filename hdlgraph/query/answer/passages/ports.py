"""Shows the ports that a question asks for: whole groups of them, or the whole list."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.page import Page
from hdlgraph.query.answer.passages.declared import Declared, ports
from hdlgraph.query.answer.passages.view import FileView, raise_to
from hdlgraph.query.question.aims import Aim

WHOLE = 40  # ports of a unit that are shown all together
LINES = 56  # of ports in an answer
CLOSE = 0.5  # share of the best group's worth from which another is shown
TYPES = 3  # structures of a package that are shown
TYPE = 30  # lines of one
_SUFFIX = re.compile(r"_(?:[io]|ni|no|in|out)$")


@dataclass(frozen=True, slots=True)
class Group:
    """Ports under one heading: their lines, with the heading's, and what they are worth."""

    lines: tuple[int, ...]
    worth: float


def interface(page: Page, view: FileView, lines: int) -> bool:
    """Adds the ports that the question asks for in whole groups; False if none.

    Of a unit that the question means all ports are shown where they are not too many. A file
    without ports, such as a package, has structures instead.
    """
    if _bundle(page, view):
        return True
    every = ports(view)
    if not every:
        return _types(page, view)
    unit = _meant(view, every)
    own = [one for one in every if unit is None or unit.line <= one.line <= unit.end_line]
    groups = port_groups(view, own)
    top = max((one.worth for one in groups), default=0.0)
    first = next(iter(view.aims), None) is Aim.INTERFACE or _named(view, unit)
    if len(own) <= WHOLE and (first or not view.asks_for(top)):
        chosen = groups if first or len(own) <= max(lines, 12) else []
    elif view.asks_for(top):
        chosen = [one for one in groups if one.worth >= CLOSE * top]
    else:
        chosen = groups if first else []
    numbers = _fitting(chosen, max(lines, LINES))
    if not numbers:
        return False
    page.code(view.path, view.source, sorted(numbers))
    return True


def port_groups(view: FileView, found: list[Declared]) -> list[Group]:
    """Returns ports in groups as comments and blank lines part them, or else their first word."""
    worth = {one.line: one for one in found}
    kept: list[tuple[list[int], list[Declared]]] = []
    run: list[int] = []
    members: list[Declared] = []
    last = max(worth, default=0)
    for number in range(_begins(view, min(worth, default=1)), last + 1):
        text = view.source.lines[number - 1]
        parts = not text.strip() or (members and view.source.is_comment(number))
        if members and (parts or _other(members[-1], worth.get(number))):
            kept.append((run, members))
            run, members = [], []
        if text.strip():
            run.append(number)
        if number in worth:
            members.append(worth[number])
    if members:
        kept.append((run, members))
    return [Group(tuple(run), max(one.worth for one in members)) for run, members in kept]


def _begins(view: FileView, line: int) -> int:
    """Returns the first of the comment lines directly above a line, or the line."""
    while line > 1 and view.source.lines[line - 2].strip().startswith("//"):
        line -= 1
    return line


def _other(one: Declared, other: Declared | None) -> bool:
    """Returns whether two neighbours have several words in their names and differ in the first."""
    if other is None:
        return False
    words, others = (_SUFFIX.sub("", found.name).split("_") for found in (one, other))
    return len(words) > 2 and len(others) > 2 and words[:2] != others[:2]


def _fitting(groups: list[Group], most: int) -> set[int]:
    """Returns the lines of the groups, of too many those of the ones worth most."""
    numbers: set[int] = set()
    for one in sorted(groups, key=lambda group: (-group.worth, group.lines)):
        if len(numbers) + len(one.lines) <= most or not numbers:
            numbers |= set(one.lines)
    return numbers


def _meant(view: FileView, every: list[Declared]) -> Statement | None:
    """Returns the unit of a file whose ports are meant: named, else nearest to the question."""
    units = [u for u in view.units if any(u.line <= one.line <= u.end_line for one in every)]
    named = [unit for unit in units if _named(view, unit)]
    if named or len(units) < 2:
        return next(iter(named or units), None)
    worth = {unit: dict[int, float]() for unit in units}
    for unit in units:
        raise_to(worth[unit], view.worth_of(unit.name))
    return max(units, key=lambda unit: (sum(worth[unit].values()), -unit.line))


def _named(view: FileView, unit: Statement | None) -> bool:
    return unit is not None and view.names([unit.name])


def _bundle(page: Page, view: FileView) -> bool:
    """Adds the interface with its modports that a file declares; False if it declares none."""
    units = [unit for unit in view.units if unit.word == "interface"]
    if not units:
        return False
    worth = [sum(view.worth_of(unit.name).values()) for unit in units]
    best = units[worth.index(max(worth))]
    others = [unit for unit in view.units if unit.word == "module"]
    if any(sum(view.worth_of(unit.name).values()) > max(worth) for unit in others):
        return False
    first = view.above(best)
    numbers = [n for n in range(first, best.end_line + 1) if view.source.lines[n - 1].strip()]
    page.code(view.path, view.source, numbers[:LINES])
    return True


def _types(page: Page, view: FileView) -> bool:
    """Adds the structures of a file that the question is nearest to; False if none."""
    found = [one for one in view.outline.named("typedef") if one.end_line - one.line < TYPE]
    scored = [(sum(view.words(one).values()), one) for one in found if not one.members]
    top = max((worth for worth, _ in scored), default=0.0)
    if not view.asks_for(top):
        return False
    best = sorted((p for p in scored if p[0] >= CLOSE * top), key=lambda p: (-p[0], p[1].line))
    for _, one in sorted(best[:TYPES], key=lambda pair: pair[1].line):
        page.code(view.path, view.source, range(view.above(one), one.end_line + 1))
    return True
