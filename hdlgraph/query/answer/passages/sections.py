"""Writes the parts of an answer from one file: one section for each thing a question may ask."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence

from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.page import Page
from hdlgraph.query.answer.passages.actions import acts_of, outside
from hdlgraph.query.answer.passages.choice import grouped
from hdlgraph.query.answer.passages.declared import configuration
from hdlgraph.query.answer.passages.guards import guards
from hdlgraph.query.answer.passages.machines import Machine, Transition, labels_of
from hdlgraph.query.answer.passages.ports import interface
from hdlgraph.query.answer.passages.resets import reset_values
from hdlgraph.query.answer.passages.transitions import machines
from hdlgraph.query.answer.passages.view import FileView, worths
from hdlgraph.query.question.aims import Aim
from hdlgraph.words import terms

TRANSITIONS = 30
LATER = 3  # lines that may override a transition, named with it
COMMON = 3  # transitions that a line overrides, which is then said once
FURTHER = 6  # other state machines of a file that are named
ARMS = 70  # lines of the states that are quoted, those of the question first
DECIDED = 3  # groups of lines, of which the one that says most stands first
WIDE = 30  # lines of what is asked for, with fewer of which FEW lines of the states are quoted
FEW = 28
QUOTED = 30  # lines of the transitions that are not told in words
MOVES = 6  # transitions of a question that names a state without asking for all
CHANGES = 3  # of a machine's state outside the states
ARM = 30  # lines of a state that the question names, shown whole
ACTING = 10  # states whose assignments are told
INSTANCES = 3
CONNECTIONS = 5  # lines of an instance's connections that the question asks for
_KIND = terms("state states machine machines fsm transition transitions next current")
_HAS_WORD = re.compile(r"(?!end)\b[A-Za-z]")
"""What a line has that does not only close something."""


def states(page: Page, view: FileView, lines: int) -> bool:
    """Adds the states and transitions of the machine that the question means; False if none."""
    best = best_machine(view)
    if best is None:
        return False
    transitions = add_machine(page, view, best, lines)
    _changes_outside(page, view, best)
    _arms(page, view, best, lines)
    _quote_others(page, view, best, transitions)
    if best.holder is not None:
        page.shown |= {(view.path, n) for n in range(best.holder.line, best.holder.end_line + 1)}
    return True


def best_machine(view: FileView) -> Machine | None:
    """Returns the state machine of a file that the question means, None where there is none.

    That is the one with words of the question that do not only name the file, else the largest.
    """
    return max(
        machines(view),
        key=lambda m: (_machine_worth(view, m), len(m.transitions), -m.line),
        default=None,
    )


def add_machine(page: Page, view: FileView, machine: Machine, lines: int) -> list[Transition]:
    """Adds the states of a machine and its transitions, in so many lines; returns the latter.

    How many are left out is said, and so are the other machines of the file.
    """
    named = f" of {machine.name}" if machine.name else ""
    page.state(
        f"States{named} ({len(machine.states)}): {', '.join(machine.states)}",
        *(view.path, machine.line, machine.end_line),
    )
    chosen = _asked(view, machine.transitions, min(TRANSITIONS, max(lines - 1, 1)))
    always = _always([one for one in chosen if one.source in machine.states])
    for one in chosen:
        later = [n for n in one.unless if n not in always or one.source not in machine.states]
        page.state(f"  {one.words()}{_unless(later)}", view.path, one.line, one.end_line)
        if one.default:
            page.add("    unless an assignment further down in this state overrides it")
        page.shown |= {(view.path, n) for n in one.lines}
    if always:
        page.add(f"  each of these from a state{_unless(sorted(always))}")
    left = len({one.words() for one in machine.transitions}) - len(chosen)
    whole = f": `hdlgraph fsm {machine.unit}`" if machine.unit else ""
    if left > 0:
        page.add(f"  ... {left} more transitions{whole}")
    _others(page, view, machine)
    return chosen


def _always(stated: Collection[Transition]) -> set[int]:
    """Returns the lines that may override most of the transitions from states, said once of all.

    Where another leads to the same state, or cannot be reached together with one, saying so of it
    is true as well.
    """
    counts = Counter(line for one in stated for line in set(one.unless))
    return {line for line, count in counts.items() if count >= COMMON and 2 * count >= len(stated)}


def _unless(lines: Sequence[int]) -> str:
    """Returns the words that one of some later lines takes the place of a transition."""
    if not lines:
        return ""
    listed = ", ".join(map(str, lines[:LATER]))
    return f", unless line {listed}{' or a later one' if len(lines) > LATER else ''} sets another"


def _others(page: Page, view: FileView, machine: Machine) -> None:
    """Adds the other state machines of a file, by name."""
    rest = [one for one in machines(view) if one is not machine and one.register]
    texts = [
        f"{one.unit}.{one.register} ({len(one.states)} states, "
        f"{len(one.transitions)} transitions: `hdlgraph fsm {one.unit}`)"
        for one in rest[:FURTHER]
    ]
    if texts:
        more = f", and {len(rest) - FURTHER} more" if len(rest) > FURTHER else ""
        page.add(f"Other state machines of this file: {'; '.join(texts)}{more}")


def _quote_others(
    page: Page, view: FileView, machine: Machine, stated: Collection[Transition]
) -> None:
    """Quotes the transitions that are not described in words, and says how many are not quoted."""
    words = {one.words() for one in stated}
    quoted = {line for path, line in page.quoted if path == view.path}
    rest = [
        one
        for one in machine.transitions
        if one.words() not in words and not quoted.issuperset(one.lines)
    ]
    numbers: set[int] = set()
    left = 0
    for one in rest:
        lines = set(one.lines) | guards(view, one.lines)
        if len(numbers | lines) <= QUOTED:
            numbers |= lines
        else:
            left += not machine.unit  # else how to get all is said
    if numbers:
        page.add("Further transitions:")
        page.code(view.path, view.source, sorted(numbers))
    if left:
        page.add(f"  and {left} more")


def _changes_outside(page: Page, view: FileView, machine: Machine) -> None:
    """Adds the lines that set a machine's state in whatever state it is."""
    found = outside(view, machine)[:CHANGES]
    if found:
        page.add("Set outside the states:")
    for lines in found:
        page.code(view.path, view.source, lines)
        page.shown |= {(view.path, n) for n in lines}


