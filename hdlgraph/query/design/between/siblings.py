"""The way by nets from one design unit to another beside it, in the unit that has both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, Location, NodeKind
from hdlgraph.query.design.between.chain import UNITS, parents
from hdlgraph.query.design.names import place, spot

CONNECTS, DEFINES = EdgeKind.CONNECTS.value, EdgeKind.DEFINES.value
INSTANTIATES, INSTANCE = EdgeKind.INSTANTIATES.value, NodeKind.INSTANCE.value
PARENTS, HUB, HOPS = 4, 24, 4
"""Common parents looked at, readers of a net that joins too much, instances on a way."""
EVERYWHERE = re.compile(r"(?:^|_)(?:cl(?:oc)?ks?|rsts?|resets?|scan\w*|test)(?:_|n?\d*$)", re.I)
"""Nets and ports that join everything: clocks, resets, test."""
ALONE = 0.95
"""How sure what slang alone reads is, as of the graph's edges (`parsers.merge.ALONE`)."""
BACK = {
    "drives": "is driven by",
    "is assigned to": "is assigned from",
    "is read by": "reads",
}
"""What each step is called against the flow."""


class Set(NamedTuple):
    """A net that a statement of a unit makes of another one, and the line of the statement."""

    net: str
    line: int
    how: str


class _Pin(NamedTuple):
    """An edge between a net and the port of an instance."""

    edge: int
    net: int
    instance: int
    port: int


class _Step(NamedTuple):
    """A step along the flow: to a net or an instance, by a pin or an assignment (its line)."""

    to: int
    words: str
    pin: _Pin | None
    line: int = 0
    how: str = ""


_Way = list[_Step]
_Came = dict[int, tuple[int, _Way]]
"""How a net was reached: from which one, and the steps from there."""
Passes = Callable[[str, str], frozenset[str]]
"""The names of the ports that a unit (its id) passes the value of one of its ports on to."""
Sets = Callable[[str, str], list[Set]]
"""What the statements of a unit (its id) make of one of its nets."""


def ways_between(
    graph: Graph,
    starts: Iterable[int],
    ends: Iterable[int],
    sets: Sets,
    passes: Passes,
    limit: int,
) -> list[dict[str, Any]]:
    """Returns walks by nets between two units that stand beside each other, as `path` has them.

    A way goes over nets, statements and instances of the unit that has both, along
    the flow if it can, else against it. Clocks, resets and nets that many read are left out.

    Args:
        graph: the design graph.
        starts: where the walks begin; units.
        ends: where they end; units.
        sets: what the statements of the unit that has both make of its nets.
        passes: what the units of instances on the way pass on.
        limit: the greatest number of walks, each by other instances.
    """
    kinds = graph.nodes.column("kind")
    first, last = ([row for row in rows if kinds[row] in UNITS] for rows in (starts, ends))
    above = {one for row in first for one in parents(graph, row)}
    common = sorted(above & {one for row in last for one in parents(graph, row)})
    for forward in (True, False):
        begin, end = (first, last) if forward else (last, first)
        for parent in common[:PARENTS]:
            net = _Nets(graph, parent, sets, passes)
            if found := net.ways({*begin}, {*end}, limit):
                return [_walk(graph, parent, one, forward) for one in found]
    return []


