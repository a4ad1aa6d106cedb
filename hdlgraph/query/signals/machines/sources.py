"""The states in which a step of a machine is reached, and what else must hold there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hdlgraph.model.flow import Block, Guard
from hdlgraph.parsers.operations.machines import constant
from hdlgraph.parsers.text.conditions import all_of, bare
from hdlgraph.query.signals.conditions.reduced import NEVER
from hdlgraph.query.signals.machines.cases import Head
from hdlgraph.query.signals.machines.choices import CONSTANT, NAME, ONE, Leaf, joined, of_bit
from hdlgraph.query.signals.machines.conditions import (
    OTHER,
    Condition,
    given,
    literals,
    named,
    read,
)
from hdlgraph.query.signals.unit import UnitView, told

_WILD = re.compile(r"'[sS]?[bodhBODH][\w?]*[?zZxX]")
_ANY = re.compile(r"^\d*'[sS]?[bodhBODH]\s*[?zZxX_]+$")
"""A label that anything matches."""
ARMS = 200
"""Arms of a case of which each may be read with all the others."""
NEAR = 64
"""The same of `case (1'b1)`, where an arm asks that none before it is taken."""
DEFAULT = "default"
"""The states that a case does not name."""
_SUBJECT = re.compile(
    rf"^\(?\s*(?:{NAME}\s*'\s*\()?\s*([A-Za-z_][\w$.]*(?:\s*\[[^\[\]]*\])?)\s*\)?\s*\)?$"
)


def subject_of(text: str) -> str:
    """Returns the name that a case is over, as `state` or `state[i]`; "" for none."""
    subject = _SUBJECT.match(text)
    return re.sub(r"\s+", "", subject[1]) if subject else ""


class _Told(NamedTuple):
    """A condition around a step: `test` holds, or does not; without a test only its text."""

    text: str
    test: Condition | None = None
    holds: bool = True

    def left(self, state: str, never: frozenset[str]) -> bool | _Told:
        """Returns whether it holds in a state, or what else must hold there."""
        if self.test is None:
            return self
        found = given(self.test, state, never)
        if isinstance(found, bool):
            return found == self.holds
        if found is self.test:
            return self
        return _Told(found.text if self.holds else f"!({found.text})", found, self.holds)


class Reached(NamedTuple):
    """The states in which a step is reached, none for any state, and what else must hold there.

    `asks` are (text, whether it holds) of the tests that the condition asks for one by one, without
    those that the process itself may change. `never` are the states in which it is not reached
    where the sources are none.
    """

    sources: tuple[str, ...]
    condition: str
    asks: frozenset[tuple[str, bool]] = frozenset()
    never: frozenset[str] = frozenset()


class Subject:
    """A name with its states, and what the cases of a unit over it say, each read once.

    Args:
        view: the unit.
        name: the name.
        states: those that are known.
        common: the generate conditions around all of its machine, which are not told.
    """

    def __init__(
        self, view: UnitView, name: str, states: Iterable[str], common: frozenset[int] = frozenset()
    ) -> None:
        self.view, self.name, self.states = view, name, frozenset(states)
        self.common = common
        self._named: dict[Head, frozenset[str]] = {}
        self._matches: dict[Head, tuple[dict[int, str], bool]] = {}

    def within(self, guard: Guard) -> list[str]:
        """Returns the states that an arm of a case over the state names, [] for other arms."""
        if subject_of(guard.text) == self.name:
            found = [constant(one) for one in guard.labels if CONSTANT.fullmatch(one)]
            return [one for one in found if one in self.states]
        if guard.text.strip("() ") in ONE:
            bits = [of_bit(one) for one in guard.labels]
            if all(name == self.name for name, _ in bits):
                return [state for _, state in bits if state in self.states]
        return []

    def named_by(self, at: int) -> frozenset[str]:
        """Returns the states that the other arms of a case name, none for another's default."""
        head = self.view.cases.head(at)
        if head not in self._named:
            arms = (self.view.flow.guards[one] for one in self.view.cases.arms(at))
            named = frozenset(state for arm in arms for state in self.within(arm))
            self._named[head] = named
        return self._named[head]

    def matches(self, at: int, parts: list[str]) -> tuple[dict[int, str], bool]:
        """Returns what each arm of `case ({state, go})` asks for, and whether wildcards do.

        Nothing is told where the text of one is not known, or where many arms have wildcards, as
        each then asks that none before it is taken.
        """
        head, guards = self.view.cases.head(at), self.view.flow.guards
        if head not in self._matches:
            near = self.view.cases.arms(at)
            arms = {one: _matches(parts, guards[one].labels) for one in near}
            wild = any(_WILD.search(label) for one in arms for label in guards[one].labels)
            told = all(arms.values()) and not (wild and len(arms) > ARMS)
            self._matches[head] = (arms if told else {}, wild)
        return self._matches[head]


