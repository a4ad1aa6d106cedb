"""Follows a signal to what drives it or to what it goes into, across instances and interfaces."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from typing import Any

from hdlgraph.model import Location
from hdlgraph.query.signals.access import drivers, loads
from hdlgraph.query.signals.design import Design
from hdlgraph.query.signals.meaning.modports import names_inside, of_port
from hdlgraph.query.signals.outside import UP, Joined, interface_member, outside
from hdlgraph.query.signals.records import Access
from hdlgraph.query.signals.resolve import Hop, Point, resolve
from hdlgraph.query.signals.rings import Rings

SCHEMA = 1
DEPTH, DEEPEST = 2, 50
LIMIT = 20
"""Places that are listed of one net; of more, a summary counts them."""
NETS = 200
"""Nets that one trace visits."""

Find = Callable[[Design, int, str], list[Access]]


def trace(
    design: Design,
    name: str,
    directions: tuple[str, ...] = ("drivers", "loads"),
    depth: int = DEPTH,
    limit: int = LIMIT,
) -> dict[str, Any]:
    """Returns what drives a signal and what it goes into, net by net.

    Args:
        design: the units.
        name: the signal, as `resolve` takes it.
        directions: "drivers", "loads" or both.
        depth: how many nets away to look, from 1: a net is a signal of one unit.
        limit: the greatest number of places listed of one net.

    Returns:
        `{schema, name, signal, others, drivers, loads}`: each direction has `nets`, nearest first,
        `truncated`, whether there were more than `NETS` or more behind the depth, and `beyond`,
        how many nets there are behind it that lead on. A net has its `signal` (`unit.name`),
        `instance` (the path, "" where none was named), `unit_id`, place, `depth`,
        `steps`, how many there are (`total`) and `counts` by what they are. A step is an access
        (see `records`), with `to`: the nets that it leads to, `note` where it is not followed, and
        of a port `joined`: the connections outside, each with `signal`, `instance` and place.
        `loops` are the rings of nets that assign each other without a register between.

    Raises:
        UsageError: the name is unknown or ambiguous.
    """
    points = resolve(design, name)
    walks = {
        one: _Walk(design, one, min(depth, DEEPEST), limit).walk(points[0]) for one in directions
    }
    units = design.flows.units
    return {
        "schema": SCHEMA,
        "name": name,
        "signal": label(design, points[0]),
        "others": [
            {"signal": label(design, one), "unit_id": units[one.row].id, **_place(design, one)}
            for one in points[1 : 1 + LIMIT]
        ],
        **walks,
    }


def label(design: Design, point: Point) -> str:
    """Returns `unit.signal`."""
    return f"{design.flows.units[point.row].name}.{point.signal}"


def _place(design: Design, point: Point) -> dict[str, Any]:
    unit = design.flows.units[point.row]
    line = design.view(point.row).line_of(point.signal)
    return {"path": unit.path, "line": line, "location": str(Location(unit.path, line))}


class _Walk:
    """One walk from a signal in one direction."""

    def __init__(self, design: Design, direction: str, depth: int, limit: int) -> None:
        self.design, self.depth, self.limit = design, depth, limit
        self._find: Find = drivers if direction == "drivers" else loads
        self._seen: set[tuple[int, str, tuple[str, ...]]] = set()
        self._rings = Rings()
        self._beyond: dict[Point, None] = {}

    def walk(self, start: Point) -> dict[str, Any]:
        """Returns the nets reached."""
        waiting = deque([(start, 1)])
        nets: list[dict[str, Any]] = []
        self._is_new(start)
        while waiting and len(nets) < NETS:
            point, depth = waiting.popleft()
            found = self._find(self.design, point.row, point.signal)
            steps = []
            for access in found[: self.limit]:
                joined = outside(self.design, point) if access.how == "port" else []
                ends, note = follow(self.design, point, access, joined)
                steps.append(
                    {
                        **access.to_dict(),
                        "to": [label(self.design, end) for end in ends],
                        "note": note,
                        "joined": [_joined(self.design, one) for one in joined],
                    }
                )
                for end in ends:
                    self._rings.add(point, access, end)
                    if depth >= self.depth:
                        self._beyond.setdefault(end)
                    elif self._is_new(end):
                        waiting.append((end, depth + 1))
            nets.append(self._net(point, depth, found, steps))
        rings = [[label(self.design, one) for one in ring] for ring in self._rings.found()]
        beyond = sum(map(self._leads_on, list(self._beyond)[:NETS]))
        return {
            "nets": nets,
            "truncated": bool(waiting) or beyond > 0,
            "beyond": beyond,
            "loops": rings,
        }

    def _leads_on(self, point: Point) -> bool:
        """Returns whether something drives or reads a net that was not visited."""
        if not self._is_new(point):
            return False
        found = self._find(self.design, point.row, point.signal)
        return any(one.how != "port" or outside(self.design, point) for one in found)

    def _is_new(self, point: Point) -> bool:
        key = (point.row, point.signal, tuple(hop.child.name for hop in point.way))
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def _net(
        self, point: Point, depth: int, found: list[Access], steps: list[dict[str, Any]]
    ) -> dict[str, Any]:
        unit = self.design.flows.units[point.row]
        return {
            "signal": label(self.design, point),
            "instance": path_of(self.design, point.way),
            "unit_id": unit.id,
            **_place(self.design, point),
            "depth": depth,
            "steps": steps,
            "total": len(found),
            "counts": dict(sorted(Counter(one.how for one in found).items())),
        }


def path_of(design: Design, way: tuple[Hop, ...]) -> str:
    """Returns the path of instances from the unit named first, "" where there is none."""
    if not way:
        return ""
    return ".".join([design.flows.units[way[0].row].name, *(hop.child.name for hop in way)])


def follow(
    design: Design, point: Point, access: Access, joined: list[Joined] | None = None
) -> tuple[list[Point], str]:
    """Returns the signals that a place leads to, and a note where it leads on to none.

    Conditions are told and not followed. `joined` is what `outside` returns of the signal, where
    the caller knows it already.
    """
    if access.how == "instance" and not access.of_gate:
        return _into(design, point, access)
    if access.how == "bind":
        row = design.flows.by_id.get(access.of_id, -1)
        ports = _members_inside(design, point, row, access.port) if row >= 0 else []
        return [Point(row, port) for port in ports if design.has(row, port)], ""
    if access.how == "port":
        return _up(design, point, joined)
    if access.control:
        return [], ""
    known = dict.fromkeys(one for one in access.others if design.has(point.row, one))
    return [Point(point.row, one, point.way) for one in known], ""


def _into(design: Design, point: Point, access: Access) -> tuple[list[Point], str]:
    row = design.flows.by_id.get(access.of_id)
    if row is None or not access.port:
        return [], f"{access.of} is not in the repository" if row is None else ""
    children = design.view(point.row).by_place_name(access.instance)
    child = next((one for one in children if one.unit == access.of), None)
    if child is None:
        return [], ""
    way = (*point.way, Hop(point.row, child))
    ports = _members_inside(design, point, row, access.port)
    return [Point(row, port, way) for port in ports if design.has(row, port)], ""


def _members_inside(design: Design, point: Point, row: int, port: str) -> list[str]:
    """Returns the port of the unit at a row, of an interface with the member that is meant."""
    if design.view(row).ports.get(port, ("", 0, ""))[0] != "interface":
        return [port]
    member = interface_member(design, point)
    if not member:
        return [port]
    outer = of_port(design, point.row, point.signal.partition(".")[0])
    own = of_port(design, row, port)
    # What comes in by a modport has the modport's names already.
    names = [member] if outer[1] else names_inside(design, own, member)
    return [f"{port}.{one}" for one in names]


def _up(
    design: Design, point: Point, joined: list[Joined] | None = None
) -> tuple[list[Point], str]:
    """Returns what the port of a unit is connected to where it is instantiated."""
    if not point.way and (count := design.count_parents(point.row)) > UP:
        unit = design.flows.units[point.row].name
        return [], f"{unit} has {count} instances: name one by its path to go on"
    found = [one.point for one in (outside(design, point) if joined is None else joined)]
    note = "" if found or point.way else "nothing instantiates it"
    return list(dict.fromkeys(found)), note


def _joined(design: Design, one: Joined) -> dict[str, Any]:
    return {
        "signal": label(design, one.point),
        "instance": one.instance,
        "path": one.path,
        "line": one.line,
        "location": str(Location(one.path, one.line)),
    }
