"""Who drives and who reads a net, across ports, from the directions of the ports it meets.

This is the one place that says so; tables with drivers and readers of their own join here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from hdlgraph.query.relations.design import CONNECTS, KEPT, NETS, PORT, Design

DEEPEST = 3
"""Levels of the hierarchy that are crossed."""
MOST = 60
"""Ends of a net that are told."""


class End(NamedTuple):
    """A unit that drives or reads a net, the edge that says so, and how many levels away."""

    unit: int
    edge: int
    depth: int


def drivers(design: Design, net: int) -> list[End]:
    """Returns the units whose outputs drive a net, the nearest first; nobody may change them."""
    return design.part(_Known).of(net, drive=True)


def readers(design: Design, net: int) -> list[End]:
    """Returns the units whose inputs read a net, the nearest first; nobody may change them."""
    return design.part(_Known).of(net, drive=False)


class _Known:
    """The ends of nets that are known: one question asks for those of a net for several kinds."""

    def __init__(self, design: Design) -> None:
        self._design = design
        self._ends: dict[tuple[int, bool], list[End]] = {}

    def of(self, net: int, drive: bool) -> list[End]:
        """Returns the ends of a net that drive it, or that read it."""
        found = self._ends.get((net, drive))
        if found is None:
            if len(self._ends) >= KEPT:
                self._ends.clear()
            found = self._ends[net, drive] = _ends(self._design, net, drive)
        return found


def _ends(design: Design, net: int, drive: bool) -> list[End]:
    found: dict[int, End] = {}
    seen = {net}
    front = [net]
    for depth in range(DEEPEST):
        above: list[int] = []
        for one in front:
            for port, edge in _below(design, one, drive):
                found.setdefault(design.owner(port), End(design.owner(port), edge, depth))
            # A port that leads out of the unit the right way goes on in the units above.
            outwards = design.kinds[one] == PORT and (
                not design.is_output(one) if drive else design.is_output(one)
            )
            if outwards:
                for fact in design.into(one, CONNECTS):
                    if fact.row not in seen and design.kinds[fact.row] in NETS:
                        seen.add(fact.row)
                        above.append(fact.row)
        front = above[:MOST]
        if len(found) >= MOST:
            break
    return list(found.values())[:MOST]


def _below(design: Design, net: int, drive: bool) -> Iterator[tuple[int, int]]:
    """Yields the ports of instances that drive or read a net, with the edges."""
    for fact in design.out(net, CONNECTS):
        if design.kinds[fact.row] != PORT:
            continue
        if design.is_output(fact.row) if drive else design.is_input(fact.row):
            yield fact.row, fact.edge


def joining(design: Design, one: int, other: int, parent: int) -> list[int]:
    """Returns the edges of nets of a unit that join two of the units it instantiates.

    They come in pairs, that of the first unit and that of the second.
    """
    found: list[tuple[int, int, int]] = []
    for net in design.declared(parent, NETS):
        ends: dict[int, int] = {}
        for fact in design.out(net, CONNECTS):
            ends.setdefault(design.owner(fact.row), fact.edge)
        if one in ends and other in ends:
            found.append((len(ends), ends[one], ends[other]))
    # A clock joins many and says little.
    return [edge for _, *pair in sorted(found) for edge in pair]
