"""The state machines of a unit: registers whose next value is chosen among named states."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from hdlgraph.model import Machine, Type
from hdlgraph.parsers.operations.cases import Arm, Case
from hdlgraph.parsers.operations.code import Assignment, Code, same_register, stem, twins

STATES = 64
"""Kept of one machine."""
TRANSITIONS = 200
"""Kept of one machine."""
MACHINES = 16
"""Kept of one unit."""

CASES = 1000
"""Case statements of one unit that are read."""

_WORD = r"`?[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*"
_CONSTANT = re.compile(rf"(?:{_WORD}|(?:\d*'s?[bdhoBDHO])?[\da-fA-FxzXZ_]+)")
_NUMBER = re.compile(r"(?:\d+)?'s?([bdhoBDHO])([\da-fA-F_]+)|(\d+)")
_BIT = re.compile(r"([A-Za-z_]\w*)\[(`?[A-Za-z_]\w*)\]")
_LEAF = re.compile(rf"(?:^|[?:(])({_WORD}|\d+'s?[bdhoBDHO][\da-fA-F_]+|\d+)(?=[:;)]|$)")
_FLAG = re.compile(r"true|false|mubi|^on$|^off$|^high$|^low$|enabled?$|disabled?$", re.I)
"""What constants say that are no states but flags."""
_ELSEWHERE = re.compile(r"\b(?:else|case[xz]?)\b")
"""What stands between the head of a process and its reset branch only where that comes later."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_BASES = {"b": 2, "o": 8, "d": 10, "h": 16}


@dataclass
class _Found:
    """What is known of a machine while the unit is read."""

    register: str
    at: int
    labels: dict[str, int] = field(default_factory=dict)
    moves: dict[tuple[str, str], int] = field(default_factory=dict)
    targets: set[str] = field(default_factory=set)


def machines_of(
    code: Code, cases: Iterable[Case], types: Iterable[Type], lines: Mapping[str, int]
) -> tuple[Machine, ...]:
    """Returns the state machines of a unit.

    A machine is a register that a case statement (or comparisons) tests against constants of
    which it is assigned at least two.

    Args:
        code: the unit.
        cases: its case statements.
        types: the enums that may name states.
        lines: where constants are defined.
    """
    found: dict[str, _Found] = {}
    for case in sorted(cases, key=lambda one: one.at)[:CASES]:
        _read_case(code, case, found)
    _read_comparisons(code, found)
    enums = list(types)
    kept = sorted(found.values(), key=lambda one: (one.at, one.register))[:MACHINES]
    return tuple(_machine(code, one, enums, lines) for one in kept)


def _read_case(code: Code, case: Case, found: dict[str, _Found]) -> None:
    """Adds to `found` the machines whose next state a `case` statement chooses."""
    arms = [(arm, _labels(case, arm)) for arm in case.arms]
    subject = _subject(case, arms)
    labels = {label: arm.at for arm, names in reversed(arms) for label in names}
    if not subject or len(labels) < 2:
        return
    moves: dict[str, dict[tuple[str, str], int]] = defaultdict(dict)
    for arm, names in arms:
        for one in code.between(arm.at, arm.end):
            for leaf in leaves(one):
                if leaf in labels or (leaf not in code.declared and not leaf.isdigit()):
                    for name in names or ("",):
                        moves[one.name].setdefault((name, leaf), one.at)
    for target, steps in sorted(moves.items()):
        is_same = same_register(code, subject, target) or _are_tied(code, subject, target)
        reached = {leaf for _, leaf in steps if leaf in labels and not _FLAG.search(leaf)}
        if not is_same or len(reached) < 2 or _is_number_only(labels, reached, target):
            continue
        key = stem(subject)
        if key in found and not set(found[key].labels) & set(labels):
            key = f"{key} {case.at}"  # another machine of the name, in another generate block
        machine = found.setdefault(key, _Found(subject, case.at))
        machine.labels.update({k: v for k, v in labels.items() if k not in machine.labels})
        machine.targets |= {target, subject}
        for step, at in steps.items():
            machine.moves.setdefault(step, at)


def _subject(case: Case, arms: list[tuple[Arm, list[str]]]) -> str:
    """Returns the name that a case tests: of `case (1'b1)` the one whose bits are the labels."""
    if re.fullmatch(r"[A-Za-z_]\w*(?:\[[\w:+-]+\])?", case.subject):
        return case.subject.partition("[")[0]
    if case.subject in ("1'b1", "1", "'1"):
        names = {m[1] for arm, _ in arms for label in arm.labels if (m := _BIT.fullmatch(label))}
        return names.pop() if len(names) == 1 else ""
    return ""


