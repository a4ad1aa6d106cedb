"""What the ports of a unit are connected to outside of it, and on which line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from hdlgraph.query.signals.binds import nets_of
from hdlgraph.query.signals.design import Design
from hdlgraph.query.signals.meaning.modports import names_outside, of_port
from hdlgraph.query.signals.resolve import Hop, Point

UP = 16
"""Instances of a unit that a port is followed to, where no path says which one is meant."""


class Joined(NamedTuple):
    """A connection of a port: the signal outside, the instance (`unit.name`), and the place."""

    point: Point
    instance: str
    path: str
    line: int


def outside(design: Design, point: Point) -> list[Joined]:
    """Returns what a port of a unit is connected to, by binds too.

    Where no path says which instance is meant all are looked at; none where they are too many.
    """
    if point.way:
        return list(_of_instance(design, point, point.way[-1], point.way[:-1]))
    if design.count_parents(point.row) > UP:
        return []
    found = [
        one
        for row, child in design.parents(point.row)
        for one in _of_instance(design, point, Hop(row, child), ())
    ]
    for row, signal, path, line in nets_of(design, point.row, point.signal):
        name = f"bind of {design.flows.units[point.row].name}"
        found.append(Joined(Point(row, signal), name, path, line))
    return list(dict.fromkeys(found))


def _of_instance(design: Design, point: Point, hop: Hop, way: tuple[Hop, ...]) -> Iterator[Joined]:
    base, _, member = point.signal.partition(".")
    unit, view = design.flows.units[hop.row], design.view(hop.row)
    instance = f"{unit.name}.{hop.child.name}"
    is_interface = design.view(point.row).ports.get(base, ("", 0, ""))[0] == "interface"
    for link in hop.child.links:
        if link.port == "*":
            told = {one.port for one in hop.child.links}
            if base not in told and design.has(hop.row, base):
                name = view.scopes.whole(point.signal, hop.child.guard)
                yield Joined(Point(hop.row, name, way), instance, unit.path, link.line)
            continue
        port = link.port or design.wire(hop.row, hop.child, link).port
        if port != base:
            continue
        for number in dict.fromkeys((*(n for n, _ in link.writes), *link.reads)):
            names = [view.scopes.whole(view.flow.names[number], hop.child.guard)]
            if is_interface and member:
                outer, _, modport = view.flow.names[number].partition(".")
                plain = modport and modport in design.modports(hop.row, outer)
                base_of = outer if plain else names[0]
                names = [f"{base_of}.{one}" for one in _members(design, point, hop, outer)]
            for name in (one for one in names if design.has(hop.row, one)):
                yield Joined(Point(hop.row, name, way), instance, unit.path, link.line)


def _members(design: Design, point: Point, hop: Hop, outer: str) -> list[str]:
    """Returns what a member of an interface port is called at the instance."""
    base, _, member = point.signal.partition(".")
    if of_port(design, hop.row, outer)[1]:
        return [member]
    return names_outside(design, of_port(design, point.row, base), member)


def interface_member(design: Design, point: Point) -> str:
    """Returns the member of an interface that a signal means, without its modport."""
    base, _, member = point.signal.partition(".")
    modport, _, rest = member.partition(".")
    return rest if rest and modport in design.modports(point.row, base) else member
