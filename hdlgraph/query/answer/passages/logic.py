"""Finds the statements that say most about a question: whole ones, or parts with their context."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hdlgraph.parsers.text.machines import stem
from hdlgraph.parsers.text.statement import Statement
from hdlgraph.query.answer.passages.view import AROUND, CONDITION, FileView, raise_to

WHOLE = 12  # lines of a process, routine or instance that is shown in one piece
PART = 8  # lines of a part of a longer one
COVERING = 20  # lines of a file by which it is compared with others
WORTHWHILE = 0.25  # share of the best passage's worth from which another is shown
REPEATED = 0.4  # worth of a term that an earlier passage has shown
LOGIC = frozenset("assign always function task instance set if case call initial".split())
INSIDE = frozenset("set branch arm case if call loop".split())
DULL = 0.4  # of the worth of a default, or of a register that takes its next value
PASSED_ON = 0.5
DECIDES = 1.25  # of the worth of what depends on a condition, where one is asked for
_ASSIGN = re.compile(r"^assign\b[^=]*=\s*")
_PLAIN = re.compile(r"[\w$.:'\[\]`]+")
_DECLARED = 0.5  # worth of what is only declared
_KINDS = {"declaration": _DECLARED, "typedef": 0.6, "initial": 0.4, "macro": 0.6, "other": 0.3}


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of a file that belong together and what the question's terms in them are worth."""

    lines: tuple[int, ...]
    worths: dict[int, float]
    statement: Statement
    bonus: float = 0.0

    def value(self, seen: Iterable[int] = ()) -> float:
        """Returns the worth after the terms `seen`; of two alike the shorter is worth more."""
        known = set(seen)
        total = sum(w * (REPEATED if n in known else 1.0) for n, w in self.worths.items())
        return (total + self.bonus) / (len(self.lines) + 6) ** 0.2


def passages(view: FileView, lines: int, most: int = 5) -> list[Passage]:
    """Returns the passages worth most, best first, of so many lines together.

    Args:
        view: the file.
        lines: all of them together.
        most: passages wanted.
    """
    offers = list(view.kept("offers", lambda: tuple(_offers(view))))
    picked: list[Passage] = []
    seen: set[int] = set()
    taken: set[int] = set()
    left = lines
    while offers and len(picked) < most:
        best = max(offers, key=lambda one: (one.value(seen), -one.lines[0]))
        offers.remove(best)
        value = best.value(seen)
        if value <= 0 or (picked and value < WORTHWHILE * picked[0].value()):
            break
        fresh = [n for n in best.lines if n not in taken]
        if len(fresh) < len(best.lines) and len(fresh) < 3:
            continue
        if len(best.lines) > left:
            continue
        picked.append(best)
        seen |= best.worths.keys()
        taken |= set(best.lines)
        left -= len(best.lines)
    return picked


def covered(view: FileView) -> float:
    """Returns what a file's name and its best statements are worth to the question together."""
    best = dict(view.about)
    for one in passages(view, COVERING, most=2):
        raise_to(best, one.worths)
    return sum(best.values())


def _offers(view: FileView) -> Iterator[Passage]:
    for root in view.outline.statements:
        if root.kind in ("unit", "generate", "block", "parameters", "ports"):
            continue
        if root.process not in (None, root) or _in_routine(root):
            continue  # parts of processes are offered with their process
        if root.kind in ("if", "branch", "case", "arm", "loop"):
            if root.kind == "branch" and root.head:
                yield from _heads(view, root)
            continue
        yield from _of_statement(view, root)


def _heads(view: FileView, branch: Statement) -> Iterator[Passage]:
    """Offers the condition of a generate block with what it holds first."""
    found = view.words(branch)
    if found:
        last = min(branch.end_line, branch.line + 3)
        lines = tuple(range(view.above(branch), last + 1))
        yield Passage(lines, {n: 0.7 * w for n, w in found.items()}, branch)


def _in_routine(statement: Statement) -> bool:
    return any(outer.kind in ("function", "task") for outer in statement.around())


def _of_statement(view: FileView, statement: Statement) -> Iterator[Passage]:
    first = view.above(statement)
    length = statement.end_line - first + 1
    weight = _KINDS.get(statement.kind, 1.0) * _form_worth(view, statement)
    if length <= WHOLE:
        found = whole_worth(view, statement)
        if found:
            lines = tuple(range(first, statement.end_line + 1))
            yield Passage(lines, {n: weight * w for n, w in found.items()}, statement)
        return
    if not statement.children:
        yield from _long_leaf(view, statement, first, weight)
        return
    around = view.words(statement)
    yield from _slices(view, statement, around)
    for inner in statement.walk():
        if inner is not statement and inner.kind in INSIDE:
            yield from _part(view, statement, inner, around, weight)


def _form_worth(view: FileView, statement: Statement) -> float:
    """Returns what a statement counts by its form: one that only passes a value on says little."""
    if statement.kind == "assign" and _PLAIN.fullmatch(_ASSIGN.sub("", statement.right_side)):
        return PASSED_ON ** (2 if view.conditions else 1)
    if view.conditions and CONDITION.search(statement.text[:4000]):
        return DECIDES
    return 1.0


