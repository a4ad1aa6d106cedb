"""The signals of one unit: which of its processes and connections use each name."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from operator import itemgetter

from hdlgraph.model.flow import Block, Child, Flow, Guard, Link, Step
from hdlgraph.parsers.text.conditions import all_of
from hdlgraph.query.signals.conditions.reduced import NEVER, Known, reduced, values_of
from hdlgraph.query.signals.machines.cases import Cases
from hdlgraph.query.signals.meaning.scopes import Homes, Scopes
from hdlgraph.store.design.flows import FlowUnit


class UnitView:
    """The signals of one unit, by name.

    `writes` and `reads` are (block, step) by name, `tests` (block, number of the guard), `waits`
    (block, edge, line) of events.
    """

    def __init__(self, unit: FlowUnit, flow: Flow, known: Known = Known()) -> None:  # noqa: B008
        self.unit, self.flow = unit, flow
        self.known_names, self._told = known, dict[int, str]()
        self.ports = {name: (direction, line, of) for name, direction, line, of in unit.ports}
        self.lines = {name: line for name, line in reversed(unit.signals)}
        self.lines |= {name: line for name, (_, line, _) in self.ports.items()}
        self.writes: dict[str, list[tuple[Block, Step]]] = {}
        self.reads: dict[str, list[tuple[Block, Step]]] = {}
        self.tests: dict[str, list[tuple[Block, int]]] = {}
        self.waits: dict[str, list[tuple[Block, str, int]]] = {}
        names = flow.names
        for block in flow.blocks:
            for step in block.steps:
                for number, _ in step.writes:
                    self.writes.setdefault(names[number], []).append((block, step))
                for number in step.reads:
                    self.reads.setdefault(names[number], []).append((block, step))
            for edge, number, line in block.events:
                self.waits.setdefault(names[number], []).append((block, edge, line))
            for at in range(block.guards, block.guards_end):
                for number in flow.guards[at].reads:
                    self.tests.setdefault(names[number], []).append((block, at))

    @cached_property
    def known(self) -> dict[str, None]:
        """Returns the signals that the unit declares or assigns."""
        found = dict.fromkeys(self.lines)
        return found | dict.fromkeys(name.partition(".")[0] for name in self.writes)

    @cached_property
    def linked(self) -> frozenset[str]:
        """Returns the names that the unit connects and does not declare: nets, or constants."""
        written = (
            self.flow.names[number]
            for child in self.flow.children
            for link in child.links
            for number, _ in link.writes
        )
        return frozenset(name for name in written if "." not in name and name not in self.known)

    @cached_property
    def links(self) -> dict[str, list[tuple[Child, Link]]]:
        """Returns the connections that mention a name; those by `.*` are under "*"."""
        found: dict[str, list[tuple[Child, Link]]] = {}
        for child in self.flow.children:
            for link in child.links:
                if link.port == "*":
                    found.setdefault("*", []).append((child, link))
                numbers = dict.fromkeys((*(number for number, _ in link.writes), *link.reads))
                for number in numbers:
                    found.setdefault(self.flow.names[number], []).append((child, link))
        return found

    @cached_property
    def children(self) -> dict[str, Child]:
        """Returns the first instance of each name, labels of generate blocks included."""
        found: dict[str, Child] = {}
        for child in self.flow.children:
            found.setdefault(child.name, child)
        return found

    def by_place_name(self, name: str) -> list[Child]:
        """Returns the instances of a name, by line."""
        return self._by_name.get(name, [])

    @cached_property
    def _by_name(self) -> dict[str, list[Child]]:
        found: dict[str, list[Child]] = {}
        for (name, _), children in self.by_place.items():
            found.setdefault(name, []).extend(children)
        return found

    @cached_property
    def by_place(self) -> dict[tuple[str, int], list[Child]]:
        """Returns the instances by name and line."""
        found: dict[tuple[str, int], list[Child]] = {}
        for child in self.flow.children:
            found.setdefault((child.name, child.line), []).append(child)
        return found

    def own(self, block: Block) -> frozenset[str]:
        """Returns the variables of a process that hold nothing, and that nothing else uses."""
        if not block.own:
            return frozenset()
        return frozenset(self.flow.names[number] for number in block.own) - self._elsewhere

    @cached_property
    def _elsewhere(self) -> frozenset[str]:
        """Returns the names that some processes have for themselves, and others use as well."""
        names = self.flow.names
        ever = {names[number] for block in self.flow.blocks for number in block.own}
        found = {name.partition(".")[0] for name in self.links} if ever else set()
        for block in self.flow.blocks if ever else ():
            used = {number for step in block.steps for number in step.reads}
            used |= {number for step in block.steps for number, _ in step.writes}
            for at in range(block.guards, block.guards_end):
                used |= {*self.flow.guards[at].reads}
            mine = {names[number] for number in block.own}
            found |= {names[number].partition(".")[0] for number in used} - mine
        return frozenset(found & ever)

    def names_of(self, signal: str) -> list[str]:
        """Returns the names used in the unit that mean a signal, a part or the whole of it."""
        names, inner = self.flow.names, signal + "."
        alike = [names[number] for number in self.numbers.get(signal.partition(".")[0], ())]
        found = [name for name in alike if name == signal or name.startswith(inner)]
        outer = signal
        while "." in outer:
            outer = outer.rpartition(".")[0]
            if outer in alike:
                found.append(outer)
        return found

    @cached_property
    def numbers(self) -> dict[str, list[int]]:
        """Returns the numbers of the names by what stands before their first dot."""
        found: dict[str, list[int]] = {}
        for number, name in enumerate(self.flow.names):
            found.setdefault(name.partition(".")[0], []).append(number)
        return found

    @cached_property
    def scopes(self) -> Scopes:
        """Returns the scopes of the names that several blocks of the unit declare."""
        return Scopes(self.flow)

    def spelled(self, signal: str) -> list[tuple[str, Homes]]:
        """Returns the names used in the unit that mean a signal, and where each does so."""
        plain, homes = self.scopes.meant(signal)
        found = [(name, homes) for name in self.names_of(plain)]
        if plain != signal:  # the path of a generate block, from outside of it
            found += [(name, None) for name in self.names_of(signal)]
        return found

    def line_of(self, signal: str) -> int:
        """Returns the line that declares a signal, that of the unit where it is not known.

        Of a variable of a process it is that of its first assignment.
        """
        line, base = self.scopes.line_of(signal), signal.partition(".")[0]
        if line or base in self.lines:
            return line or self.lines[base]
        return min((step.line for _, step in self.writes.get(base, ())), default=self.unit.line)

    def condition(self, at: int) -> str:
        """Returns the tests around a place, outermost first, without what decides nothing."""
        parts = []
        while at >= 0:
            text = self.test(at)
            if text == NEVER:
                return NEVER
            if text:
                parts.append(text)
            at = self.flow.guards[at].outer
        return all_of(parts[::-1])

    def test(self, at: int) -> str:
        """Returns what one test asks for, "" for nothing and `NEVER` where it cannot hold."""
        found = self._told.get(at)
        if found is None:
            guard = self.flow.guards[at]
            is_test = guard.kind not in ("case", "default") and not guard.text.startswith("for ")
            known = Known(self.known_names.is_bit)
            found = reduced(told(guard), known) if is_test else told(guard)
            self._told[at] = found
        return found

    def settled(self, at: int) -> tuple[str, tuple[str, ...]]:
        """Returns the tests around a place, less what parameters decide, and their values.

        Generate conditions stay, and so does a test that never holds: the values tell why.
        """
        parts: list[str] = []
        given: dict[str, None] = {}
        while at >= 0:
            guard, text = self.flow.guards[at], self.test(at)
            if guard.kind in ("if", "else") and text not in ("", NEVER):
                left = reduced(text, self.known_names)
                given |= dict.fromkeys(values_of(text, left, self.known_names))
                text = text if left == NEVER else left
            if text:
                parts.append(text)
            at = guard.outer
        return all_of(parts[::-1]), tuple(sorted(given))

    @cached_property
    def cases(self) -> Cases:
        """Returns the case statements of the unit."""
        return Cases(self.flow.guards)

    def exclude(self, one: int, other: int) -> bool:
        """Returns whether two places cannot be reached together: arms of a case, if and else."""
        return exclude(self.flow.guards, one, other)

    def ifdef(self, line: int) -> str:
        """Returns what the `ifdefs around a line ask for, "" outside of them."""
        regions = self.flow.regions
        at = bisect_right(regions, line, key=itemgetter(0)) - 1 if regions else -1
        return regions[at][2] if at >= 0 and line <= regions[at][1] else ""

    def aside(self, line: int) -> str:
        """Returns what the `ifdefs around a line ask for that the default build leaves out."""
        aside = self.flow.aside
        at = bisect_right(aside, line, key=itemgetter(0)) - 1 if aside else -1
        return self.ifdef(line) if at >= 0 and line <= aside[at][1] else ""

    def control(self, at: int) -> list[str]:
        """Returns the names in the tests around a place, outermost first."""
        found: dict[str, None] = {}
        guards = self.flow.guards
        while at >= 0:
            guard = guards[at]
            reads = list(guard.reads)
            if guard.kind in ("else", "default", "case"):
                reads += self._before(at)
            found |= dict.fromkeys(self.flow.names[number] for number in reads)
            at = guard.outer
        return list(found)

    def _before(self, at: int) -> list[int]:
        """Returns the names of the test that an `else` or an arm of a case belongs to."""
        guard, guards = self.flow.guards[at], self.flow.guards
        for other in range(at - 1, max(-1, at - 5000), -1):
            one = guards[other]
            if one.outer != guard.outer or one.text != guard.text:
                continue
            if guard.kind == "else" and one.kind == "if":
                return list(one.reads)
            if one.kind == "over":
                return list(one.reads)
        return []


def exclude(guards: Sequence[Guard], one: int, other: int) -> bool:
    """Returns whether two of some tests cannot hold together: arms of a case, if and else."""
    for left, right in zip(_around(guards, one), _around(guards, other), strict=False):
        if left != right:
            first, second = guards[left], guards[right]
            kinds = {first.kind, second.kind}
            if kinds <= {"case", "default"}:
                return first.text == second.text  # of one case, not of two on other values
            if kinds == {"generate"}:  # branches of one, by a parameter that never changes
                return _is_denied(first.text, second.text) or _is_denied(second.text, first.text)
            return kinds == {"if", "else"} and first.text == second.text
    return False


def _is_denied(one: str, other: str) -> bool:
    """Returns whether a condition asks first that another one does not hold: `!(a) && b`."""
    return f"{one} ".startswith(f"!({other}) ")


def _around(guards: Sequence[Guard], at: int) -> list[int]:
    """Returns the tests around a place, outermost first, its own last."""
    found = []
    while at >= 0:
        found.append(at)
        at = guards[at].outer
    return found[::-1]


def told(guard: Guard) -> str:
    """Returns what a test says: `a == b`, `!(c)`, `state == IDLE, BUSY`."""
    if guard.kind == "over":
        return ""
    if guard.kind == "else":
        return f"!({guard.text})"
    if guard.kind == "case":
        return f"{guard.text} == {', '.join(guard.labels)}"
    if guard.kind == "default":
        return f"{guard.text} == default"
    return guard.text
