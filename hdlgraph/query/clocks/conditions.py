"""The generate conditions on the way between two registers that the parameters do not decide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise

from hdlgraph.parsers.text.conditions import bare
from hdlgraph.query.clocks.data import Data
from hdlgraph.query.clocks.together import exclude

Condition = tuple[int, str]
"""(instance, the condition as its unit has it)."""


class Conditions:
    """The open conditions of the ways of a network."""

    def __init__(self, data: Data) -> None:
        self._data, self._values = data, data.network.values
        self._steps: dict[tuple[int, int], list[Condition]] = {}

    def of_way(self, source: int, target: int, way: Sequence[int]) -> Iterator[Condition]:
        """Yields those of the registers at both ends, then those of each step between.

        Args:
            source: the number of the register before.
            target: that of the register behind.
            way: the nodes from the target's input back to the source.
        """
        for number in (source, target):
            held = self._data.registers[number]
            yield from self._open(held.at, held.register.guard)
        for node, before in pairwise(way):
            yield from self._step(node, before)

    def in_one_build(self, source: int, target: int, way: Sequence[int]) -> bool:
        """Returns whether a build has both registers and the way: `ifdefs exclude none of them.

        Args:
            source: the number of the register before.
            target: that of the register behind.
            way: the nodes from the target's input back to the source.
        """
        before, behind = (self._data.registers[one].register for one in (source, target))
        read = self._data.nets[way[0]].key
        ends = [text for text, keys in behind.under if read in keys]
        begins = [text for text, _ in before.under]
        if not any((*begins, *ends)):
            return True
        same = self._data.registers[source].at == self._data.registers[target].at
        steps = [text for pair in pairwise(way) if same and (text := self._built(*pair))]
        return any(
            not any(exclude(*pair) for pair in combinations((begin, end, *steps), 2))
            for begin in begins or [""]
            for end in ends or [text for text, _ in behind.under] or [""]
        )

    def _built(self, node: int, source: int) -> str:
        """Returns what `ifdefs ask for around what makes one net of another, "" for several."""
        net, before = self._data.nets[node], self._data.nets[source]
        if net.at != before.at:
            return ""
        view = self._data.network.unit(net.at).view
        lines = {
            origin.driver.line
            for origin in self._data.network.origins(net)
            if before in origin.nets or before in origin.tests
        }
        texts = {view.ifdef(line) for line in lines}
        return texts.pop() if len(texts) == 1 else ""

    def _open(self, at: int, guard: int) -> list[Condition]:
        return [(at, text) for text in self._values.open_conditions(at, guard)]

    def _step(self, node: int, source: int) -> list[Condition]:
        """Returns those of what makes one net of another; none where several things do."""
        found = self._steps.get((node, source))
        if found is None:
            net, before = self._data.nets[node], self._data.nets[source]
            origins = self._data.network.origins(net)
            guards = (o.driver.guard for o in origins if before in o.nets or before in o.tests)
            found = self._open(net.at, next(guards, -1))
            self._steps[node, source] = found
        return found

    def around(self, at: int) -> Iterator[Condition]:
        """Yields those of the instances around an instance, and of its own place."""
        network = self._data.network
        while network.parents[at] >= 0:
            guard = network.part(at).child.guard
            at = network.parents[at]
            yield from self._open(at, guard)

    def named(self, conditions: Iterable[Condition]) -> frozenset[str]:
        """Returns conditions by names that tell them apart.

        Those of two instances are the same where both are given the same parameter of an instance
        around them.
        """
        return frozenset(self._values.of_top(at, text) for at, text in conditions)


def are_met(conditions: Iterable[str]) -> bool:
    """Returns whether conditions can hold together: not one and its opposite."""
    found = {*conditions}
    return not any(denied(text) in found for text in found)


def denied(text: str) -> str:
    """Returns the opposite of a condition: that of an `else` branch, or of its `if`."""
    if text.startswith("!(") and bare(text[1:]) != text[1:].strip():
        return bare(text[1:])
    return f"!({text})"