def whole_worth(view: FileView, statement: Statement) -> dict[int, float]:
    """Returns what a statement with all in it is worth; reset branches count little."""
    known: dict[Statement, dict[int, float]] = view.kept("whole", dict)
    if statement not in known:
        for one in reversed(list(statement.walk())):  # what stands in it first
            if one not in known:
                best: dict[int, float] = {}
                raise_to(best, view.words(one), 0.4 if _in_reset(view, one) else 1.0)
                for inner in one.children:
                    raise_to(best, known[inner])
                known[one] = best
    return known[statement]


def _in_reset(view: FileView, statement: Statement) -> bool:
    """Returns whether a statement, or one around it, is a branch that a reset leads to."""
    known: dict[Statement, bool] = view.kept("in reset", dict)
    waiting = [statement]
    while statement.parent is not None and statement not in known:
        statement = statement.parent
        waiting.append(statement)
    for one in reversed(waiting):
        if one not in known:
            outer = one.parent
            known[one] = one.reset or (outer is not None and known[outer])
    return known[waiting[0]]


def _long_leaf(
    view: FileView, statement: Statement, first: int, weight: float
) -> Iterator[Passage]:
    """Offers the head of a long instance or assignment with its lines that are asked for."""
    named = view.words(statement)
    numbers = set(range(first, min(statement.line + 2, statement.end_line + 1)))
    scored = [
        (sum(view.worth_of(view.source.lines[n - 1]).values()), n)
        for n in range(statement.line, statement.end_line + 1)
    ]
    best = sorted((pair for pair in scored if pair[0] > 0), key=lambda p: (-p[0], p[1]))
    numbers |= {n for _, n in best[: WHOLE - len(numbers)]}
    if named:
        lines = tuple(sorted(numbers))[:WHOLE]
        yield Passage(lines, {n: weight * w for n, w in named.items()}, statement)


def _slices(view: FileView, process: Statement, around: dict[int, float]) -> Iterator[Passage]:
    """Offers, for each name that a long process assigns, its assignments with what is around."""
    by_name: dict[str, list[Statement]] = {}
    for one in process.walk():
        if one.kind == "set":
            for name in one.writes:
                by_name.setdefault(name, []).append(one)
    for sets in by_name.values():
        if len(sets) < 2:
            continue
        if all(_is_register(one) or _is_reset(view, one) for one in sets):
            continue
        ranked = sorted(sets, key=lambda one: (-sum(view.words(one).values()), one.line))
        lines: set[int] = set()
        best: dict[int, float] = {}
        for one in ranked:
            added = set(range(one.line, one.end_line + 1)) | context_lines(one, process)
            if len(lines | added) > WHOLE:
                continue
            lines |= added
            raise_to(best, view.words(one))
            for outer in one.around():
                if outer is process or outer.line < process.line:
                    break
                raise_to(best, view.words(outer), 0.8)
        raise_to(best, around, AROUND)
        if best and lines:
            yield Passage(tuple(sorted(lines)), best, ranked[0])


def _part(
    view: FileView,
    outer: Statement,
    inner: Statement,
    around: dict[int, float],
    weight: float,
) -> Iterator[Passage]:
    """Yields an inner statement with its context as a passage, if it says something alone."""
    first = max(view.above(inner), outer.line)
    if inner.end_line - first + 1 > WHOLE:
        return
    if inner.kind == "set" and inner.parent is not None and len(inner.parent.children) == 1:
        return  # its branch says more
    if inner.kind == "set" and inner.parent is outer and _set_again(inner, outer):
        weight = weight * DULL  # only what holds where nothing else is said
    if inner.kind == "set" and _is_register(inner):
        weight = weight * DULL
    found = whole_worth(view, inner)
    if not found:
        return
    best = dict(found)
    heads = [one for one in inner.around() if one.line >= outer.line and one is not outer]
    for one in heads:
        raise_to(best, view.words(one), AROUND)
    raise_to(best, around, AROUND)
    lines = set(range(first, inner.end_line + 1)) | context_lines(inner, outer)
    reset = _in_reset(view, inner)
    factor = weight * (DULL if reset else 1.0)
    yield Passage(tuple(sorted(lines)), {n: factor * w for n, w in best.items()}, inner)


def _is_reset(view: FileView, one: Statement) -> bool:
    return one.parent is not None and _in_reset(view, one.parent)


def _is_register(one: Statement) -> bool:
    """Returns whether an assignment only gives a register its next value: `x_q <= x_d`."""
    left = one.left_sides[0] if one.left_sides else ""
    return bool(left) and stem(left) == stem(one.right_side)


def _set_again(one: Statement, process: Statement) -> bool:
    return any(
        set(other.writes) & set(one.writes)
        for other in process.walk()
        if other is not one and other.kind == "set"
    )


def context_lines(inner: Statement, outer: Statement) -> set[int]:
    """Returns the lines on which begins what encloses a statement, up to its process."""
    found = {outer.line}
    for one in inner.around():
        if one.line < outer.line:
            break
        if one.kind in ("branch", "case", "arm", "loop") and one is not outer:
            found.add(one.line)
    return found
