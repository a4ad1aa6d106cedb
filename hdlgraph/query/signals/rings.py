"""Combinational loops among the nets of a trace: signals that assign each other all round."""

from __future__ import annotations

from itertools import pairwise

from hdlgraph.query.signals.records import Access
from hdlgraph.query.signals.resolve import Point

MOST = 5
"""Loops that are told of one trace."""
_PROCESSES = ("always_comb", "always")
_HOPS = ("assign", "instance", "bind")


class Rings:
    """Finds loops in the steps of a trace.

    A step counts where all of a signal is assigned without a clock, in a direction that is known:
    an `inout` and the net at it are one wire. What one process assigns and reads may be read before
    and after: a loop has at least one step besides.
    """

    def __init__(self) -> None:
        self._next: dict[Point, dict[Point, bool]] = {}

    def add(self, point: Point, access: Access, end: Point) -> None:
        """Adds a step of the trace from one net to another."""
        whole = not access.bits and access.signal == point.signal
        if access.how in _PROCESSES:
            if whole and not access.clock[1] and point != end:
                self._next.setdefault(point, {}).setdefault(end, False)
        elif access.sure and (access.how == "port" or (access.how in _HOPS and whole)):
            self._next.setdefault(point, {})[end] = True

    def found(self) -> list[list[Point]]:
        """Returns the loops, each from its first net round to it again."""
        rings: list[list[Point]] = []
        state: dict[Point, int] = {}  # 1: on the way, 2: done
        for start in self._next:
            if start not in state:
                self._walk(start, state, rings)
        return rings[:MOST]

    def _walk(self, start: Point, state: dict[Point, int], rings: list[list[Point]]) -> None:
        way = [start]
        waiting = [iter(self._next.get(start, ()))]
        state[start] = 1
        while waiting:
            end = next(waiting[-1], None)
            if end is None:
                waiting.pop()
                state[way.pop()] = 2
            elif state.get(end) == 1:
                ring = [*way[way.index(end) :], end]
                if any(self._next[a][b] for a, b in pairwise(ring)):
                    rings.append(ring)
            elif end not in state:
                state[end] = 1
                way.append(end)
                waiting.append(iter(self._next.get(end, ())))
