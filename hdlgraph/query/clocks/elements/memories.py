"""Which arrays are memories: an address chooses the element that is written, or that is read."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from hdlgraph.model.flow import Step
from hdlgraph.query.clocks.elements.occurrences import index_words, occurrences
from hdlgraph.query.clocks.elements.reading import Reading


class Memories:
    """The memories of a unit."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def is_written(self, step: Step, number: int, bits: str) -> bool:
        """Returns whether what a process assigns is an element that an address chooses.

        An index that only counts, as that of a loop, chooses none. Where a test has it too,
        as in `if (write[i])`, it stands for an address that is decoded.
        """
        view = self._reading.view
        words = index_words(bits)
        if words & self._reading.nets:
            return True
        at = step.guard
        while at >= 0:
            guard = view.flow.guards[at]
            if guard.kind != "generate" and words & index_words(f"[{guard.text}]"):
                return True
            at = guard.outer
        return view.flow.names[number] in self._chosen

    @cached_property
    def _chosen(self) -> frozenset[str]:
        """Returns the arrays of which a value reads an element that a net chooses."""
        nets = self._reading.nets
        return frozenset(
            name
            for text in self._texts()
            if "[" in text
            for name, ways in occurrences(text).items()
            if any(index_words(way) & nets for way in ways)
        )

    def _texts(self) -> Iterator[str]:
        flow = self._reading.view.flow
        for block in flow.blocks:
            for step in block.steps:
                yield step.value or step.logic
        for child in flow.children:
            for link in child.links:
                yield link.value or link.logic
        for guard in flow.guards:
            yield guard.text
