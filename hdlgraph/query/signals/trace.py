"""Follows a signal to what drives it or to what it goes into, across instances and interfaces."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from typing import Any

from hdlgraph.model import Location
from hdlgraph.query.signals.access import drivers, loads
from hdlgraph.query.signals.design import Design
from hdlgraph.query.signals.records import Access
from hdlgraph.query.signals.resolve import Hop, Point, resolve

SCHEMA = 1
DEPTH, DEEPEST = 2, 50
LIMIT = 20
"""Places that are listed of one net; of more, a summary counts them."""
NETS = 200
"""Nets that one trace visits."""
UP = 16
"""Instances of a unit that a port is followed to, where no path says which one is meant."""

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
        and `truncated`, whether there were more than `NETS`. A net has its `signal`
        (`unit.name`), `instance` (the path, "" where none was named), `unit_id`, place, `depth`,
        `steps`, how many there are (`total`) and `counts` by what they are. A step is an access
        (see `records`), with `to`: the nets that it leads to, and `note` where it is not followed.

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
    line = design.view(point.row).lines.get(point.signal.partition(".")[0], unit.line)
    return {"path": unit.path, "line": line, "location": str(Location(unit.path, line))}


class _Walk:
    """One walk from a signal in one direction."""

    def __init__(self, design: Design, direction: str, depth: int, limit: int) -> None:
        self.design, self.depth, self.limit = design, depth, limit
        self._find: Find = drivers if direction == "drivers" else loads
        self._seen: set[tuple[int, str, tuple[str, ...]]] = set()

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
                ends, note = follow(self.design, point, access)
                steps.append(
                    {
                        **access.to_dict(),
                        "to": [label(self.design, end) for end in ends],
                        "note": note,
                    }
                )
                for end in ends if depth < self.depth else ():
                    if self._is_new(end):
                        waiting.append((end, depth + 1))
            nets.append(self._net(point, depth, found, steps))
        return {"nets": nets, "truncated": bool(waiting)}

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


def follow(design: Design, point: Point, access: Access) -> tuple[list[Point], str]:
    """Returns the signals that a place leads to, and a note where it leads on to none.

    Conditions are told and not followed.
    """
    if access.how == "instance":
        return _into(design, point, access)
    if access.how == "port":
        return _up(design, point)
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
    port = access.port
    ports = design.view(row).ports
    if ports.get(port, ("", 0, ""))[0] == "interface":
        member = interface_member(design, point)
        port = f"{port}.{member}" if member else port
    way = (*point.way, Hop(point.row, child))
    return [Point(row, port, way)] if design.has(row, port) else [], ""


def interface_member(design: Design, point: Point) -> str:
    """Returns the member of an interface that a signal means, without its modport."""
    base, _, member = point.signal.partition(".")
    modport, _, rest = member.partition(".")
    return rest if rest and modport in design.modports(point.row, base) else member


def _up(design: Design, point: Point) -> tuple[list[Point], str]:
    """Returns what the port of a unit is connected to where it is instantiated."""
    if point.way:
        hop = point.way[-1]
        return list(_outside(design, point, hop, point.way[:-1])), ""
    count = design.count_parents(point.row)
    if count > UP:
        unit = design.flows.units[point.row].name
        return [], f"{unit} has {count} instances: name one by its path to go on"
    found = [
        end
        for row, child in design.parents(point.row)
        for end in _outside(design, point, Hop(row, child), ())
    ]
    return list(dict.fromkeys(found)), "" if found else "nothing instantiates it"


def _outside(design: Design, point: Point, hop: Hop, way: tuple[Hop, ...]) -> Iterator[Point]:
    base, _, member = point.signal.partition(".")
    names = design.view(hop.row).flow.names
    is_interface = design.view(point.row).ports.get(base, ("", 0, ""))[0] == "interface"
    for link in hop.child.links:
        if link.port == "*":
            told = {one.port for one in hop.child.links}
            if base not in told and design.has(hop.row, base):
                yield Point(hop.row, point.signal, way)
            continue
        if design.wire(hop.row, hop.child, link).port != base:
            continue
        for number in dict.fromkeys((*(n for n, _ in link.writes), *link.reads)):
            name = names[number]
            if is_interface and member:
                outer, _, modport = name.partition(".")
                plain = modport and modport in design.modports(hop.row, outer)
                name = f"{outer if plain else name}.{member}"
            if design.has(hop.row, name):
                yield Point(hop.row, name, way)
