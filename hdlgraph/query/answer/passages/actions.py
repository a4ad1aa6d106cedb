"""Finds what a state machine does in each state, and where it changes its state outside of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hdlgraph.parsers.text.conditions import all_of
from hdlgraph.parsers.text.machines import stem
from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.passages.guards import opening
from hdlgraph.query.answer.passages.machines import Machine, condition_of, labels_of
from hdlgraph.query.answer.passages.view import FileView

ACTS = 6  # assignments told of one state
MAX_CHARS = 240  # characters of all of these
ACT = 60  # characters of one
WHEN = 70  # characters of the conditions of one
OUTSIDE = 14  # lines of a change of state outside the states
_RESET = re.compile(r"^\W*\w*(?:rst|reset)\w*\W*$", re.I)
_NAME = re.compile(r"(?<![\w$'.`])[A-Za-z_][\w$]*(?!::)\b")
_FLOW = frozenset("branch arm".split())


@dataclass(frozen=True, slots=True)
class Acts:
    """What is assigned in a state, `acts` in words, and the lines of the state."""

    state: str
    acts: tuple[str, ...]
    line: int
    end_line: int

    def words(self) -> str:
        """Returns the assignments in words: `In IDLE: req = 1'b0; cnt = '0 when clr`."""
        return f"In {self.state}: {'; '.join(self.acts)}"


def acts_of(view: FileView, machine: Machine) -> list[Acts]:
    """Returns what a machine assigns in each state beside the next state, in the text's order."""
    found = []
    for arm in machine.arms:
        texts = list(_action_texts(arm, machine))
        worth = {act: sum(view.worth_of(act).values()) for act in texts}
        best = sorted(texts, key=lambda act: (-worth[act], texts.index(act)))[:ACTS]
        while best and sum(map(len, best)) > MAX_CHARS:
            best.pop()
        kept = tuple(act for act in texts if act in best)
        states = labels_of(arm) if kept else ()
        found += [Acts(state, kept, arm.line, arm.end_line) for state in states]
    return found


def _action_texts(arm: Statement, machine: Machine) -> Iterator[str]:
    seen: set[str] = set()
    for one in arm.walk():
        if one.kind != "set" or len(one.lefts) != 1 or stem(one.left_sides[0]) == machine.stem:
            continue
        text = " ".join(one.text.rstrip("; ").split())
        when = all_of(reversed([_when(outer) for outer in _within(one, arm)]), "and")
        action = f"{text} when {when}" if when else text
        if len(text) > ACT or len(when) > WHEN or ";" in action or " when " in text:
            continue
        if "otherwise" not in when and action not in seen:
            seen.add(action)
            yield action


def _when(outer: Statement) -> str:
    """Returns when a branch, or an arm of a case within a state, is taken."""
    if outer.kind == "arm" and outer.parent is not None:
        return f"{outer.parent.head} is {outer.head}"
    return condition_of(outer)


def _within(one: Statement, arm: Statement) -> Iterator[Statement]:
    """Yields the branches around a statement within an arm, the innermost first."""
    for outer in one.around():
        if outer is arm:
            return
        if outer.kind in _FLOW:
            yield outer


def _excluded(outer: Statement) -> bool:
    """Returns whether a statement is an arm, or a branch that a reset leads to."""
    clocked = outer.process is not None and "edge" in outer.process.head
    return outer.kind == "arm" or outer.reset or (clocked and bool(_RESET.search(outer.head)))


def outside(view: FileView, machine: Machine) -> list[tuple[int, ...]]:
    """Returns the lines of the branches that set a machine's state whatever state it is in.

    A flush, a kill or an error often does so after the case. Reset branches are left out.
    """
    inner = {id(one) for arm in machine.arms for one in arm.walk()}
    found: dict[int, tuple[int, ...]] = {}
    for one in view.outline.statements:
        if one.kind != "set" or id(one) in inner or not one.lefts:
            continue
        names = set(_NAME.findall(one.right_side))
        if stem(one.left_sides[0]) != machine.stem or not names & set(machine.states):
            continue
        around = list(one.around())
        branches = [o for o in around if o.kind == "branch" and o.process is not None]
        branch = branches[-1] if branches else None
        if branch is None or one.line in view.checked or any(map(_excluded, around)):
            continue
        last = branch.end_line
        if last - branch.line >= OUTSIDE:
            lines = {n for o in branches for n in opening(o, one.line)}
            lines |= set(range(one.line, one.end_line + 1)) | set(found.get(branch.line, ()))
            found[branch.line] = tuple(sorted(lines))
        else:
            found[branch.line] = tuple(range(branch.line, last + 1))
    return [found[line] for line in sorted(found)]