def _labels(case: Case, arm: Arm) -> list[str]:
    """Returns the constants of an arm's labels; the default has none."""
    out = []
    for label in arm.labels:
        bit = _BIT.fullmatch(label) if case.subject in ("1'b1", "1", "'1") else None
        if bit:
            out.append(bit[2])
        elif label != "default" and _CONSTANT.fullmatch(label):
            out.append(constant(label))
    return out


def constant(text: str) -> str:
    """Returns a constant without its package; numbers in decimal."""
    text = re.sub(r"\s+", "", text)  # `2'b 01`
    number = _NUMBER.fullmatch(text)
    if not number:
        return text.rpartition("::")[2]
    if number[3]:
        return number[3]
    try:
        return str(int(number[2].replace("_", ""), _BASES[number[1].lower()]))
    except ValueError:
        return text


def leaves(one: Assignment) -> list[str]:
    """Returns the constants among which an assignment chooses, [] for any other right side."""
    bit = _BIT.fullmatch(one.left)
    if bit and one.right in ("1'b1", "1", "'1"):
        return [bit[2]]
    if "?" not in one.right:
        text = one.right.strip("()")
        return [constant(text)] if _CONSTANT.fullmatch(text) else []
    return [constant(found) for found in _LEAF.findall(one.right)]


def _is_number_only(labels: Iterable[str], reached: set[str], target: str) -> bool:
    """Returns whether nothing but plain numbers says that the register holds states."""
    if not all(label.isdigit() for label in labels):
        return False
    named = re.search(r"state|fsm|stm?$|_cs$|phase|step", target, re.I)
    return not named or len(reached) < 2


def _are_tied(code: Code, subject: str, target: str) -> bool:
    """Returns whether an instance or macro call joins the two, as a library's flip-flop does."""
    if any(subject in joined and target in joined for joined in code.joined):
        return True
    calls = (set(_NAME.findall(call)) for call in code.calls if target in call)
    return any(subject in names and target in names for names in calls)


def _read_comparisons(code: Code, found: dict[str, _Found]) -> None:
    """Adds the machines that compare their state with `==` and have no case statement."""
    compared: dict[str, dict[str, int]] = defaultdict(dict)
    for name, written, at in code.comparisons:
        value = written.rpartition("::")[2]
        if "'" in value:
            continue
        is_state = value not in code.declared and not value.islower() and not _FLAG.search(value)
        if is_state:
            compared[name].setdefault(value, at)
    for name, values in sorted(compared.items()):
        if len(values) < 2 or stem(name) in found:
            continue
        steps: dict[tuple[str, str], int] = {}
        for target in twins(code, name):
            for one in code.by_name[target]:
                for leaf in leaves(one):
                    if leaf not in code.declared and not leaf.isdigit():
                        steps.setdefault(("", leaf), one.at)
        reached = {leaf for _, leaf in steps}
        if len(reached) >= 2 and len(reached & set(values)) >= 2 and _is_register(code, name):
            found[stem(name)] = _Found(name, min(values.values()), values, steps, {name})


def _is_register(code: Code, name: str) -> bool:
    return any(one.clocked for one in code.by_name.get(name, ()))


def _machine(code: Code, found: _Found, types: list[Type], lines: Mapping[str, int]) -> Machine:
    """Returns the state machine that was found, its states and transitions with their lines."""
    names = dict(found.labels)
    for (_, reached), at in found.moves.items():
        names.setdefault(reached, at)
    kind = next((t for t in types if len(set(t.members) & set(names)) >= 2), None)
    if kind is not None:
        others = [name for name in names if name not in kind.members and not name.isdigit()]
        names = {**dict.fromkeys(kind.members, found.at), **{name: names[name] for name in others}}
    states = [
        (name, lines.get(name, lines.get(name.lstrip("`"), code.line(at))))
        for name, at in names.items()
    ]
    moves = [(a, b, code.line(at)) for (a, b), at in found.moves.items()]
    if kind is None:
        states.sort(key=lambda state: (state[1], state[0]))
    return Machine(
        register=found.register,
        line=code.line(found.at),
        states=tuple(states[:STATES]),
        transitions=tuple(sorted(moves, key=lambda move: (move[2], move))[:TRANSITIONS]),
        reset=_reset(code, found, set(names)),
    )


def _reset(code: Code, found: _Found, states: set[str]) -> str:
    """Returns the state after reset: what the clocked process with a reset assigns first."""
    wanted = found.targets | {found.register}
    for process in code.unit.processes:
        if not (process.clocks and process.resets):
            continue
        begin, end = code.offset(process.line), code.offset(process.end_line + 1)
        for one in code.between(begin, end):
            if one.clocked and one.name in wanted:
                head = code.text[begin : one.at]
                tested = set(_NAME.findall(head)) & set(process.resets)
                value = constant(one.right)
                if tested and value in states and not _ELSEWHERE.search(head):
                    return value
                break
    return ""
