"""Which signals of a unit its processes and instances drive and read, all at once."""

from __future__ import annotations

from collections.abc import Collection

from hdlgraph.model.flow import Child
from hdlgraph.query.signals.access import direction_of
from hdlgraph.query.signals.design import INPUT, OUTPUT, Design, Wire
from hdlgraph.query.signals.meaning.scopes import guard_of


class Uses:
    """What a unit's statements and instances do with each of its signals, by name.

    `driven` and `read` hold the lines of the places; a connection whose direction nobody knows
    is in both. `everything` says that an unknown unit may use any name (`.*`). A signal that shares
    its name with others of the unit is called by the path of its generate block, `g_lane.sum`.
    """

    def __init__(self, design: Design, row: int) -> None:
        self._design, self._row = design, row
        self.driven: dict[str, set[int]] = {}
        self.read: dict[str, set[int]] = {}
        self.everything = False
        self.view = design.view(row)
        self._statements()
        for child in self.view.flow.children:
            ports = {link.port for link in child.links}
            for link in child.links:
                if link.port == "*":
                    self._all_ports(child, design.targets(row, child), ports, link.line)
                else:
                    self._wire(design.wire(row, child, link))

    def _add(self, found: dict[str, set[int]], number: int, line: int, guard: int) -> None:
        base = self.view.scopes.base(self.view.flow.names[number], guard)
        found.setdefault(base, set()).add(line)

    def _statements(self) -> None:
        flow = self.view.flow
        for block in flow.blocks:
            for step in block.steps:
                for number, _ in step.writes:
                    self._add(self.driven, number, step.line, step.guard)
                for number in step.reads:
                    self._add(self.read, number, step.line, step.guard)
            around = guard_of(flow, block)
            for _, number, line in block.events:
                self._add(self.read, number, line, around)
        for at, guard in enumerate(flow.guards):
            for number in guard.reads:
                self._add(self.read, number, guard.line, at)

    def _wire(self, wire: Wire) -> None:
        way, link = direction_of(self._design, wire), wire.link
        around = wire.child.guard
        for number, _ in link.writes:
            if way != INPUT:
                self._add(self.driven, number, link.line, around)
            if way != OUTPUT:
                self._add(self.read, number, link.line, around)
        for number in link.reads:
            self._add(self.read, number, link.line, around)

    def _all_ports(
        self, child: Child, targets: tuple[int, ...], linked: set[str], line: int
    ) -> None:
        if not targets:
            self.everything = True
            return
        for name, way, _, _ in self._design.flows.units[targets[0]].ports:
            if name not in linked:
                net = self.view.scopes.whole(name, child.guard)
                if way != INPUT:
                    self.driven.setdefault(net, set()).add(line)
                if way != OUTPUT:
                    self.read.setdefault(net, set()).add(line)

    def bind(self, names: Collection[str]) -> None:
        """Adds the signals that a bound unit is connected to, as both driven and read."""
        scopes = self.view.scopes
        for name in (one for plain in names for one in (plain, *scopes.wholes(plain))):
            self.driven.setdefault(name, set()).add(0)
            self.read.setdefault(name, set()).add(0)
