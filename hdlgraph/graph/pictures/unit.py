"""The block diagram of a unit: its instances, the signals between them, its ports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hdlgraph.graph.graph import Graph
from hdlgraph.graph.pictures.bound import Bound, bound_instances, with_bound
from hdlgraph.graph.pictures.flows import AT_LOGIC, End, Flow, by_direction, flows_of, sort_nets
from hdlgraph.graph.pictures.fold import Folded, fold
from hdlgraph.graph.pictures.nets import LOGIC, OWN, Net, Pin, instances_of, nets_of
from hdlgraph.graph.pictures.picture import (
    LISTED,
    WIDEST,
    Aside,
    Box,
    Picture,
    Side,
    Ways,
    Wire,
    bundle_label,
    short_names,
    some,
)
from hdlgraph.model import Location, Unit

LIMIT = 40
"""Boxes for instances unless the caller says more."""
ROWS = 8
"""Names that a box of ports shows."""
APART = 12
"""Clocks, resets or wide signals that the corner lists."""
DENSE = 60
"""With more wires than this the unit's own logic is left out, both directions between two boxes
are one wire, and wires have no labels."""


def draw_unit(
    graph: Graph, row: int, unit: Unit, limit: int = LIMIT, bounds: Sequence[Bound] = ()
) -> Picture:
    """Returns the block diagram of a unit.

    Args:
        graph: the graph of the repository.
        row: the unit's node.
        unit: the unit's facts.
        limit: how many boxes its instances may take; more are folded by unit, and the least
            connected of them go into one box.
        bounds: the bind directives that add instances to it.
    """
    return _Drawing(graph, row, unit, limit, bounds).picture()


class _Drawing:
    """One block diagram: the signals from end to end, then boxes and wires made of them."""

    def __init__(
        self, graph: Graph, row: int, unit: Unit, limit: int, bounds: Sequence[Bound]
    ) -> None:
        self.graph, self.row, self.unit = graph, row, unit
        self.instances = [*instances_of(graph, row, unit), *bound_instances(graph, bounds)]
        nets = nets_of(with_bound(unit, bounds), self.instances)
        self.folded: Folded = fold(graph, self.instances, _weights(nets, self.instances), limit)
        self.nets = sort_nets(nets, self._flows)
        self.flows: dict[Flow, list[str]] = {}
        for net in self.nets.drawn:
            for flow in self._flows(net):
                self.flows.setdefault(flow, []).append(net.name)
        self.notes = list(self.folded.notes)
        self.dense = self._count() > DENSE
        if self.dense:
            self.flows = {f: names for f, names in self.flows.items() if AT_LOGIC not in f[:2]}
            self.notes.append("too many wires: those of the unit's own logic are left out")

    def _flows(self, net: Net) -> list[Flow]:
        return flows_of(net, self.folded.box_of.__getitem__)

    def _count(self) -> int:
        """Returns how many wires there would be."""
        inside = sum(1 for flow in self.flows if not any(map(_is_port, flow[:2])))
        return inside + sum(len(ends) for _, ends in self._port_groups())

    def picture(self) -> Picture:
        """Returns the picture."""
        path = self.graph.nodes.column("path")[self.row]
        boxes = self._boxes(path)
        name_of: dict[End, str] = {number: box.id for number, box in enumerate(boxes)}
        if any(AT_LOGIC in flow[:2] for flow in self.flows):
            boxes.append(Box("l0", "logic", "logic", f"of {self.unit.name}"))
            name_of[AT_LOGIC] = "l0"
        types = {net.name: net.type for net in self.nets.drawn}
        for number, ((mark, _), names) in enumerate(self._port_groups().items()):
            boxes.append(_port_box(f"p{number}", "out" if mark == "<" else "in", names, types))
            name_of |= {f"{mark}{name}": f"p{number}" for name in names}
        return Picture(
            title=self.unit.name,
            subtitle=str(Location(path, self.unit.line)) if path else "",
            boxes=tuple(boxes),
            wires=tuple(self._wires(name_of)),
            asides=tuple(self._asides(boxes)),
            notes=tuple(self.notes),
        )

    def _boxes(self, path: str) -> list[Box]:
        ids = self.graph.nodes.column("id")
        short = short_names([one.name for one in self.instances])
        found = []
        for number, group in enumerate(self.folded.groups):
            first = self.instances[group.members[0]]
            place = str(Location(first.bound_in or path, first.line))
            if len(group.members) == 1 and group.kind != "more":
                title, subtitle = short[group.members[0]], first.unit_name
                subtitle += ", bound" if first.bound_in else ""
                tip = f"{first.name}: {first.unit_name}, {place}"
                tip += f"\nif {first.condition}" if first.condition else ""
            else:
                names = [short[one] for one in group.members]
                fits = len(names) <= 2 and len(", ".join(names)) <= WIDEST
                listed = names if fits else [names[0], f"+{len(names) - 1} more"]
                title, subtitle = group.title, group.subtitle or ", ".join(listed)
                tip = "\n".join((title, *some(names, LISTED)))
            drawn = group.kind != "more" and first.unit >= 0
            unit = ids[first.unit] if drawn else ""
            found.append(Box(
                f"n{number}", group.kind, title, subtitle, group.rows, "", tip, place, unit
            ))  # fmt: skip
        return found

    def _port_groups(self) -> dict[tuple[str, tuple[str, ...]], list[str]]:
        """Returns (mark, where to) -> ports: those of a side that go to the same boxes."""
        far: dict[End, dict[End, None]] = {}
        for flow in self.flows:
            far.setdefault(flow.source, {})[flow.target] = None
            far.setdefault(flow.target, {})[flow.source] = None
        groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for net in self.nets.drawn:
            if own := [pin for pin in net.pins if pin.owner == OWN]:
                mark = "<" if own[0].way == "output" else ">"
                ends = tuple(sorted(map(str, far.get(mark + net.name, {}))))
                groups.setdefault((mark, ends), []).append(net.name)
        return groups

    def _wires(self, name_of: dict[End, str]) -> Iterator[Wire]:
        joined: dict[tuple[str, str, bool], dict[str, None]] = {}
        for (source, target, both), names in self.flows.items():
            key = (name_of[source], name_of[target], both)
            joined.setdefault(key, {}).update(dict.fromkeys(names))
        for (source, target, both), signals in joined.items():
            back = joined.get((target, source, both), {}) if self.dense and not both else {}
            if back and source > target:
                continue
            labels = tuple(dict.fromkeys((*signals, *back)))
            plain = self.dense or "p" in (source[0], target[0])
            label = "" if plain else bundle_label(labels)
            ways: Ways = "none" if both else "two" if back else "one"
            yield Wire(source, target, label, labels, ways)

    def _asides(self, boxes: Sequence[Box]) -> Iterator[Aside]:
        nets = self.nets
        lists = (("Clocks", nets.clocks), ("Resets", nets.resets), ("Wide signals", nets.wide))
        for title, found in lists:
            found = [net for net in found if _arrives(net)]
            if found:
                rows = [self._apart(net, boxes) for net in found]
                yield Aside(title, some(rows, APART))

    def _apart(self, net: Net, boxes: Sequence[Box]) -> str:
        """Returns a line on a net: where it comes from and how far it goes."""
        drivers, readers, others = by_direction(net.pins)
        sources = self._joined_text(drivers, boxes)
        targets = self._joined_text([*readers, *others], boxes)
        if any(pin.owner == OWN and pin.way == "output" for pin in net.pins):
            targets = ", ".join(filter(None, (targets, "out of the unit")))
        arrow = f" → {targets}" if targets else ""
        return f"{net.name}{f' from {sources}' if sources else ''}{arrow}"

    def _joined_text(self, pins: Iterable[Pin], boxes: Sequence[Box]) -> str:
        """Returns the instances, and the logic, that pins belong to, in words."""
        owners = list(dict.fromkeys(pin.owner for pin in pins if pin.owner != OWN))
        found = [owner for owner in owners if owner != LOGIC]
        titles = list(dict.fromkeys(boxes[self.folded.box_of[one]].title for one in found))
        text = ", ".join(titles) if len(titles) < 3 else f"{len(found)} instances"
        if len(found) == len(self.instances) > 2:
            text = "all instances"
        return text or ("logic" if LOGIC in owners else "")


def _is_port(end: End) -> bool:
    return isinstance(end, str) and end[0] in "<>"


def _arrives(net: Net) -> bool:
    """Returns whether a net is a port, or anything but the unit's own logic takes it."""
    _, readers, others = by_direction(net.pins)
    ends = {pin.owner for pin in (*readers, *others)} - {LOGIC}
    return bool(ends) or any(pin.owner == OWN for pin in net.pins)


def _weights(nets: Sequence[Net], instances: Sequence[object]) -> list[int]:
    """Returns how many nets reach each instance."""
    found = [0] * len(instances)
    for net in nets:
        for owner in {pin.owner for pin in net.pins} - {OWN, LOGIC}:
            found[owner] += 1
    return found


def _port_box(name: str, side: Side, ports: Sequence[str], types: dict[str, str]) -> Box:
    tip = "\n".join(some([f"{port}: {types.get(port, '')}" for port in ports], LISTED))
    return Box(name, "ports", rows=some(ports, ROWS), side=side, tip=tip)