class Around:
    """The tests around a step, read from the outermost one to the innermost."""

    def __init__(self, subject: Subject, block: Block) -> None:
        self.view, self.block, self.subject = subject.view, block, subject
        self.name, self.states = subject.name, subject.states
        self.sources: list[str] | None = None
        self.never: frozenset[str] = frozenset()
        self.out: set[str] = set()
        self.rest = False
        self.told: list[_Told] = []

    def reached(self, at: int, leaf: Leaf = (), clear: int = -1) -> Iterator[Reached]:
        """Yields the states, with what else must hold, in which a step is reached.

        Args:
            at: the innermost guard around it.
            leaf: the choices around the value that it assigns.
            clear: the guard of the reset; that it does not hold is not told.
        """
        path = []
        while at >= 0:
            path.append(at)
            at = self.view.flow.guards[at].outer
        for one in reversed(path):
            if not self._is_clear(one, clear):
                self._pass(one)
        for text, holds in leaf:
            self._test(text, holds, text if holds else f"!({text})")
        yield from self._grouped()

    def _is_clear(self, at: int, clear: int) -> bool:
        """Returns whether a guard says no more than that the process is not in reset."""
        if clear < 0 or at == clear:
            return False
        guard, reset = self.view.flow.guards[at], self.view.flow.guards[clear]
        return (
            {guard.kind, reset.kind} == {"if", "else"}
            and guard.outer == reset.outer
            and guard.text == reset.text
        )

    def _pass(self, at: int) -> None:
        guard = self.view.flow.guards[at]
        if guard.kind == "generate":
            self._pass_generate(at)
            return
        if guard.kind == "over":
            return
        if guard.kind in ("case", "default") and self.name in (parts := joined(guard.text)):
            self._pass_joined(at, parts)
        elif guard.kind in ("if", "else"):
            self._test(guard.text, guard.kind == "if", told(guard))
        elif guard.kind == "case" and (states := self.subject.within(guard)):
            self._keep(states)
        elif guard.kind == "default" and (others := self.subject.named_by(at)):
            self._drop(others)
        elif guard.kind in ("case", "default") and bare(guard.text) in ONE:
            self._pass_true(at)
        elif told(guard):
            self.told.append(_Told(told(guard)))

    def _pass_generate(self, at: int) -> None:
        """Passes a condition of a generate, told where not all of the machine stands in it."""
        text = "" if at in self.subject.common else self.view.test(at)
        if text and not text.startswith("for "):
            self.told.append(_Told(text))

    def _pass_joined(self, at: int, parts: list[str]) -> None:
        """Passes an arm of `case ({state, go})`; with wildcards the arms before it come first."""
        guards = self.view.flow.guards
        arms, wild = self.subject.matches(at, parts)
        is_default = guards[at].kind == "default"
        if not arms or (is_default and len(arms) > ARMS):
            self.told.append(_Told(told(guards[at])))
            return
        for one, text in arms.items() if is_default or wild else ():
            if is_default or one < at:
                self._test(text, False, f"!({text})")
        if at in arms:
            self._test(arms[at], True, arms[at])

    def _pass_true(self, at: int) -> None:
        """Passes an arm of `case (1'b1)`, of which each label is a condition."""
        guards, arms = self.view.flow.guards, self.view.cases.arms(at)
        near = arms if len(arms) <= NEAR else ()
        for one in near:  # the first arm that holds is taken
            if one < at or guards[at].kind == "default":
                text = _holds(guards[one])
                self._test(text, False, f"!({text})")
        if guards[at].kind == "case":
            text = _holds(guards[at])
            self._test(text, True, text)

    def _test(self, text: str, holds: bool, says: str) -> None:
        test = read(text, self.name, self.states)
        said = _Told(says, test, holds)
        if self.sources is not None:
            kept = [one for one in self.sources if said.left(one, self.never) is not False]
            self.sources = kept
        elif states := named(test):
            self.out |= {one for one in states if said.left(one, self.never) is False}
            if said.left(OTHER, self.states) is False:
                self.sources = [one for one in states if one not in self.out | self.never]
        self.told.append(said)

    def _keep(self, states: list[str]) -> None:
        every = states if self.sources is None else self.sources
        out = self.out | self.never
        self.sources = [one for one in every if one in states and one not in out]

    def _drop(self, states: frozenset[str]) -> None:
        self.never |= states
        if self.sources is None:
            self.rest = True
        else:
            self.sources = [one for one in self.sources if one not in states]

    def _grouped(self) -> Iterator[Reached]:
        """Yields the sources that are reached under the same condition together."""
        found: dict[str, tuple[list[str], frozenset[tuple[str, bool]]]] = {}
        for state in [OTHER] if self.sources is None else dict.fromkeys(self.sources):
            left = self._condition(state)
            if left is not None:
                found.setdefault(left[0], ([], left[1]))[0].append(state)
        for condition, (states, asks) in found.items():
            sources = tuple(one for one in states if one) or ((DEFAULT,) * self.rest)
            never = self.never | self.out if self.sources is None else frozenset[str]()
            yield Reached(sources, condition, asks, never)

    def _condition(self, state: str) -> tuple[str, frozenset[tuple[str, bool]]] | None:
        """Returns what must hold besides the state, as text and one by one; None: it cannot."""
        left = [one.left(state, self.never) for one in self.told]
        asked = [one for one in left if isinstance(one, _Told)]
        sure: dict[str, bool] = {}
        for one in asked:
            if one.text == NEVER:
                return None
            for text, holds in literals(one.test, one.holds) if one.test else ():
                if sure.setdefault(text, holds) != holds and not self._changes(text):
                    return None
        asks = frozenset((text, holds) for text, holds in sure.items() if not self._changes(text))
        return all_of(dict.fromkeys(one.text for one in asked)), asks

    def _changes(self, text: str) -> bool:
        """Returns whether the process itself assigns a name of a test."""
        names = set(re.findall(r"[A-Za-z_]\w*", text))
        flow = self.view.flow
        return any(
            flow.names[number].partition(".")[0] in names
            for step in self.block.steps
            for number, _ in step.writes
        )


def _holds(arm: Guard) -> str:
    """Returns what an arm of `case (1'b1)` asks for."""
    return all_of((bare(label) for label in arm.labels), "||")


def _matches(parts: list[str], labels: Iterable[str]) -> str:
    """Returns what the labels of an arm ask of the parts of a case, "" where it is not known."""
    found = []
    for label in labels:
        values = joined(label)
        if len(values) != len(parts):
            return ""
        pairs = zip(parts, values, strict=True)
        asked = [f"{part} == {value}" for part, value in pairs if not _ANY.match(value)]
        found.append(" && ".join(asked))
    return " || ".join(f"({one})" for one in found) if all(found) else ""
