"""One-hot machines whose bits are tested by number and whose states are named constants."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from hdlgraph.model.flow import Guard
from hdlgraph.parsers.text.conditions import bare
from hdlgraph.query.clocks.parameters.arithmetic import evaluate
from hdlgraph.query.signals.design import Design
from hdlgraph.query.signals.machines.choices import ONE, leaves, of_bit, parts
from hdlgraph.query.signals.unit import UnitView

DEEPEST = 8
"""Constants that a value is followed through."""


def with_hot_names(design: Design, view: UnitView) -> UnitView:
    """Returns a unit in which `case (1'b1) s[1]:` tests `s == RUN`, where RUN is 2 and assigned.

    It is the unit itself where it has no such case.
    """
    labels = {label for one in view.flow.guards for label in _bits(one)}
    if not labels:
        return view
    values = _Values(design, view)
    by_bit = {at: name for name in sorted(_assigned(view)) if (at := values.bit(name)) >= 0}
    named: dict[str, str] = {}
    for label in labels:
        name, state = of_bit(label)
        place = int(state[1:-1]) if state.startswith("[") else values.number(state)
        if place is not None and place in by_bit:
            named[label] = f"{name} == {by_bit[place]}"
    if not named:
        return view
    guards = tuple(
        msgspec.structs.replace(one, labels=tuple(named.get(text, text) for text in one.labels))
        if _bits(one)
        else one
        for one in view.flow.guards
    )
    plain = UnitView(view.unit, msgspec.structs.replace(view.flow, guards=guards))
    plain.lines = view.lines
    return plain


def _bits(guard: Guard) -> list[str]:
    """Returns the bits that an arm of `case (1'b1)` tests."""
    if guard.kind != "case" or bare(guard.text) not in ONE:
        return []
    return [label for label in guard.labels if of_bit(label)[0]]


def _assigned(view: UnitView) -> set[str]:
    """Returns the constants by name that the unit assigns whole."""
    steps = (step for block in view.flow.blocks for step in block.steps if step.value)
    found = {leaf for step in steps for leaf, _ in leaves(step.value)}
    return {one for one in found if one.isidentifier() and one not in view.lines}


class _Values:
    """The numbers of the parameters and of the members of enumerations of a unit."""

    def __init__(self, design: Design, view: UnitView) -> None:
        self._graph, self._unit = design.graph, view.unit
        self._members = dict(self._of_enums())

    def number(self, name: str, depth: int = 0) -> int | None:
        """Returns the number of a constant, None where it is not known."""
        row = self._graph.row(f"parameter:{self._unit.path}#{self._unit.name}.{name}")
        text, more = self._members.get(name, ("", 0))
        if row >= 0:
            text = self._graph.nodes.column("detail")[row].partition(" = ")[2]
        if not text or depth > DEEPEST:
            return None
        found = evaluate(text, lambda one: self.number(one, depth + 1))
        return found + more if isinstance(found, int) else None

    def bit(self, name: str) -> int:
        """Returns which bit of a constant is set alone, -1 where there is not one."""
        value = self.number(name) or 0
        return value.bit_length() - 1 if value > 0 and not value & (value - 1) else -1

    def _of_enums(self) -> Iterator[tuple[str, tuple[str, int]]]:
        """Yields (member, (text, what is added to it)) of the enumerations of the unit."""
        nodes, start = self._graph.nodes, f"type:{self._unit.path}#{self._unit.name}."
        columns = (nodes.column(one) for one in ("id", "kind", "detail"))
        for node, kind, detail in zip(*columns, strict=True):
            if kind != "type" or not detail.startswith("enum ") or not node.startswith(start):
                continue
            base, more = "0", 0
            for one in parts(detail[detail.index("{") + 1 : -1]):
                name, given, text = one.partition("=")
                base, more = (text.strip(), 0) if given else (base, more)
                yield name.strip(), (base, more)
                more += 1
