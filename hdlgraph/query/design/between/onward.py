"""The signals that a signal leads on to, kept from one question to the next."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

from hdlgraph.query.signals.access import loads
from hdlgraph.query.signals.design import Design
from hdlgraph.query.signals.records import Access
from hdlgraph.query.signals.resolve import Hop, Point
from hdlgraph.query.signals.trace import follow

KEPT = 100_000
"""Signals whose next ones are kept, and ports whose outer nets are; then they are forgotten."""


class _Next(NamedTuple):
    """What a signal leads on to: another one, or what `port` is connected to outside.

    The way of `point` begins at the instance of the signal; one `from_top` is the whole way.
    """

    point: Point | None
    from_top: bool = False
    port: Access | None = None


class Onward:
    """What signals lead on to. It does not hold the design, by which it is kept."""

    def __init__(self) -> None:
        self._next: dict[tuple[int, str], list[_Next]] = {}
        self._outer: dict[tuple[int, str, tuple[Hop, ...]], list[Point]] = {}
        self.passed: dict[tuple[str, str], tuple[frozenset[str], int]] = {}
        """The ports that a value gets to from a port of a unit, and how many nets were visited."""

    def of(self, design: Design, point: Point) -> list[Point]:
        """Returns the signals that the places which read a signal lead on to, in their order."""
        found: list[Point] = []
        for one in self._after(design, point.row, point.signal):
            if one.port is not None:
                found += self._out(design, point, one.port)
            elif one.point is not None:
                found.append(one.point if one.from_top else _below(point.way, one.point))
        return found

    def _after(self, design: Design, row: int, signal: str) -> list[_Next]:
        known = self._next.get((row, signal))
        if known is None:
            if len(self._next) >= KEPT:
                self._next.clear()
            known = self._next[row, signal] = _after(design, Point(row, signal))
        return known

    def _out(self, design: Design, point: Point, port: Access) -> list[Point]:
        last = point.way[-1:]
        known = self._outer.get((point.row, point.signal, last))
        if known is None:
            if len(self._outer) >= KEPT:
                self._outer.clear()
            known = follow(design, Point(point.row, point.signal, last), port)[0]
            self._outer[point.row, point.signal, last] = known
        return [_below(point.way[:-1], one) for one in known]


def _after(design: Design, point: Point) -> list[_Next]:
    """Returns what the places that read a signal lead on to, by line."""
    found: list[_Next] = []
    for access in loads(design, point.row, point.signal):
        if access.how == "port":
            found.append(_Next(None, port=access))
        else:
            ends = follow(design, point, access)[0]
            found += [_Next(one, from_top=access.how == "bind") for one in ends]
    return found


def _below(way: tuple[Hop, ...], point: Point) -> Point:
    return point._replace(way=(*way, *point.way)) if way else point


_KNOWN: WeakKeyDictionary[Design, Onward] = WeakKeyDictionary()


def onward_of(design: Design) -> Onward:
    """Returns what signals of a design lead on to, kept as long as the design is."""
    found = _KNOWN.get(design)
    if found is None:
        found = _KNOWN[design] = Onward()
    return found
