"""What `who`, `path` and `impact` add where a name is a signal: its drivers, readers and flow."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence
from typing import Any

from hdlgraph.errors import UsageError
from hdlgraph.model import Location, NodeKind
from hdlgraph.query.design.names import matching
from hdlgraph.query.signals.access import drivers, loads
from hdlgraph.query.signals.design import Design
from hdlgraph.query.signals.records import Access
from hdlgraph.query.signals.resolve import Point, handles, resolve
from hdlgraph.query.signals.trace import follow, label

SIGNALS = frozenset({NodeKind.SIGNAL.value, NodeKind.PORT.value})
MOST = 16
"""Signals of one name that are looked at."""
NETS = 400
"""Nets that are visited from one end of a path."""
DRIVES, READS = "DRIVES", "READS"


def points_of(design: Design, name: str) -> list[Point]:
    """Returns the signals that a name means, [] where it means anything else too, or too much."""
    graph = design.graph
    if name.count(".") > 1 and ":" not in name and (found := _of_path(design, name)):
        return found
    rows = matching(graph, name)
    if not rows:
        return _of_path(design, name)
    kinds = graph.nodes.column("kind")
    if any(kinds[row] not in SIGNALS for row in rows) or len(rows) > MOST:
        return []
    found = []
    for row in rows:
        unit, _, signal = graph.nodes.column("name")[row].partition(".")
        path = graph.nodes.column("path")[row]
        named = design.flows.by_name.get(unit, ())
        own = (at for at in named if design.flows.units[at].path == path)
        for at in (one for one in own if design.has(one, signal)):
            found += [Point(at, signal), *handles(design, at, signal, ())]
    return list(dict.fromkeys(found))


def behind(design: Design, name: str, targets: Sequence[dict[str, Any]]) -> list[Point]:
    """Returns the signals of interfaces that a name of a port, with a dot, leads to; else []."""
    if "." not in name or matching(design.graph, name):
        return []
    if len(targets) > MOST or any(one["kind"] not in SIGNALS for one in targets):
        return []
    return list(dict.fromkeys(point for one in targets for point in points_of(design, one["id"])))


def _of_path(design: Design, name: str) -> list[Point]:
    if "." not in name:
        return []
    try:
        return resolve(design, name)[:MOST]
    except UsageError:
        return []


def users(
    design: Design, points: list[Point], known: Collection[tuple[str, str]] = ()
) -> list[dict[str, Any]]:
    """Returns the places that drive and read signals, as `who` lists users.

    Ports of instances in `known`, as (id, port), are left out, but for outputs of register cells.
    """
    found: dict[tuple[str, Access], dict[str, Any]] = {}
    for point in points:
        for kind, places in (
            (DRIVES, drivers(design, point.row, point.signal)),
            (READS, loads(design, point.row, point.signal)),
        ):
            for one in places:
                end = (f"instance:{one.unit_id.partition(':')[2]}.{one.instance}", one.port)
                told = one.how == "instance" and not one.clock[1] and end in known
                if one.how != "port" and not told:
                    found.setdefault((kind, one), _user(design, point, kind, one))
    return sorted(found.values(), key=lambda one: one["kind"])


def _user(design: Design, point: Point, kind: str, one: Access) -> dict[str, Any]:
    port = f".{one.port}" if one.port else ""
    text = f"{one.instance}{port} of {one.of}" if one.instance else one.how
    if one.how == "instance" and one.clock[1]:
        text += f", a register @({' '.join(filter(None, one.clock))})"
    if kind == DRIVES:
        text += f" = {one.value}" * bool(one.value) + " in reset" * one.reset
    text += f" if {one.condition}" * bool(one.condition)
    text += f" (with {', '.join(one.given)})" * bool(one.given)
    return {
        "kind": kind,
        "words": kind.lower(),
        "user": one.unit_id,
        "user_name": one.unit,
        "user_kind": design.flows.units[point.row].kind,
        "path": one.path,
        "line": one.line,
        "location": one.location,
        "text": text,
        "value": one.value,
        "reset": one.reset,
        "confidence": 0.95 if one.sure else 0.5,
        "resolved": "unique",
        "witnesses": ["slang"],
        "trust": "single",
        "target": f"{design.flows.units[point.row].id}.{point.signal}",
    }


def flow(design: Design, source: list[Point], target: list[Point]) -> dict[str, Any] | None:
    """Returns the shortest way that a value takes between two signals, None where there is none.

    Returns:
        `{sources, targets, walks, total}` as `path` has them: one walk, whose steps say in `how`
        and `condition` what passes the value on. Steps against the flow are not `forward`.
    """
    for forward, begin, end in ((True, source, target), (False, target, source)):
        steps = _way(design, begin, {(one.row, one.signal) for one in end})
        if steps:
            walk = _walk(design, steps if forward else steps[::-1], forward)
            ends = {"sources": [place_of(design, one) for one in source[:MOST]]}
            ends["targets"] = [place_of(design, one) for one in target[:MOST]]
            return {**ends, "walks": [walk], "total": 1}
    return None


Passing = tuple[Point, Access, Point]
"""A signal, the place that passes its value on, and the signal that gets it."""


def _way(design: Design, begin: list[Point], end: set[tuple[int, str]]) -> list[Passing]:
    """Returns the steps from one of some signals to one of others, [] where there are none."""
    came: dict[Point, tuple[Point, Access] | None] = dict.fromkeys(begin)
    waiting = deque(begin)
    for _ in range(NETS):
        if not waiting:
            break
        point = waiting.popleft()
        if (point.row, point.signal) in end:
            return _back(came, point)
        for access in loads(design, point.row, point.signal):
            ends, _note = follow(design, point, access)
            for one in ends or _decided(design, point, access):
                if one not in came:
                    came[one] = (point, access)
                    waiting.append(one)
    return []


def _back(came: dict[Point, tuple[Point, Access] | None], last: Point) -> list[Passing]:
    found: list[Passing] = []
    at = last
    while (before := came[at]) is not None:
        found.append((*before, at))
        at = before[0]
    return found[::-1]


def _walk(design: Design, steps: list[Passing], forward: bool) -> dict[str, Any]:
    first = steps[0][0] if forward else steps[0][2]
    return {
        "cost": len(steps),
        "start": place_of(design, first),
        "steps": [_step(design, one, forward) for one in steps],
    }


def _step(design: Design, step: Passing, forward: bool) -> dict[str, Any]:
    before, access, after = step
    port = f".{access.port}" if access.port else ""
    how = access.how if access.how != "instance" else f"{access.instance}{port}"
    return {
        "kind": DRIVES,
        "forward": forward,
        "words": "drives" if forward else "driven by",
        "path": access.path,
        "line": access.line,
        "location": access.location,
        "text": f"{how} if {access.condition}" if access.condition else how,
        "how": access.how,
        "condition": access.condition,
        "confidence": 0.95 if access.sure else 0.5,
        "resolved": "unique",
        "witnesses": ["slang"],
        "trust": "single",
        "to": place_of(design, after if forward else before),
        "more": 0,
    }


def place_of(design: Design, point: Point) -> dict[str, Any]:
    """Returns what every record of a node says, of a signal."""
    unit, view = design.flows.units[point.row], design.view(point.row)
    base = point.signal.partition(".")[0]
    kind = "port" if base in view.ports else "signal"
    line = view.line_of(point.signal)
    inside = view.scopes.meant(point.signal)[0]
    return {
        "id": f"{kind}:{unit.path}#{unit.name}.{inside}",
        "kind": kind,
        "name": label(design, point),
        "path": unit.path,
        "line": line,
        "location": str(Location(unit.path, line)),
    }


def _decided(design: Design, point: Point, access: Access) -> list[Point]:
    """Returns the signals that a test of the signal decides on."""
    if not access.control:
        return []
    return [Point(point.row, one, point.way) for one in access.others if design.has(point.row, one)]


def reached(design: Design, points: list[Point], depth: int, limit: int) -> list[dict[str, Any]]:
    """Returns the signals that a change of signals reaches: each with its distance and place."""
    seen: dict[Point, int] = dict.fromkeys(points, 0)
    waiting = deque(points)
    found: list[dict[str, Any]] = []
    while waiting and len(found) < limit:
        point = waiting.popleft()
        if seen[point] >= depth:
            continue
        for access in loads(design, point.row, point.signal):
            ends, _ = follow(design, point, access)
            for one in ends or _decided(design, point, access):
                if one not in seen and len(found) < limit:
                    seen[one] = seen[point] + 1
                    waiting.append(one)
                    found.append(
                        {
                            "signal": label(design, one),
                            "distance": seen[one],
                            "path": access.path,
                            "line": access.line,
                            "location": access.location,
                            "how": access.how,
                        }
                    )
    return found
