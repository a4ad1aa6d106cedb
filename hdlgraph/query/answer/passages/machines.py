"""Finds the state machines of a file: their states, and the transitions with their conditions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hdlgraph.parsers.text.conditions import all_of
from hdlgraph.parsers.text.machines import stem
from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.passages.view import FileView

LONGEST = 150  # characters of a condition that is said in words
WIDEST = 260  # characters of a choice between states that is said in words
LEAST = 2  # states of a machine
_NAME = re.compile(r"(?<![\w$'.`])[A-Za-z_][\w$]*(?:::[A-Za-z_][\w$]*)?")
_EQUAL = re.compile(r"([A-Za-z_][\w$]*)\s*===?\s*([A-Za-z_][\w$]*)")


@dataclass(frozen=True, slots=True)
class Transition:
    """From one state to another, under a condition, and the lines that say so."""

    source: str
    target: str
    when: str
    line: int
    end_line: int
    lines: tuple[int, ...]
    default: bool = False
    """Whether a later assignment in the same state may override it."""
    unless: tuple[int, ...] = ()
    """Lines of such assignments, where they are known."""

    def words(self) -> str:
        """Returns the transition in words."""
        when = f" when {self.when}" if self.when else ""
        return f"{self.source} -> {self.target}{when}"


@dataclass(frozen=True, slots=True)
class Machine:
    """A state machine.

    `states` are its states in order, `line` to `end_line` where they are declared, `name` the
    type or the register, as it stands there; "" where nothing names them together. `arms` say
    what it does in each state, `stem` is the name of its register without what marks the next
    value, `holder` the case or process. `unit` and `register` are "" where the text alone is
    known.
    """

    name: str
    states: tuple[str, ...]
    line: int
    end_line: int
    transitions: tuple[Transition, ...]
    arms: tuple[Statement, ...] = ()
    stem: str = ""
    holder: Statement | None = None
    unit: str = ""
    register: str = ""


def machines(view: FileView) -> list[Machine]:
    """Returns the state machines that the text of a file shows, in its order.

    They are cases over a register, and processes that compare one in their conditions.
    """
    found: dict[tuple[str, ...], Machine] = {}
    cases = view.outline.named("case")
    for holder in [*cases, *_comparing(view, cases)]:
        arms = holder.children if holder.kind == "case" else list(_branches(holder))
        labels = list(dict.fromkeys(name for arm in arms for name in labels_of(arm)))
        if holder.kind == "always":
            labels = list(dict.fromkeys([*labels, *_entered(holder, _register(arms))]))
        if len(labels) < LEAST or holder.line in view.checked:
            continue
        name, states, line, end_line = _declared(view, labels) or _undeclared(view, holder, labels)
        moves = tuple(_transitions(arms, frozenset(states)))
        if not moves:
            continue
        known = found.get(states)
        if known is None or len(known.transitions) < len(moves):
            own = [arm for arm in arms if arm.kind == "arm" or states_of(arm, states)]
            tested = holder.head if holder.kind == "case" else _register(arms)
            found[states] = Machine(
                *(name, states, line, end_line, moves, tuple(own), stem(tested.strip("() "))),
                holder,
            )
    return list(found.values())


def _comparing(view: FileView, cases: list[Statement]) -> Iterator[Statement]:
    """Yields the processes without a case whose conditions compare a register with names."""
    with_case = {id(case.process) for case in cases}
    for process in view.outline.named("always"):
        if id(process) not in with_case and any(map(labels_of, _branches(process))):
            yield process


def _branches(process: Statement) -> Iterator[Statement]:
    return (one for one in process.walk() if one.kind == "branch")


def _register(arms: Iterable[Statement]) -> str:
    """Returns the name that conditions compare with a state, "" if none does."""
    return next((found[1] for arm in arms for found in _EQUAL.finditer(arm.head)), "")


def _entered(process: Statement, register: str) -> Iterator[str]:
    """Yields the names that a process assigns to its register."""
    for one in process.walk():
        value = one.right_side if one.kind == "set" and one.lefts else ""
        if value and stem(one.left_sides[0]) == stem(register) and _NAME.fullmatch(value):
            yield value


def labels_of(arm: Statement) -> list[str]:
    """Returns the state names that pick an arm, or a branch that compares with one."""
    if arm.kind == "arm":
        plain = [part.strip() for part in arm.head.split(",")]
        return [p.split("::")[-1] for p in plain if re.fullmatch(r"`?[A-Za-z_][\w$:]*", p)
                and p != "default"]  # fmt: skip
    return [found[2] for found in _EQUAL.finditer(arm.head)]


def states_of(arm: Statement, states: tuple[str, ...]) -> list[str]:
    """Returns the labels of an arm that are states."""
    return [name for name in labels_of(arm) if name in states]


def _declared(view: FileView, labels: list[str]) -> tuple[str, tuple[str, ...], int, int] | None:
    """Returns (name, states, line, end line) of what declares the states, None where nothing."""
    for one in view.outline.statements:
        if one.kind in ("typedef", "declaration") and one.members:
            shared = [m for m in labels if m in one.members]
            if len(shared) >= LEAST:
                name = one.name or next((n for n in one.declares if n not in one.members), "")
                return name, tuple(one.members), one.line, one.end_line
    places = [view.outline.declarations[m] for m in labels if m in view.outline.declarations]
    constants = [one for one in places if one.word in ("localparam", "parameter")]
    if len(constants) >= LEAST:
        names = [m for m in labels if m in view.outline.declarations]
        lines = sorted((one.line, one.end_line) for one in constants)
        if lines[-1][1] - lines[0][0] <= 3 * len(names) + 8:
            return "", tuple(names), lines[0][0], lines[-1][1]
    return None


def _undeclared(
    view: FileView, holder: Statement, labels: list[str]
) -> tuple[str, tuple[str, ...], int, int]:
    """Returns (name, states, line, end line) where the states are declared in another file.

    What is assigned to the register outside the case, as in an error, is a state too.
    """
    named = holder.kind == "case" and _NAME.fullmatch(holder.head)
    last = holder.end_line
    own = stem(holder.head) if named else ""
    unit = view.unit_at(holder.line)
    for one in view.outline.statements:
        if not own or one.kind != "set" or not one.lefts or view.unit_at(one.line) is not unit:
            continue
        value = one.right_side
        scoped = "::" in value or value.lstrip("`")[:1].isupper()
        if stem(one.left_sides[0]) != own or not scoped or not _NAME.fullmatch(value):
            continue
        state = value.split("::")[-1]
        if one.line >= holder.line and state not in labels and stem(state) != own:
            labels = [*labels, state]
            last = max(last, one.end_line)
    return holder.head if named else "", tuple(labels), holder.line, last


def _transitions(arms: list[Statement], states: frozenset[str]) -> Iterator[Transition]:
    for arm in arms:
        sources = labels_of(arm) or (["default"] if arm.kind == "arm" else [])
        if arm.kind == "branch" and not (len(sources) == 1 and sources[0] in states):
            continue
        for source in sources:
            for one in arm.walk():
                target = _target(one, states) if one.kind == "set" and one.lefts else ""
                if target and target != source:
                    yield _transition(arm, one, source, target)


def _target(one: Statement, states: frozenset[str]) -> str:
    """Returns what a statement assigns where that is a state, or one of several."""
    value = one.right_side
    named = [name.split("::")[-1] for name in _NAME.findall(value)]
    if not states & set(named) or len(value) > WIDEST:
        return ""
    if _NAME.fullmatch(value):
        return value.split("::")[-1]
    return value if "?" in value else ""


def _transition(arm: Statement, one: Statement, source: str, target: str) -> Transition:
    conditions = []
    lines = {arm.line, *range(one.line, one.end_line + 1)}
    for outer in one.around():
        if outer is arm:
            break
        if outer.kind == "branch":
            lines.add(outer.line)
            conditions.append(condition_of(outer))
        elif outer.kind in ("arm", "case"):
            lines.add(outer.line)
            if outer.kind == "arm":
                conditions.append(f"{outer.parent.head if outer.parent else ''} is {outer.head}")
    when = all_of(reversed(conditions), "and")
    if arm.kind == "branch":
        rest = re.sub(r"^\s*&&\s*|\s*&&\s*$", "", _EQUAL.sub("", arm.head)).strip("() ")
        when = all_of((rest, when), "and")
    when = cut(when, LONGEST)
    default = _overridden(arm, one)
    return Transition(source, target, when, arm.line, one.end_line, tuple(sorted(lines)), default)


def _overridden(arm: Statement, one: Statement) -> bool:
    """Returns whether conditions further down in an arm assign the same register anew."""
    around = set(map(id, one.around()))
    for other in arm.walk():
        if other.kind != "set" or not other.lefts or other.line <= one.end_line:
            continue
        if other.left_sides[0] != one.left_sides[0] or other.parent is one.parent:
            continue
        shared = next((o for o in other.around() if id(o) in around), None)
        if shared is one.parent:
            return True
    return False


def cut(text: str, longest: int) -> str:
    """Returns a text of at most so many characters, with what is cut off shown by a mark."""
    return text if len(text) <= longest else text[: longest + 1].rpartition(" ")[0] + " …"


def condition_of(branch: Statement) -> str:
    """Returns when a branch is taken: its condition, and that those before it fail."""
    before = []
    for one in branch.parent.children if branch.parent else ():
        if one is branch:
            break
        before.append(f"not ({one.head})")
    return all_of((*before, branch.head), "and")
