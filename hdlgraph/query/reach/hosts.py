"""The hosts of an address map: the instances whose addresses its decoder gets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hdlgraph.query.reach.maps import Map
from hdlgraph.query.reach.records import Host
from hdlgraph.query.signals.access import drivers
from hdlgraph.query.signals.design import INPUT, INTERFACE, Design, Wire
from hdlgraph.query.unused.texts import Text

_ADDRESS = re.compile(r"addr|adr(?:_|$)|paddr", re.IGNORECASE)
_CONFIGURED = re.compile(r"cfg|map|base|mask|size|rule|default", re.IGNORECASE)
_TAKES = re.compile(r"^(?:slv|slave|host|s_axi|s|target|tgt|in|req|master_in|core)(?:_|s?$)", re.I)
_ANSWERS = re.compile(r"resp|rsp|rdata|_r$", re.IGNORECASE)
_MACRO = re.compile(r"`\w+\s*\(([^()\n]{1,300})\)")
_WORD = re.compile(r"[A-Za-z_]\w*")
DEPTH, MOST = 6, 40


class Hosts:
    """Finds the hosts of maps.

    Args:
        design: all units with their signals.
    """

    def __init__(self, design: Design) -> None:
        self._design = design

    def of(self, one: Map, text: Text) -> tuple[tuple[Host, ...], tuple[tuple[str, str, int], ...]]:
        """Returns the hosts of a map and the (unit, path, line) of its decoders.

        Args:
            one: the map.
            text: of its file.
        """
        hosts: dict[tuple[str, str, str], Host] = {}
        decoders: dict[tuple[str, str, int], None] = {}
        for row in self._rows(one):
            unit = self._design.flows.units[row]
            if one.net:
                for wire in self._wires(row, one.net):
                    step = (wire.child.unit, unit.path, wire.child.line)
                    decoders[step] = None
                    for host in self._of_decoder(row, wire, text, step):
                        hosts.setdefault((host.name, host.unit, host.path), host)
            else:
                step = (unit.name, unit.path, unit.line)
                decoders[step] = None
                for signal in one.compared:
                    for host in self._behind(row, signal.partition(".")[0], (step,), DEPTH, set()):
                        hosts.setdefault((host.name, host.unit, host.path), host)
        return tuple(hosts.values())[:MOST], tuple(decoders)

    def _rows(self, one: Map) -> list[int]:
        rows = self._design.flows.by_name.get(one.unit, ())
        return [row for row in rows if self._design.flows.units[row].path == one.path]

    def _wires(self, row: int, net: str) -> list[Wire]:
        """Returns the connections by which an instance gets a net, also by a struct around it."""
        return list(self._design.wires(row, [net]))

    def _of_decoder(
        self, row: int, wire: Wire, text: Text, step: tuple[str, str, int]
    ) -> Iterator[Host]:
        """Yields the hosts at the ports of a decoder by which addresses come in."""
        flow = self._design.view(row).flow
        for link in wire.child.links:
            one = self._design.wire(row, wire.child, link)
            if _CONFIGURED.search(one.port) or one.direction not in (INPUT, INTERFACE, ""):
                continue
            takes = _TAKES.match(one.port) and one.direction != INPUT
            if not takes and not (_ADDRESS.search(one.port) or _TAKES.match(one.port)):
                continue
            if one.direction == INPUT and not _ADDRESS.search(one.port):
                continue
            for number, _ in link.writes:
                net = flow.names[number].partition(".")[0]
                yield from self._behind(row, net, (step,), DEPTH, {wire.child.name})
                yield from self._by_macro(row, net, text, step, wire.child.name)

    def _by_macro(
        self, row: int, net: str, text: Text, step: tuple[str, str, int], own: str
    ) -> Iterator[Host]:
        """Yields the hosts, but for `own`, that a macro joins to a net: `ASSIGN(net[0], other)."""
        unit = self._design.flows.units[row]
        known = self._design.view(row).known
        for one in _MACRO.finditer(text.code):
            words = _WORD.findall(one[1])
            if net not in words or not re.search(r"from|req|to", one[0].partition("(")[0], re.I):
                continue
            for other in words:
                if other != net and other in known and not _ANSWERS.search(other):
                    found = list(self._behind(row, other, (step,), DEPTH, {own}))
                    if not found and "FROM" in one[0]:
                        yield Host(other, "", unit.path, text.line(one.start()), (step,))
                    yield from found

    def _behind(
        self, row: int, net: str, through: tuple[tuple[str, str, int], ...], depth: int,
        seen: set[object],
    ) -> Iterator[Host]:  # fmt: skip
        """Yields the instances that drive a net, through assignments and up through ports."""
        if depth <= 0 or (row, net) in seen or not self._design.has(row, net):
            return
        seen.add((row, net))
        for access in drivers(self._design, row, net):
            if access.how == "instance" and not access.of_gate and access.instance not in seen:
                yield Host(access.instance, access.of, access.path, access.line, through)
            elif access.how == "port":
                yield from self._above(row, net, through, depth, seen)
            elif access.of_gate or access.how not in ("instance", "initial"):
                plain = [one for one in access.others if _ADDRESS.search(one)]
                for other in (plain if plain or _ADDRESS.search(net) else access.others)[:4]:
                    base = other.partition(".")[0]
                    yield from self._behind(row, base, through, depth - 1, seen)

    def _above(
        self, row: int, port: str, through: tuple[tuple[str, str, int], ...], depth: int,
        seen: set[object],
    ) -> Iterator[Host]:  # fmt: skip
        """Yields the hosts that drive a port, seen from the instances of its unit."""
        unit = self._design.flows.units[row]
        alone = True
        for parent, child in self._design.parents(row):
            if row not in self._design.targets(parent, child)[:1]:
                continue  # likelier it means another unit of the name
            for link in child.links:
                wire = self._design.wire(parent, child, link)
                if wire.port != port:
                    continue
                alone = False
                names = self._design.view(parent).flow.names
                numbers = dict.fromkeys((*(number for number, _ in link.writes), *link.reads))
                for number in numbers:
                    net = names[number].partition(".")[0]
                    yield from self._behind(parent, net, through, depth - 1, seen | {child.name})
        if alone:
            line = self._design.view(row).lines.get(port, unit.line)
            yield Host(f"{unit.name}.{port}", "", unit.path, line, through)
