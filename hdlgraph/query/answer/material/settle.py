"""Completes what was selected of a file: what a quoted comment heads, what a condition tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.material.define import COMPARES
from hdlgraph.query.answer.material.pieces import RULE
from hdlgraph.query.answer.material.select import Selector

HEADED = 24  # lines of a statement that is shown whole below its comment
BEGINNING = 10  # of a longer one
APART = 1  # blank lines between a comment and what it heads
DESCRIPTION = 44  # lines of a file's description that is shown whole
LEAST_LINES = 2  # lines of a case of which the arms that the question speaks of are completed
NAMES = 16  # that are looked up of conditions
DEFINING = 16  # lines of a definition
CONDITIONS = frozenset("branch case arm loop".split())
VALUES = frozenset("assign set declaration".split())


def settle(selector: Selector, most: int) -> None:
    """Takes the statements below quoted comments and what defines the signals of conditions.

    Args:
        selector: of one file, with what was taken of it.
        most: tokens that all lines taken may cost.
    """
    if not selector.taken.lines:
        return
    for finder in (_documented, _arms, _headed, _defining):
        for lines in finder(selector):
            selector.include(lines, most)


def _documented(selector: Selector) -> Iterator[set[int]]:
    """Yields the rest of what a file's own description says, where some of it is taken."""
    file, taken = selector.worths.file, selector.taken.lines
    written = {
        number
        for one in file.outline.source.comments
        if not one.trailing and one.line < file.source.unit_line
        for number in range(one.line, one.end_line + 1)
    }
    block: list[int] = []
    for number in (*sorted(written), 0):
        if block and number != block[-1] + 1:
            kept = {n for n in block if n not in file.notices and not RULE.match(file.lines[n - 1])}
            if len(kept) <= DESCRIPTION and taken & kept:
                yield kept
            block = []
        block.append(number)


def _arms(selector: Selector) -> Iterator[set[int]]:
    """Yields the arms left out of cases that are shown in part, those of the question first."""
    file, taken = selector.worths.file, selector.taken.lines
    for case in file.outline.named("case"):
        inside = range(case.line, case.end_line + 1)
        if case.line in file.aside or len(taken.intersection(inside)) < LEAST_LINES:
            continue
        missing = []
        for arm in case.children:
            first = file.outline.first_line(arm)
            lines = set(range(first, arm.end_line + 1))
            if len(lines) <= HEADED and not lines <= taken:
                missing.append((selector.worths.of_lines(first, arm.line), -arm.line, lines))
        for worth, _, lines in sorted(missing, key=lambda one: one[:2], reverse=True):
            if worth > 0:
                yield lines | {case.line}


def _headed(selector: Selector) -> Iterator[set[int]]:
    """Yields the lines of each statement of which only the comment above is taken."""
    file = selector.worths.file
    taken = selector.taken.lines
    for number in sorted(taken):
        following = next(
            (
                n
                for n in range(number + 1, min(number + 2 + APART, len(file.lines) + 1))
                if file.lines[n - 1].strip()
            ),
            0,
        )
        if not following or following in taken or not file.source.is_comment(number):
            continue
        inside = range(following, len(file.lines) + 1)
        first = next((n for n in inside if not file.source.is_comment(n)), 0)
        starts = [s for s in file.outline.enclosing(first) if s.line == first] if first else []
        if not starts or starts[0].kind in ("unit", "ports", "parameters") or first in taken:
            continue
        last = min(starts[0].end_line, first + HEADED)
        if starts[0].end_line - first >= HEADED:
            last = first + BEGINNING
        yield set(range(following, last + 1))


def _defining(selector: Selector) -> Iterator[set[int]]:
    """Yields what defines the names that taken conditions test, the weightiest conditions first."""
    names: dict[str, None] = {}
    for one in _tests(selector):
        names |= dict.fromkeys(one.reads)
    for name in list(names)[:NAMES]:
        lines = selector.definitions.lines(name)
        if 0 < len(lines) <= DEFINING:
            yield lines | selector.comment_above(min(lines))


def _tests(selector: Selector) -> Sequence[Statement]:
    """Returns the conditions and comparisons of which lines are taken, the weightiest first."""
    file, taken = selector.worths.file, selector.taken.lines
    found = [
        one
        for one in file.outline.statements
        if one.line in taken
        and one.line not in file.aside
        and (one.kind in CONDITIONS or (one.kind in VALUES and COMPARES.search(one.right_side)))
    ]
    return sorted(found, key=lambda one: (-selector.worths.of_statement(one), one.line))
