"""What a unit passes on: the ports that a value gets to from one of its ports."""

from __future__ import annotations

from collections import deque

from hdlgraph.errors import UsageError
from hdlgraph.query.design.between.onward import onward_of
from hdlgraph.query.design.between.siblings import Set
from hdlgraph.query.signals.access import loads
from hdlgraph.query.signals.design import Design
from hdlgraph.query.signals.resolve import Point
from hdlgraph.query.signals.trace import follow

NETS, ALL = 400, 5000
"""Nets that are visited from one port, and for all ports of one question."""


class Passing:
    """Finds the ports of units a value gets to from others, each found once."""

    def __init__(self, design: Design) -> None:
        self._design, self._left = design, ALL
        self._found: dict[tuple[str, str], frozenset[str]] = {}
        self._onward = onward_of(design)

    def __call__(self, unit: str, port: str) -> frozenset[str]:
        """Returns the names of the ports that a value at a port gets to.

        Args:
            unit: the id of the unit.
            port: the name of the port.
        """
        key = unit, port
        found = self._found.get(key)
        if found is None:
            kept, visited = self._onward.passed.get(key, (None, 0))
            if kept is not None and visited <= self._left:
                self._left -= visited
                found = kept
            else:
                found = self._search(unit, port)
            self._found[key] = found
        return found

    def _search(self, unit: str, port: str) -> frozenset[str]:
        """Returns the other ports of a unit to which a value gets from a port, within limits."""
        design = self._design
        try:
            begin = [Point(row, port) for row in design.units(unit)]
        except UsageError:
            return frozenset()
        rows = {point.row for point in begin}
        came, waiting = {*begin}, deque(begin)
        found: set[str] = set()
        visited = 0
        while waiting and visited < NETS and self._left > 0:
            self._left -= 1
            visited += 1
            point = waiting.popleft()
            is_other = point.row in rows and point.signal != port
            if is_other and point.signal in design.view(point.row).ports:
                found.add(point.signal)
            for one in self._onward.of(design, point):
                if one not in came:
                    came.add(one)
                    waiting.append(one)
        if not waiting or visited == NETS:  # not what another question would find more of
            self._onward.passed[unit, port] = frozenset(found), visited
        return frozenset(found)

    def sets(self, unit: str, net: str) -> list[Set]:
        """Returns the nets that the statements of a unit make of one of its nets, by line."""
        design, found = self._design, []
        try:
            rows = design.units(unit)
        except UsageError:
            return []
        for row in rows:
            for access in loads(design, row, net):
                if not access.instance:
                    ends = follow(design, Point(row, net), access)[0]
                    found += [Set(one.signal, access.line, access.how) for one in ends
                              if one.row == row and one.signal != net]  # fmt: skip
        return sorted(dict.fromkeys(found), key=lambda one: (one.line, one.net))
