"""Which variables of a process hold nothing from one run of it to the next."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hdlgraph.model.flow import Target
from hdlgraph.parsers.flow.names import Names
from hdlgraph.parsers.slang.places import is_node


class Locals:
    """The variables that a process declares or counts with, while it is read in its order.

    An automatic one is made anew in each run (IEEE 1800, clause 6.21). Another one is written
    before it is read where its first use assigns it under no test that its declaration is not
    under; one that a nonblocking assignment sets is a register.
    """

    def __init__(self, names: Names, *, automatic: bool = False) -> None:
        self._names, self._automatic = names, automatic
        self._made_anew: set[int] = set()
        self._places: dict[int, int] = {}
        """The guard around the declaration of each of the others."""
        self._first: dict[int, bool] = {}
        """Whether the first use of each of these assigns it, whatever the tests."""
        self._held: set[int] = set()

    def declare(self, node: Any, guard: int) -> None:
        """Notes a declaration in a block of the process."""
        words = {getattr(one, "valueText", "") for one in node.modifiers}
        anew = "automatic" in words or (self._automatic and "static" not in words)
        for one in node.declarators:
            if is_node(one):
                number = self._names.number(one.name.valueText)
                if anew:
                    self._made_anew.add(number)
                else:
                    self._places.setdefault(number, guard)

    def may_count(self, name: str, guard: int) -> None:
        """Notes a whole number that the unit declares: one that is assigned first counts here."""
        self._places.setdefault(self._names.number(name), guard)

    def count_with(self, nodes: Iterable[Any], guard: int) -> None:
        """Notes the variables that a loop begins to count with and does not declare."""
        for one in nodes:
            if is_node(one) and one.kind._name_ == "AssignmentExpression":
                for number, bits in self._names.targets(one.left)[0]:
                    if not bits and number not in self._places:
                        self._places[number] = guard
                    if not bits:
                        self._first.setdefault(number, True)

    def use(self, guard: int, writes: Iterable[Target], reads: Iterable[int]) -> None:
        """Notes a use under a guard."""
        if not self._places:
            return
        for number in reads:
            if number in self._places:
                self._first.setdefault(number, False)
        for number, bits in writes:
            if number in self._places:
                self._first.setdefault(number, not bits and guard == self._places[number])

    def hold(self, writes: Iterable[Target]) -> None:
        """Notes what a nonblocking assignment sets."""
        self._held.update(number for number, _ in writes)

    def found(self) -> tuple[int, ...]:
        """Returns the numbers of the variables that hold nothing, in order."""
        others = {one for one in self._places if self._first.get(one)} - self._held
        return tuple(sorted(self._made_anew | others))
