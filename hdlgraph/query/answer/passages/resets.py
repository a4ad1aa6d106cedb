"""Shows what a file assigns while a reset is active, and what first changes it afterwards."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hdlgraph.parsers.text.expressions import names
from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.page import Page
from hdlgraph.query.answer.passages.declared import ports
from hdlgraph.query.answer.passages.guards import guards
from hdlgraph.query.answer.passages.logic import context_lines
from hdlgraph.query.answer.passages.view import FileView
from hdlgraph.query.question.aims import Aim

_VALUE = re.compile(r"\w*(?:res(?:et)?_?val(?:ue)?|rst_?val(?:ue)?|init_?val(?:ue)?)\w*", re.I)
BRANCH = 20  # lines of a reset branch that is shown whole
PROCESS = 24  # lines of a process with a reset that is shown whole
LINES = 36  # of all of them
RESETS = 8
NEXT = 3  # statements that load a register after reset
LOAD = 6  # lines of one of them
CLOSE = 0.5  # share of the best one's worth from which a register is shown
LEAST = 0.15  # the same from which one says anything of it
BEST = 0.3  # share of a term's worth from which a register answers it
LONGEST = 60  # characters of a value that is said in words


@dataclass(frozen=True, slots=True)
class Reset:
    """A name, the value it takes on reset, its line, and the lines of what encloses that.

    `branch` has the lines of the whole reset branch where it is short, else nothing, `process`
    those of the whole process; `terms` says what the question's terms in it are worth.
    """

    name: str
    value: str
    line: int
    end_line: int
    worth: float
    lines: tuple[int, ...]
    branch: tuple[int, ...] = ()
    process: tuple[int, ...] = ()
    terms: tuple[tuple[int, float], ...] = ()
    constant: bool = True

    def words(self) -> str:
        """Returns it in words, "" where the value is too long for them or is no constant."""
        plain = self.constant and len(self.value) <= LONGEST
        return f"{self.name} resets to {self.value}" if plain else ""


def reset_values(page: Page, view: FileView, lines: int) -> bool:
    """Adds what is assigned on reset to the names that the question asks for; False if none.

    The process or the reset branch of each is shown whole where it is short, and after it what
    loads the register when the reset is over.
    """
    found = resets(view)
    values = held(view)
    if values and values[0][0] > (found[0].worth if found else 0.0):
        for worth, kept, lines_of in values[:3]:
            if worth >= 0.7 * values[0][0]:
                page.code(view.path, view.source, lines_of)
                page.shown |= {(view.path, n) for n in range(kept.line, kept.end_line + 1)}
        if not found or found[0].worth < CLOSE * values[0][0]:
            return True
    few = len(found) <= RESETS and next(iter(view.aims), None) is Aim.RESET
    if not found or not (few or view.is_meant or view.asks_for(found[0].worth)):
        return False
    asked = _asked(view, found) if view.asks_for(found[0].worth) or not few else found
    for one in sorted(asked, key=lambda r: r.line):
        if one.words():
            page.state(one.words(), view.path, one.line, one.end_line)
    most = max(lines, LINES)
    numbers: set[int] = set()
    for one in asked:
        offers = (one.process, (*one.branch, *one.lines), one.lines)
        numbers |= next((set(o) for o in offers if o and len(numbers | set(o)) <= most), set())
    for one in asked:
        for more in loads(view, one):
            if len(numbers | more) <= most:
                numbers |= more
    numbers |= guards(view, numbers)
    shown = sorted(n for n in numbers if view.source.lines[n - 1].strip())
    page.code(view.path, view.source, shown)
    return True


def _asked(view: FileView, found: list[Reset]) -> list[Reset]:
    """Returns the registers that the question asks for, the best first.

    They are those worth about as much as the best one, for each weighty term of the question the
    one that says most of it, and those that a flag set by reset alone loads afterwards.
    """
    best = [one for one in found if one.worth >= CLOSE * found[0].worth][:RESETS]
    weights: dict[int, float] = {}
    for number, worth in view.wanted.values():
        weights[number] = max(weights.get(number, 0.0), worth)
    top = max(weights.values(), default=0.0)
    for number in sorted(weights, key=lambda n: (-weights[n], n)):
        if weights[number] < CLOSE * top:
            break
        least = BEST * weights[number]
        if not any(dict(one.terms).get(number, 0.0) >= least for one in best):
            offers = [(dict(one.terms).get(number, 0.0), -one.line, one) for one in found]
            most = max(offers, key=lambda offer: offer[:2])
            best += [most[2]] if most[0] >= LEAST * weights[number] else []
    best = list(dict.fromkeys(best))
    for one in list(best):
        loaded = {_stem(name) for flag in _flags(view, one) for name in _written(flag)}
        best += [two for two in found if _stem(two.name) in loaded and two not in best][:2]
    return best[: RESETS + 2]


def _stem(name: str) -> str:
    """Returns the name of a register without the letters for its present or next value."""
    return re.sub(r"_(?:[dqn]|next|nxt|reg|ff)$", "", re.split(r"[.\[]", name)[0])


def _written(one: Statement) -> list[str]:
    return [name for inner in one.walk() for name in inner.writes]


def _flags(view: FileView, reset: Reset) -> list[Statement]:
    """Returns the only condition that tests a flag which reset sets, nothing for other names."""
    base = re.split(r"[.\[]", reset.name)[0]
    if not reset.value.endswith("1"):
        return []
    readers = [s for s in view.outline.reading(base) if s.kind == "branch" and _after(s)]
    return readers if len(readers) == 1 else []


def loads(view: FileView, reset: Reset) -> list[set[int]]:
    """Returns the lines of each statement that gives a register its value when reset is over.

    Where the register takes over a next value unchanged, they are those that compute this one;
    where reset sets a flag that a single condition tests, that condition's too.
    """
    base = re.split(r"[.\[]", reset.name)[0]
    own = [one for one in view.outline.assigning(base) if _after(one) and one.lefts]
    found = [one for one in own if one.kind == "set"]
    for one in list(found):
        read = names(one.right_side)
        if len(read) == 1 and one.right_side.strip() == read[0] and read[0] != base:
            found += [s for s in view.outline.assigning(read[0]) if s.kind in ("set", "assign")]
    return [_loading(one) for one in [*_flags(view, reset), *found[: NEXT + 1]]]


def _loading(one: Statement) -> set[int]:
    first, last = one.line, min(one.end_line, one.line + LOAD - 1)
    return set(range(first, last + 1))


def _after(one: Statement) -> bool:
    """Returns whether a statement stands outside of every reset branch."""
    return not one.reset and not any(outer.reset for outer in one.around())


def _signals(view: FileView) -> frozenset[str]:
    """Returns the names of a file's ports and signals, whose values are no constants."""
    found = {one.name for one in ports(view)}
    for name, one in view.outline.declarations.items():
        if one.kind == "declaration" and one.word not in ("parameter", "localparam"):
            found |= {name} - set(one.members)
    return frozenset(found)


def resets(view: FileView) -> list[Reset]:
    """Returns what is reset in a file, that worth most to the question first."""
    found: dict[str, Reset] = {}
    signals = _signals(view)
    for one in view.outline.statements:
        if one.kind != "set" or not one.lefts or one.line in view.checked:
            continue
        branch = _reset_branch(one)
        if branch is None:
            continue
        process = one.process or branch
        name = one.left_sides[0]
        lines = context_lines(one, process) | set(range(one.line, one.end_line + 1))
        terms = view.words(one)
        worth = sum(terms.values())
        short = branch.end_line - branch.line < BRANCH
        whole = tuple(range(branch.line, branch.end_line + 1)) if short else ()
        ordered = tuple(sorted(lines))
        around = tuple(range(process.line, process.end_line + 1))
        constant = not signals.intersection(names(one.right_side))
        reset = Reset(
            *(name, one.right_side, one.line, one.end_line, worth, ordered, whole),
            process=around if len(around) <= PROCESS else (),
            terms=tuple(sorted(terms.items())),
            constant=constant,
        )
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
    """Returns (worth, instance, lines) of registers in instances that are given their reset value.

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