class _Nets:
    """The nets of one unit, what drives and reads them."""

    def __init__(self, graph: Graph, parent: int, sets: Sets, passes: Passes) -> None:
        self._graph, self._passes, self._sets = graph, passes, sets
        self._names, self._parent = graph.nodes.column("name"), graph.nodes.column("id")[parent]
        self._drives: dict[int, list[_Pin]] = {}
        self._read: dict[int, list[_Pin]] = {}
        self._unit: dict[int, set[int]] = {}
        rows = self._parts(parent)
        for pin, direction in self._pins(rows):
            if direction != "load":
                self._drives.setdefault(pin.instance, []).append(pin)
            if direction != "driver":
                self._read.setdefault(pin.net, []).append(pin)
        self._by_name = {self._names[row].partition(".")[2]: row for row in rows}

    def ways(self, begin: set[int], end: set[int], limit: int) -> list[_Way]:
        """Returns the shortest ways from instances of some units to instances of others."""
        own = sorted(row for row, units in self._unit.items() if units & begin)
        came: _Came = {}
        for instance in own:
            for pin in self._drives.get(instance, ()):
                came.setdefault(pin.net, (-1, [_Step(pin.net, "drives", pin)]))
        front = self._with_assigned(list(came), came)
        others = {row for row, units in self._unit.items() if not units & (begin | end)}
        for _ in range(HOPS):
            found = [one for net in front for one in self._arrived(net, came, end, own)]
            if found or not front:
                return _distinct(found, limit)
            passed = [further for net in front for further in self._passed(net, came, others)]
            front = self._with_assigned(passed, came)
        return []

    def _arrived(self, net: int, came: _Came, end: set[int], own: list[int]) -> Iterator[_Way]:
        for pin in self._readers(net):
            if self._unit[pin.instance] & end and pin.instance not in own:
                yield [*self._back(net, came), _Step(pin.instance, "is read by", pin)]

    def _with_assigned(self, front: list[int], came: _Came) -> list[int]:
        """Returns nets with those that statements make of them, at any depth."""
        found = list(front)
        for net in found:
            for one in self._sets(self._parent, self._names[net].partition(".")[2]):
                further = self._by_name.get(one.net, -1)
                if further >= 0 and further not in came and not _everywhere(one.net):
                    step = _Step(further, "is assigned to", None, one.line, one.how)
                    came[further] = (net, [step])
                    found.append(further)
        return found

    def _passed(self, net: int, came: _Came, others: set[int]) -> Iterator[int]:
        """Yields the nets that instances on the way pass the value of a net on to."""
        for pin in self._readers(net):
            outs = [one for one in self._drives.get(pin.instance, ()) if one.net not in came]
            if pin.instance not in others or not outs:
                continue
            if any(step.to == pin.instance for step in self._back(net, came)):
                continue  # a way that goes through an instance twice is none
            ports = self._ports(pin)
            for out in outs:
                if self._last(out.port) in ports and out.net not in came:
                    first = _Step(pin.instance, "is read by", pin)
                    came[out.net] = (net, [first, _Step(out.net, "drives", out)])
                    yield out.net

    def _ports(self, pin: _Pin) -> set[str]:
        ids, name = self._graph.nodes.column("id"), self._last(pin.port)
        units = sorted(self._unit[pin.instance])
        return {one for unit in units for one in self._passes(ids[unit], name)}

    def _last(self, row: int) -> str:
        return str(self._names[row]).rpartition(".")[2]

    def _readers(self, net: int) -> list[_Pin]:
        """Returns where instances read a net, none where many do."""
        found = self._read.get(net, [])
        return found if len(found) <= HUB else []

    def _back(self, net: int, came: _Came) -> _Way:
        steps: _Way = []
        while net >= 0:
            net, last = came[net]
            steps = [*last, *steps]
        return steps

    def _parts(self, parent: int) -> list[int]:
        edges = self._graph.edges
        return [
            int(edges.column("target")[edge])
            for edge in self._graph.out_edges(parent).tolist()
            if edges.column("kind")[edge] == DEFINES
        ]

    def _pins(self, rows: list[int]) -> Iterator[tuple[_Pin, str]]:
        """Yields the connections of the instances among the parts of a unit, but for clocks."""
        edges, kinds = self._graph.edges, self._graph.nodes.column("kind")
        of, sources, targets = (edges.column(one) for one in ("kind", "source", "target"))
        for row in rows:
            if kinds[row] != INSTANCE:
                continue
            out = self._graph.out_edges(row).tolist()
            self._unit[row] = {int(targets[edge]) for edge in out if of[edge] == INSTANTIATES}
            for edge in self._graph.made_edges(row).tolist():
                net, port = int(sources[edge]), int(targets[edge])
                joins = of[edge] == CONNECTS and net != row
                if joins and not any(map(_everywhere, (self._names[net], self._names[port]))):
                    yield _Pin(edge, net, row, port), edges.column("direction")[edge]


def _everywhere(name: str) -> bool:
    return EVERYWHERE.search(name.rpartition(".")[2]) is not None


def _distinct(found: list[_Way], limit: int) -> list[_Way]:
    """Returns ways by different instances, the shortest first."""
    kept: dict[tuple[int, ...], _Way] = {}
    for one in sorted(found, key=len):
        kept.setdefault(tuple(step.to for step in one[:-1] if step.words == "is read by"), one)
    return list(kept.values())[:limit]


def _walk(graph: Graph, parent: int, way: _Way, forward: bool) -> dict[str, Any]:
    """Returns a way as `path` lists walks, from the first unit to the last."""
    first = way[0].pin
    ends = [first.instance if first else -1, *(step.to for step in way)]
    steps = list(zip(ends, ends[1:], way, strict=False))
    if not forward:
        steps = [(to, of, step) for of, to, step in reversed(steps)]
    return {
        "cost": len(way),
        "start": place(graph, steps[0][0]),
        "steps": [_step(graph, parent, to, step, forward) for _, to, step in steps],
    }


def _step(graph: Graph, parent: int, to: int, step: _Step, forward: bool) -> dict[str, Any]:
    words = step.words if forward else BACK[step.words]
    known = {"kind": CONNECTS if step.pin else "DRIVES", "forward": forward, "words": words}
    if step.pin is None:
        path = graph.nodes.column("path")[parent]
        record: dict[str, Any] = {
            "path": path,
            "line": step.line,
            "location": str(Location(path, step.line)),
            "text": step.how,
            "confidence": ALONE,
            "resolved": "unique",
            "witnesses": ["slang"],
            "trust": "single",
        }
    else:
        names = graph.nodes.column("name")
        instance, port = (
            names[row].rpartition(".")[2] for row in (step.pin.instance, step.pin.port)
        )
        record = spot(graph, step.pin.edge)
        record["text"] = f"{instance}.{port}({record['text']})"
    return {**known, **record, "to": place(graph, to), "more": 0}
