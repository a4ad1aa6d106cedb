"""Where the nets of units meet ports: read once for a unit, as many questions look at it.

What a question says of a net is another matter: see `hdlgraph.query.relations.joint.inner`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeVar

from hdlgraph.query.relations.design import CONNECTS, DEFINES, NETS, PORT, Design
from hdlgraph.query.relations.nets import is_clocking

T = TypeVar("T")

PORTS = 64
"""Ports of a unit that are looked at."""
JOINS, MEETING, LABELS = 400, 8, 6
"""Nets of a unit, ends of a net, and names of a part that are looked at."""
KEPT = 50_000
"""Ends that are kept; then all are forgotten."""


class Meeting(NamedTuple):
    """An end of a net in a unit: the unit whose port it meets, the port, the edge, its names."""

    unit: int
    port: int
    edge: int
    names: tuple[str, ...]


class Net(NamedTuple):
    """A net of a unit: its node, its name, its ends, and all their names and its own."""

    row: int
    name: str
    ends: list[Meeting]
    names: frozenset[str]


class Meetings:
    """The ends of the nets of all units of a design, each unit read when it is first asked for."""

    def __init__(self, design: Design) -> None:
        self._design = design
        self._labels: dict[int, dict[int, tuple[str, ...]]] = {}
        self._joining: dict[int, list[Net]] = {}
        self._every: dict[int, dict[str, Net]] = {}
        self._outer: dict[int, dict[int, list[int]]] = {}
        self._count = 0

    def joining(self, unit: int) -> list[Net]:
        """Returns the nets of a unit that have two ends or more; clocks and resets are left out."""
        found = self._joining.get(unit)
        if found is None:
            design, labels = self._design, self.labels(unit)
            nets = (self._net(unit, net, labels, alone=False)
                    for net in dict.fromkeys(design.declared(unit, NETS)[:JOINS])
                    if not is_clocking(design.last(net)))  # fmt: skip
            found = [net for net in nets if len(net.ends) > 1]
            self._joining[unit] = self._held(found, sum(len(net.ends) for net in found))
        return found

    def every(self, unit: int) -> dict[str, Net]:
        """Returns the nets of a unit by name, each port of the unit itself an end of its net."""
        found = self._every.get(unit)
        if found is None:
            design, labels = self._design, self.labels(unit)
            at = {design.last(net): net for net in design.declared(unit, NETS)[:JOINS]
                  if not is_clocking(design.last(net))}  # fmt: skip
            found = {name: self._net(unit, net, labels, alone=True) for name, net in at.items()}
            ends = sum(len(net.ends) for net in found.values())
            self._every[unit] = self._held(found, ends)
        return found

    def labels(self, unit: int) -> dict[int, tuple[str, ...]]:
        """Returns the units below a unit, each with its name and those of its instances there."""
        labels = self._labels.get(unit)
        if labels is None:
            labels, told = {}, self._design.graph.edges.column("text")
            for fact in self._design.children(unit):
                label = told[fact.edge].partition(" ")[0]
                own = labels.get(fact.row, (self._design.last(fact.row),))
                labels[fact.row] = (*own, label)[:LABELS]
            self._labels[unit] = self._held(labels, len(labels))
        return labels

    def outer(self, unit: int) -> dict[int, list[int]]:
        """Returns the units around one, each with the ports of it that are joined to the one's.

        Clocks and resets of the unit are left out; ports come in the order of its own.
        """
        found = self._outer.get(unit)
        if found is None:
            found, design = {}, self._design
            for port in design.declared(unit, frozenset({PORT}))[:PORTS]:
                if not is_clocking(design.last(port)):
                    for fact in design.into(port, CONNECTS):
                        if design.kinds[fact.row] == PORT:
                            found.setdefault(design.owner(fact.row), []).append(fact.row)
            self._outer[unit] = self._held(found, sum(map(len, found.values())))
        return found

    def _held(self, found: T, count: int) -> T:
        """Returns what is about to be kept, after all else was forgotten where it is too much."""
        self._count += count
        if self._count > KEPT:
            for kept in (self._labels, self._joining, self._every, self._outer):
                kept.clear()
            self._count = count
        return found

    def _net(self, unit: int, net: int, labels: Mapping[int, tuple[str, ...]], alone: bool) -> Net:
        """Returns a net of a unit with its ends.

        Args:
            unit: the unit.
            net: its net.
            labels: see `labels`.
            alone: whether a port of the unit is an end where no part is connected to it.
        """
        design = self._design
        ends = [Meeting(part, fact.row, fact.edge, (design.last(fact.row), *labels.get(part, ())))
                for fact in design.facts(net, CONNECTS)[:MEETING]
                if design.kinds[fact.row] == PORT
                for part in (design.owner(fact.row),)]  # fmt: skip
        if design.kinds[net] == PORT:
            made = design.into(net, DEFINES) if alone and not ends else ()
            edges = [one.edge for one in (*ends[:1], *made)]
            ends += [Meeting(unit, net, edge, (design.last(net),)) for edge in edges[:1]]
        name = design.last(net)
        return Net(net, name, ends, frozenset((name, *(one for end in ends for one in end.names))))
