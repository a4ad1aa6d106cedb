"""Joins the flows that further trees of a file read into those of the first one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from hdlgraph.model.flow import Block, Child, Declared, Flow, Guard, Link, Step
from hdlgraph.parsers import limits
from hdlgraph.parsers.branches.join import Placing
from hdlgraph.parsers.flow.statements import GUARDS, STEPS

_LINE = attrgetter("line")


class UnitFlow(NamedTuple):
    """The flow of a unit, with its name and lines."""

    name: str
    line: int
    end_line: int
    flow: Flow


class Reading(NamedTuple):
    """The flows of one tree, and which of their lines no tree before has read."""

    flows: Sequence[UnitFlow]
    at: Placing


def join_flows(first: Sequence[UnitFlow], others: Iterable[Reading]) -> list[UnitFlow]:
    """Returns the flows of a file, each unit once, with what each tree alone has read."""
    found = list(first)
    places: dict[str, list[int]] = {}
    for place, one in enumerate(found):
        places.setdefault(one.name, []).append(place)
    more: dict[int, list[tuple[Flow, Placing]]] = {}
    for flows, at in others:
        for one in flows:
            same = places.setdefault(one.name, [])
            mine = next((place for place in same if _is_same(found[place], one, at)), None)
            if mine is not None:
                more.setdefault(mine, []).append((one.flow, at))
            elif at.fresh(one.line) or (at.repairs and not same):
                same.append(len(found))
                found.append(one)
    for place, flows_at in more.items():
        whole = _Joining(found[place].flow, flows_at).flow()
        found[place] = found[place]._replace(flow=whole)
    return found


def _is_same(mine: UnitFlow, other: UnitFlow, at: Placing) -> bool:
    if mine.line == other.line:
        return True
    # A header in each branch of an `ifdef, and one body for all of them.
    return at.fresh(other.line) and mine.end_line == other.end_line


@dataclass(slots=True)
class _Part:
    """What one tree has read of a block; `guards` are the numbers of the tests to keep."""

    flow: Flow
    names: list[int]
    block: Block
    steps: Sequence[Step]
    guards: Sequence[int]


class _Joining:
    """The flow of one unit while it is put together from those of several trees."""

    def __init__(self, first: Flow, others: Iterable[tuple[Flow, Placing]]) -> None:
        self._names = {name: number for number, name in enumerate(first.names)}
        self._guards: list[Guard] = []
        self._outside: dict[Guard, int] = {}
        self._steps = self._links = 0
        self._blocks: list[list[_Part]] = []
        self._children: list[Child] = []
        self._declared: dict[tuple[str, int], Declared] = {}
        self._modports: dict[tuple[str, str, str], None] = {}
        self._add_first(first)
        for flow, at in others:
            self._add(flow, at)

    def flow(self) -> Flow:
        """Returns the whole, its blocks and instances by line."""
        parts = sorted(self._blocks, key=lambda one: one[0].block.line)
        blocks = tuple(self._block(one) for one in parts)
        children = tuple(sorted(self._children, key=_LINE))
        declared = tuple(self._declared.values())
        return Flow(
            tuple(self._names), tuple(self._guards), blocks, children, declared=declared,
            modports=tuple(self._modports),
        )  # fmt: skip

    def _add_first(self, flow: Flow) -> None:
        names = list(range(len(flow.names)))
        for block in flow.blocks:
            own = range(block.guards, block.guards_end)
            self._blocks.append([_Part(flow, names, block, block.steps, own)])
            self._steps += len(block.steps)
        for child in flow.children:
            self._children.append(self._child(flow, names, child, child.links))
        self._declare(flow)

    def _declare(self, flow: Flow) -> None:
        self._modports |= dict.fromkeys(flow.modports)
        for one in flow.declared:
            at = self._around(flow, one.guard)
            mine = Declared(one.name, at, one.whole, one.line)
            self._declared.setdefault((one.name, at), mine)

    def _add(self, flow: Flow, at: Placing) -> None:
        """Adds what another tree has read in the lines that are new there."""
        names = [self._names.setdefault(name, len(self._names)) for name in flow.names]
        places = {(one[0].block.kind, one[0].block.line): one for one in self._blocks}
        for block in flow.blocks:
            known = places.get((block.kind, block.line))
            whole = at.fresh(block.line) or (at.repairs and known is None)
            steps = [one for one in block.steps if whole or at.fresh(one.line)]
            kept = _needed(flow, block, steps, at, whole=whole)
            if self._steps + len(steps) > STEPS or not (steps or kept):
                continue
            self._steps += len(steps)
            part = _Part(flow, names, block, steps, kept)
            if known is not None:
                known.append(part)
            else:
                self._blocks.append([part])
        self._add_children(flow, names, at)
        self._declare(flow)

    def _add_children(self, flow: Flow, names: list[int], at: Placing) -> None:
        places = {(one.name, one.unit, one.line): n for n, one in enumerate(self._children)}
        for child in flow.children:
            place = places.get((child.name, child.unit, child.line))
            if self._links > limits.FILE_CONNECTIONS:
                return
            if place is None:
                self._children.append(self._child(flow, names, child, child.links))
                continue
            mine = self._children[place]
            new = [one for one in child.links if at.fresh(one.line)]
            added = self._child(flow, names, child, new)
            links = tuple(sorted((*mine.links, *added.links), key=_LINE))
            told = {name for name, _ in mine.values}
            values = (*mine.values, *(one for one in child.values if one[0] not in told))
            self._children[place] = Child(
                mine.name, mine.unit, mine.line, mine.guard, links, values
            )

    def _child(self, flow: Flow, names: list[int], child: Child, links: Sequence[Link]) -> Child:
        self._links += len(links)
        wired = tuple(
            Link(
                one.port, one.position, one.line,
                tuple((names[number], bits) for number, bits in one.writes),
                tuple(names[number] for number in one.reads), one.value, one.logic,
            )
            for one in links
        )  # fmt: skip
        guard = self._around(flow, child.guard)
        return Child(child.name, child.unit, child.line, guard, wired, child.values)

    def _around(self, flow: Flow, at: int) -> int:
        """Returns the number of the generate condition that one of a tree becomes."""
        path = []
        while at >= 0:
            path.append(flow.guards[at])
            at = flow.guards[at].outer
        for one in reversed(path):
            mine = Guard(at, one.kind, one.text, one.line, one.labels)
            at = self._outside.get(mine, -1)
            if at < 0:
                at = self._outside[mine] = len(self._guards)
                self._guards.append(mine)
        return at

    def _block(self, parts: list[_Part]) -> Block:
        """Returns a block with the steps, tests and events of all trees that have read it."""
        around = [self._outer_numbers(part) for part in parts]
        begin = len(self._guards)
        known: dict[Guard, int] = {}
        steps: list[Step] = []
        events: dict[tuple[str, int, int], None] = {}
        own: dict[int, None] = {}
        for part, numbers in zip(parts, around, strict=True):
            names = part.names
            for at in part.guards:
                numbers[at] = self._guard(part, at, numbers, known)
            steps += (
                Step(
                    one.line, numbers[one.guard] if one.guard >= 0 else -1,
                    tuple((names[number], bits) for number, bits in one.writes),
                    tuple(names[number] for number in one.reads), one.value, one.logic,
                )
                for one in part.steps
            )  # fmt: skip
            events |= dict.fromkeys((e, names[n], line) for e, n, line in part.block.events)
            own |= dict.fromkeys(names[number] for number in part.block.own)
        steps = sorted(steps, key=_LINE) if len(parts) > 1 else steps
        one = parts[0].block
        end = max(part.block.end_line for part in parts)
        return Block(
            one.kind, one.line, end, one.label, tuple(events), tuple(steps), begin,
            len(self._guards), tuple(own),
        )  # fmt: skip

    def _outer_numbers(self, part: _Part) -> dict[int, int]:
        """Returns the numbers that the generate conditions around a block become."""
        flow, block = part.flow, part.block
        used = {one.guard for one in part.steps}
        used |= {flow.guards[at].outer for at in part.guards}
        return {
            at: self._around(flow, at)
            for at in sorted(used)
            if at >= 0 and not block.guards <= at < block.guards_end
        }

    def _guard(self, part: _Part, at: int, numbers: dict[int, int], known: dict[Guard, int]) -> int:
        one = part.flow.guards[at]
        outer = numbers[one.outer] if one.outer >= 0 else -1
        if len(self._guards) >= GUARDS:
            return outer
        reads = tuple(part.names[number] for number in one.reads)
        mine = Guard(outer, one.kind, one.text, one.line, one.labels, reads)
        place = known.get(mine)
        if place is None:
            place = known[mine] = len(self._guards)
            self._guards.append(mine)
        return place


def _needed(
    flow: Flow, block: Block, steps: Iterable[Step], at: Placing, *, whole: bool
) -> list[int]:
    """Returns the tests of a block that are new, or stand around what is new, in order."""
    own = range(block.guards, block.guards_end)
    if whole:
        return list(own)
    found: set[int] = set()
    waiting = [one for one in own if at.fresh(flow.guards[one].line)]
    waiting += [one.guard for one in steps]
    for one in waiting:
        while one in own and one not in found:
            found.add(one)
            one = flow.guards[one].outer
    return sorted(found)
