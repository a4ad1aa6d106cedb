"""The state machines of a file as the design graph knows them, on the lines of the file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hdlgraph.parsers.text.machines import stem
from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.passages.machines import (
    LONGEST,
    Machine,
    Transition,
    cut,
    labels_of,
)
from hdlgraph.query.answer.passages.machines import (
    machines as read_machines,
)
from hdlgraph.query.answer.passages.view import FileView
from hdlgraph.query.signals.records import StateMachine
from hdlgraph.query.signals.records import Transition as Known

ANY = "any state"
_WORD = re.compile(r"[A-Za-z_]\w*")
_DENIED = re.compile(r"!\(([\w.$]+)\)")
"""What is denied needs no brackets where it is a name."""


def machines(view: FileView) -> list[Machine]:
    """Returns the state machines of a file: those of the graph, else those that its text shows.

    The graph's count only where the file's present text still has their lines. A machine that
    the text shows and the graph does not is kept where no line of it is one of the graph's.
    """
    return view.kept("machines", lambda: _machines(view))


def _machines(view: FileView) -> list[Machine]:
    read = read_machines(view)
    sets = _sets(view)
    known = [one for one in view.known_machines() if _stands(view, sets, one)]
    if not known:
        return read
    found = []
    lines: set[int] = set()
    for one in known:
        lines |= {move.line for move in one.transitions}
        found.append(_answer_machine(view, one, _likeness(one, read), sets))
    rest = [
        one
        for one in read
        if not any(line in lines for move in one.transitions for line in move.lines)
    ]
    return [one for one in found if one.transitions] + rest


def _sets(view: FileView) -> dict[int, Statement]:
    """Returns the innermost assignment on each line of a file."""
    found: dict[int, Statement] = {}
    for one in view.outline.statements:
        if one.kind in ("set", "assign") and one.lefts:
            found |= dict.fromkeys(range(one.line, one.end_line + 1), one)
    return found


def _stands(view: FileView, sets: dict[int, Statement], machine: StateMachine) -> bool:
    """Returns whether the lines of a machine still assign its states."""
    if any(move.line not in sets for move in machine.transitions):
        return False
    return all(
        move.target in view.lines(sets[move.line].line, sets[move.line].end_line)
        for move in machine.transitions
        if not move.target[:1].isdigit()
    )


def _likeness(machine: StateMachine, read: Sequence[Machine]) -> Machine | None:
    """Returns the machine of the text that is the same one, None where it shows none."""
    lines = {move.line for move in machine.transitions}
    states = {name for name, _ in machine.states}
    scored = []
    for number, one in enumerate(read):
        within = sum(line in lines for move in one.transitions for line in move.lines)
        if within and states & set(one.states):
            scored.append((within, -number, one))
    return max(scored, key=lambda found: found[:2])[2] if scored else None


def _answer_machine(
    view: FileView, machine: StateMachine, likeness: Machine | None, sets: dict[int, Statement]
) -> Machine:
    """Returns a machine of the graph as an answer shows it, with the arms that the text shows."""
    moves = tuple(
        _transition(view, move, sets[move.line])
        for move in machine.transitions
        if move.source != move.target
    )
    if likeness is not None:
        return replace(likeness, transitions=moves, unit=machine.unit, register=machine.register)
    lines = [line for _, line in machine.states if line] + [move.line for move in moves]
    states = tuple(name for name, line in machine.states if line)
    return Machine(
        machine.register, states, min(lines), max(lines), moves,
        stem=stem(machine.register), unit=machine.unit, register=machine.register,
    )  # fmt: skip


def _transition(view: FileView, move: Known, statement: Statement) -> Transition:
    """Returns a transition with the lines from the test of its state to its assignment."""
    lines = set(range(statement.line, statement.end_line + 1))
    first = tested = statement.line
    when = cut(_DENIED.sub(r"!\1", move.condition), LONGEST)
    around = [one for one in statement.around() if one.kind not in ("unit", "generate")]
    for outer in around:
        if outer.kind in ("branch", "arm"):
            lines.add(outer.line)
            is_rest = (outer.kind, outer.head) == ("arm", "default")
            if move.source in labels_of(outer) or (is_rest and move.source == "default"):
                tested = outer.line
    missing = set(_WORD.findall(when))
    for line in [first, *(one.line for one in around)]:
        if line <= first:
            missing -= set(_WORD.findall(view.lines(line, statement.end_line)))
            first = line
        if first <= tested and not missing:
            break
    return Transition(
        move.source or ANY, move.target, when, first, statement.end_line,
        tuple(sorted(lines)), unless=move.unless,
    )  # fmt: skip
