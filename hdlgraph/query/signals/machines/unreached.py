"""The states of a machine that no way leads to from those after a reset."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from hdlgraph.model.flow import Child, Step
from hdlgraph.parsers.operations.machines import constant
from hdlgraph.query.signals.design import INPUT, Design
from hdlgraph.query.signals.machines.cells import cell_of
from hdlgraph.query.signals.machines.choices import alone, leaves
from hdlgraph.query.signals.machines.moves import Move, Named, handed, is_aside
from hdlgraph.query.signals.machines.sources import DEFAULT
from hdlgraph.query.signals.unit import UnitView

_UNKNOWN = re.compile(r"(?:\d*'[sS]?[bodhBODH]\s*|')[xX?_]+")
"""A value that synthesis may choose."""


class Reached:
    """Which states of one machine are reached.

    Args:
        design: all units.
        row: of the unit.
        view: the unit, with what functions and packages add.
        names: the names whose assignment sets the machine.
        known: the register and its states.
        states: all states.
    """

    def __init__(
        self, design: Design, row: int, view: UnitView, names: Sequence[str], known: Named,
        states: Iterable[str],
    ) -> None:  # fmt: skip
        self._design, self._row, self._view = design, row, view
        self._names, self._known, self._states = names, known, dict.fromkeys(states)

    def without(self, moves: Iterable[Move], reset: str) -> tuple[str, ...]:
        """Returns the states that nothing leads to, () where a value or the start is not known."""
        if reset not in self._states or not self._is_whole():
            return ()
        found = _behind({reset, *self._given()}, moves)
        return tuple(one for one in self._states if one not in found)

    def _steps(self) -> Iterator[tuple[bool, Step]]:
        """Yields what is assigned to the machine, each with whether that is no move of it."""
        for name in self._names:
            for block, whole in self._view.writes.get(name, ()):
                if block.kind != "assert":
                    yield is_aside(self._view, block, whole), alone(self._view, whole, name)

    def _given(self) -> set[str]:
        """Returns the states that a reset or an initial value gives."""
        steps = (step for aside, step in self._steps() if aside)
        return {constant(leaf) for step in steps for leaf, _ in leaves(step.value)}

    def _is_whole(self) -> bool:
        """Returns whether all that the register is given is known: states, or what it holds."""
        register, view = self._known.pair.register, self._view
        # Of a record all may be set at once; what is held outside may change there.
        if "." in register or view.ports.get(register, ("",))[0] == INPUT:
            return False
        if any(block.kind in ("task", "function") and self._sets(block.steps)
               for block in view.flow.blocks):  # fmt: skip
            return False
        links = (link for name in self._names for link in view.links.get(name, ()))
        if not all(self._reads(child, link.port, link.position) for child, link in links):
            return False
        return all(
            self._is_known(leaf, step)
            for aside, step in self._steps()
            for leaf, _ in (leaves(step.value) if not aside else ())
        )

    def _sets(self, steps: Iterable[Step]) -> bool:
        names = self._view.flow.names
        return any(names[number] in self._names for step in steps for number, _ in step.writes)

    def _reads(self, child: Child, port: str, position: int) -> bool:
        """Returns whether a connection leaves the machine as it is: an input, or its register."""
        cell = cell_of(self._design, self._row, child)
        if cell is not None and cell.register == self._known.pair.register:
            return True
        links = [one for one in child.links if (one.port, one.position) == (port, position)]
        return all(self._design.wire(self._row, child, one).direction == INPUT for one in links)

    def _is_known(self, leaf: str, step: Step) -> bool:
        if any("[" in bits for _, bits in step.writes):
            return False
        if leaf in self._names or leaf == self._known.tested or _UNKNOWN.fullmatch(leaf):
            return True
        return constant(leaf) in self._states or bool(handed(self._view, leaf, self._known))


def _behind(first: Iterable[str], moves: Iterable[Move]) -> set[str]:
    """Returns the states that moves reach from some."""
    found, after = set(first), dict[str, list[str]]()
    for move in moves:
        if not move.sources or DEFAULT in move.sources:
            found.add(move.target)
        for source in move.sources:
            after.setdefault(source, []).append(move.target)
    waiting = list(found)
    while waiting:
        new = set(after.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return found