def _arms(page: Page, view: FileView, machine: Machine, lines: int) -> None:
    """Adds what a machine does in each state: whole where the question names it, else in words."""
    named = [*_whole_arms(page, view, machine), *_best_arms(page, view, machine, lines)]
    acts = [one for one in acts_of(view, machine) if all(one.line != arm.line for arm in named)]
    worth = {one: sum(view.worth_of(one.words()).values()) for one in acts}
    best = sorted(acts, key=lambda one: (-worth[one], one.line))[: max(min(ACTING, lines // 3), 2)]
    for one in acts:
        if one in best:
            page.state(f"  {one.words()}", view.path, one.line, one.end_line)


def _best_arms(page: Page, view: FileView, machine: Machine, lines: int) -> list[Statement]:
    """Adds the lines of the states that say most of the question, as many as fit; returns these."""
    worth = {}
    for arm in machine.arms:
        above = view.outline.first_line(arm)
        text = view.lines(above, arm.end_line)
        worth[arm] = (sum(view.worth_of(text).values()), range(above, arm.end_line + 1))
    left = ARMS if lines >= WIDE else FEW
    best = []
    for arm in sorted(worth, key=lambda one: (-worth[one][0], one.line)):
        size = sum(bool(view.source.lines[n - 1].strip()) for n in worth[arm][1])
        if size <= left:
            left -= size
            best.append(arm)
    numbers = {n for arm in best for n in worth[arm][1] if (view.path, n) in page.quoted}
    numbers = {n for arm in best for n in worth[arm][1]} - numbers
    if numbers:
        page.code(view.path, view.source, sorted(numbers))
    return best


def moves(page: Page, view: FileView, lines: int) -> bool:
    """Adds the transitions from or to a state that the question names; False if none."""
    every = {one.words(): one for machine in machines(view) for one in machine.transitions}
    scored = [
        (sum(view.worth_of(f"{one.source} {one.target}").values()), one) for one in every.values()
    ]
    top = max((worth for worth, _ in scored), default=0.0)
    if not view.asks_for(top):
        return False
    stated = {line.partition(" [")[0] for line in page.lines}
    named = [one for worth, one in scored if worth >= 0.8 * top][: min(MOVES, lines)]
    named = [one for one in named if f"  {one.words()}" not in stated]
    for machine in machines(view):
        _whole_arms(page, view, machine)
    for one in named:
        page.state(f"  {one.words()}", view.path, one.line, one.end_line)
    return bool(named)


def _whole_arms(page: Page, view: FileView, machine: Machine) -> list[Statement]:
    """Adds the lines of the states that the question names, and returns these."""
    short = [arm for arm in machine.arms if arm.end_line - arm.line < ARM]
    named = [arm for arm in short if view.names(labels_of(arm))][:2]
    for arm in named:
        lines = range(arm.line, arm.end_line + 1)
        if not all((view.path, n) in page.shown for n in lines):
            page.code(view.path, view.source, lines)
    return named


def _machine_worth(view: FileView, machine: Machine) -> float:
    """Returns what the names of a machine are worth by words that do not just say what it is."""
    plain = view.own_name.keys() | worths(_KIND, view.wanted).keys()
    text = " ".join((machine.name, machine.register, *machine.states))
    return sum(worth for number, worth in view.worth_of(text).items() if number not in plain)


def _asked(view: FileView, moves: tuple[Transition, ...], most: int) -> list[Transition]:
    """Returns the transitions, each once; of too many those that the question speaks of.

    One with a condition too long to be said is left out where another says how to get there.
    """
    once = list({one.words(): one for one in moves}.values())
    pairs = {(one.source, one.target) for one in once if not one.when.endswith("…")}
    once = [
        one for one in once if not one.when.endswith("…") or (one.source, one.target) not in pairs
    ]
    if len(once) <= most:
        return once
    worth = {id(one): sum(view.worth_of(f"{one.source} {one.target}").values()) for one in once}
    best = sorted(once, key=lambda one: -worth[id(one)])[:most]
    return [one for one in once if one in best]


def instances(page: Page, view: FileView, lines: int) -> bool:
    """Adds the instances that the question asks for, with connections it names; False if none."""
    scored = [
        (sum(view.words(one).values()), one)
        for one in view.outline.named("instance")
        if one.line not in view.checked
    ]
    scored = [pair for pair in scored if pair[0] > 0]
    if not scored:
        return False
    top = max(worth for worth, _ in scored)
    best = [one for worth, one in sorted(scored, key=lambda p: (-p[0], p[1].line))
            if worth >= 0.6 * top][:INSTANCES]  # fmt: skip
    for one in sorted(best, key=lambda s: s.line):
        unit = view.unit_at(one.line)
        name = _name_line(view, one)
        if unit is not None and one.name:
            text = f"{unit.name} instantiates {one.unit} as {one.name}"
            page.state(text, view.path, one.line, name)
        named = view.worth_of(f"{one.unit} {one.name}").keys()
        asked = [
            (
                sum(
                    w for k, w in view.worth_of(view.source.lines[n - 1]).items() if k not in named
                ),
                n,
            )
            for n in range(name + 1, one.end_line + 1)
        ]
        wanted = sorted((p for p in asked if p[0] > 0), key=lambda p: (-p[0], p[1]))
        numbers = {n for _, n in wanted[: min(CONNECTIONS, lines)]}
        around = guards(view, [one.line])
        if numbers or around:
            page.code(view.path, view.source, sorted({one.line} | numbers | around))
        page.shown |= {(view.path, n) for n in range(one.line, one.end_line + 1)}
    return True


def _name_line(view: FileView, instance: Statement) -> int:
    """Returns the line on which an instance has its name, its first line where none has."""
    word = re.compile(rf"(?<![\w$]){re.escape(instance.name)}(?![\w$])")
    for number in range(instance.line, instance.end_line + 1):
        code = view.source.lines[number - 1].split("//")[0]
        if number == instance.line:
            code = code.replace(instance.unit, "", 1)
        if word.search(code):
            return number
    return instance.line


def clocks(page: Page, view: FileView, lines: int) -> bool:
    """Adds the first process on each clock edge; False if none."""
    heads: dict[str, int] = {}
    for one in view.outline.named("always"):
        if "edge" in one.head and one.line not in view.checked:
            heads.setdefault("".join(one.head.split()), one.line)
    if not heads:
        return False
    page.code(view.path, view.source, list(heads.values())[: min(6, lines)])
    return True


def statements(page: Page, view: FileView, chosen: Collection[int]) -> bool:
    """Adds the chosen lines of a file that the answer does not show yet; False if none."""
    shown = False
    fresh = {n for n in chosen if (view.path, n) not in page.shown}
    for numbers in _decisive_first(view, grouped(view, fresh)):
        code = [view.source.lines[n - 1] for n in numbers if n in fresh and view.is_code(n)]
        if code and (not page.new_code(code) or not any(map(_HAS_WORD.search, code))):
            continue
        page.code(view.path, view.source, numbers)
        shown = True
    return shown


def _decisive_first(view: FileView, groups: list[list[int]]) -> list[list[int]]:
    """Returns groups of lines in their order, but first the code that says most of the question."""
    if len(groups) < DECIDED:
        return groups
    worth = [
        sum(view.worth_of("\n".join(view.source.lines[n - 1] for n in numbers)).values())
        if any(map(view.is_code, numbers))
        else 0.0
        for numbers in groups
    ]
    best = max(range(len(groups)), key=lambda number: (worth[number], -number))
    return [groups[best], *(one for one in groups if one is not groups[best])]


SECTIONS: dict[Aim, Callable[[Page, FileView, int], bool]] = {
    Aim.STATES: states,
    Aim.RESET: reset_values,
    Aim.INTERFACE: interface,
    Aim.CONFIGURE: configuration,
    Aim.INSTANCES: instances,
    Aim.CLOCK: clocks,
    Aim.WHEN: moves,
}
