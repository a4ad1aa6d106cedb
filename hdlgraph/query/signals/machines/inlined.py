"""A unit whose routines stand where they are called, so that states set in them are seen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from hdlgraph.model.flow import Block, Guard, Step, Target
from hdlgraph.parsers.text.conditions import bare
from hdlgraph.query.signals.machines.choices import NUMBER, ONE, leaves, parts
from hdlgraph.query.signals.unit import UnitView, exclude

DEEPEST = 4
"""Calls in each other that are followed."""
MOST = 20_000
"""Steps and tests of one unit that are copied."""
RETURNS = 64
"""Returns of one routine before a statement that are looked at."""
_HEAD = re.compile(r"^((?:[A-Za-z_][\w$]*::)?[A-Za-z_][\w$]*)\s*(?:\((.*)\))?$", re.S)
_NAMED = re.compile(r"^\.\s*([A-Za-z_][\w$]*)\s*\((.*)\)$", re.S)
_GIVEN = re.compile(r"^(return\b|[A-Za-z_][\w$]*(?:\[[^=]*\])?\s*=(?!=))(.*)$", re.S)
_SIMPLE = re.compile(r"^[\w$.:'`]+$")
_RETURNS = re.compile(r"^return\b(?!\s*=)")
_NUMBER = re.compile(NUMBER)
_NEVER = frozenset({"task", "function", "initial", "final", "assert", "alias"})


class _Routine(NamedTuple):
    """A task or function: its name, its arguments and its body."""

    name: str
    arguments: tuple[str, ...]
    body: Block


class _Call(NamedTuple):
    """A call: its line, what it gives for each argument, and what gets its value and outputs."""

    line: int
    actuals: dict[str, str]
    result: tuple[Target, ...]
    outputs: tuple[Target, ...]


def inlined(view: UnitView) -> UnitView:
    """Returns a unit with the bodies of its routines in place of their calls.

    It is the unit itself where none of its processes calls a routine of the unit.
    """
    copier = _Copier(view)
    if not copier.routines:
        return view
    blocks = tuple(copier.block(block) for block in view.flow.blocks)
    if not copier.called:
        return view
    guards = tuple(copier.guards)
    whole = UnitView(view.unit, msgspec.structs.replace(view.flow, guards=guards, blocks=blocks))
    whole.lines = view.lines
    return whole


def is_behind(view: UnitView, one: int, other: int) -> bool:
    """Returns whether a place is reached only where a return at another one was not taken."""
    guards, before = view.flow.guards, set()
    while one >= 0:
        before.add(str(one))
        one = guards[one].outer
    while other >= 0:
        if guards[other].kind == "else" and before & set(guards[other].labels):
            return True
        other = guards[other].outer
    return False


def never_called(view: UnitView) -> list[tuple[str, Block]]:
    """Returns (name, body) of the routines that no process of the unit calls, by line.

    Their callers are outside of the unit, or no statement that is read here.
    """
    copier = _Copier(view)
    for block in view.flow.blocks:
        copier.block(block)
    found = [
        (block.label.partition("(")[0], block)
        for block in view.flow.blocks
        if block.kind in ("task", "function")
    ]
    return [(name, block) for name, block in found if name not in copier.called]


def with_constants(view: UnitView) -> UnitView:
    """Returns a unit in which nets of one number are constants: `wire [1:0] RUN = 2'b10;`.

    It is the unit itself where it has no such nets.
    """
    names = view.flow.names
    fixed = {
        name
        for name, found in view.writes.items()
        if len(found) == 1 and found[0][0].kind == "assign" and name not in view.ports
        and name in view.lines and len(found[0][1].writes) == 1
        and not found[0][1].writes[0][1] and _NUMBER.fullmatch(found[0][1].value)
    }  # fmt: skip
    tested = {names[n] for one in view.flow.guards if one.kind == "case" for n in one.reads}
    fixed &= {label for one in view.flow.guards for label in one.labels} & tested
    if not fixed:
        return view
    blocks = tuple(
        msgspec.structs.replace(block, steps=tuple(
            step
            for step in block.steps
            if not any(names[number] in fixed for number, _ in step.writes)
        ))
        for block in view.flow.blocks
    )  # fmt: skip
    plain = UnitView(view.unit, msgspec.structs.replace(view.flow, blocks=blocks))
    plain.lines = {name: line for name, line in view.lines.items() if name not in fixed}
    return plain


class _Copier:
    """Copies the bodies of routines; the copies of their tests are added to those of the unit."""

    def __init__(self, view: UnitView) -> None:
        self._view = view
        self.routines: dict[str, _Routine] = {}
        for block in view.flow.blocks:
            head = _HEAD.match(block.label) if block.kind in ("task", "function") else None
            if head:
                arguments = tuple(filter(None, parts(head[2] or "")))
                self.routines[head[1]] = _Routine(head[1], arguments, block)
        self._numbers = {name: number for number, name in enumerate(view.flow.names)}
        self.guards = list(view.flow.guards)
        self._own = len(self.guards)
        self._steps = 0
        self.called: dict[str, None] = {}

    def block(self, block: Block) -> Block:
        """Returns a process with the bodies of what it calls."""
        if block.kind in _NEVER or not any("(" in one.value for one in block.steps):
            return block
        steps: list[Step] = []
        outputs: tuple[Target, ...] = ()
        for step in block.steps:
            steps += self._expanded(step, outputs, 0)
            outputs = step.writes
        return msgspec.structs.replace(block, steps=tuple(steps))

    def _expanded(self, step: Step, outputs: tuple[Target, ...], depth: int) -> Iterator[Step]:
        """Yields a step, or what the routines that it calls do in its place."""
        found = leaves(step.value) if "(" in step.value and depth < DEEPEST else []
        calls = [self._call(leaf, step, outputs) for leaf, _ in found]
        if not any(calls) or self._full():
            yield step
            return
        places: dict[tuple[str, bool, int], int] = {}
        for (leaf, tests), call in zip(found, calls, strict=True):
            at = step.guard
            for text, holds in tests:
                key = (text, holds, at)
                if key not in places:
                    guard = Guard(at, "if" if holds else "else", text, step.line)
                    places[key] = self._guard(guard)
                at = places[key]
            if call is None:
                yield msgspec.structs.replace(step, guard=at, value=leaf)
            else:
                yield from self._body(*call, at, depth)

    def _full(self) -> bool:
        return self._steps + len(self.guards) - self._own > MOST

    def _guard(self, guard: Guard) -> int:
        self.guards.append(guard)
        return len(self.guards) - 1

    def _call(
        self, text: str, step: Step, outputs: tuple[Target, ...]
    ) -> tuple[_Routine, _Call] | None:
        """Returns the routine of the unit that a text calls and how, None for another text."""
        head = _HEAD.match(text)
        routine = self.routines.get(head[1]) if head and "(" in text else None
        if head is None or routine is None or (routine.body.kind == "task" and step.writes):
            return None
        actuals = {}
        for formal, given in zip(routine.arguments, parts(head[2] or ""), strict=False):
            by_name = _NAMED.match(given)
            actuals[by_name[1] if by_name else formal] = by_name[2] if by_name else given
        return routine, _Call(step.line, actuals, step.writes, outputs)

    def _body(self, routine: _Routine, call: _Call, outer: int, depth: int) -> Iterator[Step]:
        self.called.setdefault(routine.name)
        body, places = routine.body, dict[int, int]()
        for at in range(body.guards, body.guards_end):
            one = self._view.flow.guards[at]
            places[at] = self._guard(
                Guard(
                    places.get(one.outer, outer), one.kind, _put(one.text, call.actuals),
                    one.line or call.line,
                    tuple(_put(label, call.actuals) for label in one.labels), one.reads,
                )
            )  # fmt: skip
        results = _results(routine)
        left: list[tuple[int, str]] = []
        for step in body.steps:
            self._steps += 1
            if self._full():
                return
            place = places.get(step.guard, outer)
            at = self._behind(place, left, step.line or call.line)
            made = self._made(step, call, results)
            if made is not None:
                inner = msgspec.structs.replace(made, guard=at)
                yield from self._expanded(inner, (), depth + 1)
            if not step.writes and _RETURNS.match(step.value) and len(left) < RETURNS:
                left.append((place, self._path(place, outer)))
                if not left[-1][1]:  # what stands behind is never reached
                    return

    def _behind(self, at: int, left: list[tuple[int, str]], line: int) -> int:
        """Returns a place where none of the returns before it was taken.

        The label of each test that says so is the place of its return.
        """
        for place, text in left:
            if not exclude(self.guards, place, at):
                at = self._guard(Guard(at, "else", text, line, (str(place),)))
        return at

    def _path(self, at: int, outer: int) -> str:
        """Returns the tests from one place down to another one as an expression."""
        found = []
        while at not in (outer, -1):
            one = self.guards[at]
            if one.kind in ("case", "default"):
                arms = [one] if one.kind == "case" else self._arms(one)
                named = " || ".join(_compares(arm) for arm in arms)
                found.append(f"({named})" if one.kind == "case" else f"!({named or '0'})")
            elif one.kind in ("if", "else"):
                found.append(f"({one.text})" if one.kind == "if" else f"!({one.text})")
            at = one.outer
        return bare(" && ".join(found[::-1]))

    def _arms(self, rest: Guard) -> list[Guard]:
        """Returns the arms beside the default one of a case."""
        own = [one for one in self.guards if one.outer == rest.outer and one.text == rest.text]
        return [one for one in own if one.kind == "case"]

    def _made(self, step: Step, call: _Call, results: dict[str, None]) -> Step | None:
        """Returns what a step of a routine does at a call, None for what ends with the call."""
        given = None if step.writes else _GIVEN.match(step.value)
        if given is None:
            return self._given(step, step.writes, step.value, call)
        name, bracket, bits = given[1].rstrip("= ").partition("[")
        writes = call.result if name in results and given[2].strip() not in results else ()
        writes = tuple((one, before + bracket + bits) for one, before in writes)
        number = self._numbers.get(call.actuals.get(name, "").strip(), -1)
        if not writes and number in (one for one, _ in call.outputs):
            writes = ((number, ""),)
        if not writes:
            return None
        return self._given(step, writes, given[2].strip(), call)

    def _given(self, step: Step, writes: tuple[Target, ...], value: str, call: _Call) -> Step:
        """Returns an assignment of a routine; of an argument alone, it is the call that decides."""
        line = call.line if value in call.actuals or not step.line else step.line
        put = _put(value, call.actuals)
        return msgspec.structs.replace(step, line=line, writes=writes, value=put)


def _results(routine: _Routine) -> dict[str, None]:
    """Returns the names that hold what a function returns; `return` itself is one."""
    own = routine.name.rpartition("::")[2]
    found = dict.fromkeys((own, "return"))
    given = [_GIVEN.match(step.value) for step in routine.body.steps if not step.writes]
    locals_ = {one[1].rstrip("= ") for one in given if one}
    for one in given:
        if one and one[1].rstrip("= ") in (own, "return"):
            held = one[2].strip()
            if held in locals_ and held not in routine.arguments:
                found[held] = None
    return found


def _compares(arm: Guard) -> str:
    """Returns an arm of a case as an expression."""
    if bare(arm.text) in ONE:
        return " || ".join(f"({label})" for label in arm.labels)
    return " || ".join(f"{arm.text} == {label}" for label in arm.labels)


def _put(text: str, actuals: dict[str, str]) -> str:
    """Returns a text with what is given for the arguments in their place."""
    if not actuals or not text:
        return text

    def actual(found: re.Match[str]) -> str:
        given = bare(actuals[found[0]])
        return given if found[0] == text or _SIMPLE.match(given) else f"({given})"

    names = "|".join(map(re.escape, sorted(actuals, key=lambda one: (-len(one), one))))
    return re.sub(rf"(?<![\w$.'`:])(?:{names})(?![\w$]|\s*::)", actual, text)
