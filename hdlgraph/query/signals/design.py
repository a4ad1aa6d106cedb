"""All units with their signals, and where an instance and its ports lead."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

from hdlgraph.errors import UsageError
from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, Location
from hdlgraph.model.flow import Child, Link
from hdlgraph.parsers.text.expressions import GATES
from hdlgraph.query.signals.conditions.bits import Bits
from hdlgraph.query.signals.conditions.parameters import Parameters
from hdlgraph.query.signals.conditions.reduced import Known
from hdlgraph.query.signals.machines.choices import enum_members
from hdlgraph.query.signals.unit import UnitView
from hdlgraph.store.design.flows import Flows, FlowUnit

INSTANTIATES, DEFINES, BINDS = (
    kind.value for kind in (EdgeKind.INSTANTIATES, EdgeKind.DEFINES, EdgeKind.BINDS)
)
INPUT, OUTPUT, INOUT, INTERFACE = "input", "output", "inout", "interface"
SEVERAL_OUTPUTS = frozenset({"buf", "not"})
PARENTS = 5000
"""Instances of a unit that are looked at."""


class Wire(NamedTuple):
    """A connection of an instance, with the unit at its other end.

    `port` is the port's name ("" where it is not known), `direction` as the unit declares it, ""
    where the unit is not known; `implied` whether only `.*` states the connection.
    """

    child: Child
    link: Link
    port: str
    direction: str
    targets: tuple[int, ...]
    implied: bool = False


class Held(NamedTuple):
    """What an instance of a register cell does to the net at its output.

    All are nets of the unit around the instance; `reset` is "" without one. `sure` is False for a
    cell that the repository has not.
    """

    edge: str
    clock: str
    reset: str
    data: tuple[str, ...]
    sure: bool


class Design:
    """All units with their signals, and the graph that says which unit an instance means."""

    def __init__(self, graph: Graph, flows: Flows) -> None:
        self.graph, self.flows = graph, flows
        self._views: dict[int, UnitView] = {}
        self._targets: dict[tuple[int, str, int], tuple[int, ...]] = {}
        self._ports: dict[int, dict[str, str]] = {}
        self._binds: dict[int, frozenset[int]] = {}
        self._counts: dict[int, int] = {}
        self.parameters = Parameters(graph, flows.units, self.parents, self.count_parents)
        self.held: Callable[[int, Child, str], Held | None] = lambda *_: None
        """Tells the register that an output of an instance is; set by who knows register cells."""
        self.cell: Callable[[int], list[dict[str, Any]]] = lambda _: []
        """Tells the outputs of the unit at a row that are registers, where it is a cell."""

    def view(self, row: int) -> UnitView:
        """Returns the signals of the unit at a row."""
        found = self._views.get(row)
        if found is None:
            if len(self._views) >= 1000:
                self._views.clear()
            unit = self.flows.units[row]
            number = partial(self.parameters.value, row)
            known = Known(Bits(self.graph, unit).is_bit, number)
            found = self._views[row] = UnitView(unit, self.flows.flow(row), known)
        return found

    def units(self, name: str) -> list[int]:
        """Returns the rows of the units of a name or node id.

        Raises:
            UsageError: there is none; the message holds the nearest names.
        """
        wanted = name.strip()
        row = self.flows.by_id.get(wanted)
        if row is not None:
            return [row]
        rows = self.flows.by_name.get(wanted)
        if rows:
            return rows
        folded = [one for one in self.flows.by_name if one.lower() == wanted.lower()]
        if folded:
            return [row for one in folded for row in self.flows.by_name[one]]
        raise UsageError(self._unknown(wanted))

    def _unknown(self, wanted: str) -> str:
        short = wanted[:200]
        near = difflib.get_close_matches(short, self.flows.by_name, n=5, cutoff=0.6)
        if near:
            return f"nothing is called {short!r} among the units; did you mean {', '.join(near)}?"
        return f"nothing is called {short!r} among the units that have signals"

    def having(self, rows: list[int], signal: str) -> list[int]:
        """Returns those of the units that have a signal.

        Raises:
            UsageError: none has it; the message holds the nearest names.
        """
        found = [row for row in rows if self.has(row, signal)]
        if found:
            return found
        unit = self.flows.units[rows[0]]
        known = self.view(rows[0]).known
        near = difflib.get_close_matches(signal[:200], known, n=5, cutoff=0.6)
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        place = Location(unit.path, unit.line)
        raise UsageError(f"{unit.kind} {unit.name} ({place}) has no signal {signal[:200]!r}{hint}")

    def has(self, row: int, signal: str) -> bool:
        """Returns whether a unit has a signal, or a member of one, of this name."""
        known = self.view(row).known
        signal = self.view(row).scopes.meant(signal)[0]
        if signal in known or (signal in self.view(row).linked and signal not in self.constants):
            return True
        base = signal.partition(".")[0]
        return base != signal and (base in known or self.is_interface(row, base))

    @cached_property
    def constants(self) -> frozenset[str]:
        """Returns the names of all parameters and members of enumerations."""
        nodes = self.graph.nodes
        rows = zip(nodes.column("kind"), nodes.column("name"), strict=True)
        found = {name.rpartition(".")[2] for kind, name in rows if kind == "parameter"}
        for by_owner in self._enums.values():
            for members in by_owner.values():
                found.update(members)
        return frozenset(found)

    def is_interface(self, row: int, name: str) -> bool:
        """Returns whether a name of a unit is an instance of an interface."""
        child = self.view(row).children.get(name)
        rows = self.targets(row, child) if child else ()
        return bool(rows) and self.flows.units[rows[0]].kind == "interface"

    def targets(self, row: int, child: Child) -> tuple[int, ...]:
        """Returns the units that an instance may mean, the likeliest first."""
        key = (row, child.name, child.line)
        found = self._targets.get(key)
        if found is None:
            found = self._targets[key] = tuple(self._find_targets(row, child))
        return found

    def _find_targets(self, row: int, child: Child) -> list[int]:
        unit, graph = self.flows.units[row], self.graph
        node = f"instance:{unit.path}#{unit.name}.{child.name}"
        kinds = graph.edges.column("kind")
        ends, sure = graph.edges.column("target"), graph.edges.column("confidence")
        ids = graph.nodes.column("id")
        at = graph.row(f"{node}@{child.line}")
        at = at if at >= 0 else graph.row(node)
        if at < 0:
            return list(self.flows.by_name.get(child.unit, []))
        found = [
            (-sure[edge], ids[ends[edge]])
            for edge in graph.out_edges(at).tolist()
            if kinds[edge] == INSTANTIATES
        ]
        rows = (self.flows.by_id.get(one) for _, one in sorted(found))
        return [one for one in rows if one is not None]

    def wires(self, row: int, names: Sequence[str]) -> Iterator[Wire]:
        """Yields the connections of the unit at a row that mention one of some names."""
        view = self.view(row)
        seen: set[tuple[int, int]] = set()
        for name in names:
            for child, link in view.links.get(name, ()):
                if (id(child), id(link)) not in seen:
                    seen.add((id(child), id(link)))
                    yield self.wire(row, child, link)
        for child, link in view.links.get("*", ()):
            yield from self.stars(row, child, link, names)

    def wire(self, row: int, child: Child, link: Link) -> Wire:
        """Returns a connection with the port that it leads to."""
        targets = self.targets(row, child)
        if not targets:
            count = len(child.links)
            direction = gate_direction(child.unit, link.position, count)
            return Wire(child, link, link.port, direction, targets)
        ports = self.flows.units[targets[0]].ports
        if link.port:
            return Wire(child, link, link.port, self._direction(targets[0], link.port), targets)
        if link.position < len(ports):
            name, direction, _, _ = ports[link.position]
            return Wire(child, link, name, direction, targets)
        return Wire(child, link, "", "", targets)

    def _direction(self, row: int, port: str) -> str:
        found = self._ports.get(row)
        if found is None:
            ports = self.flows.units[row].ports
            found = self._ports[row] = {name: direction for name, direction, _, _ in ports}
        return found.get(port, "")

    def stars(self, row: int, child: Child, link: Link, names: Sequence[str]) -> Iterator[Wire]:
        """Yields the connections that `.*` makes with nets of some names."""
        targets = self.targets(row, child)
        told = {one.port for one in child.links}
        for name in names:
            direction = self._direction(targets[0], name) if targets else ""
            if direction and name not in told:
                whole = Link(name, -1, link.line, (), (), name)
                yield Wire(child, whole, name, direction, targets, True)

    def modports(self, row: int, base: str) -> tuple[str, ...]:
        """Returns the modports of the interface that a name of a unit stands for."""
        view = self.view(row)
        child = view.children.get(base)
        of = view.ports.get(base, ("", 0, ""))[2].partition(".")[0].strip()
        rows = self.targets(row, child) if child else self.flows.by_name.get(of, ())
        return tuple(name for name, _ in self.flows.units[rows[0]].modports) if rows else ()

    def count_parents(self, row: int) -> int:
        """Returns how many instances may mean a unit."""
        found = self._counts.get(row)
        if found is None:
            found = self._counts[row] = self._count_parents(row)
        return found

    def _count_parents(self, row: int) -> int:
        graph, own = self.graph, self.graph.row(self.flows.units[row].id)
        if own < 0:
            return 0
        kinds, sources = graph.edges.column("kind"), graph.edges.column("source")
        of = graph.nodes.column("kind")
        return sum(
            1
            for edge in graph.in_edges(own).tolist()
            if kinds[edge] == INSTANTIATES and of[sources[edge]] == "instance"
        )

    @cached_property
    def binds(self) -> frozenset[int]:
        """Returns the rows of the instances that bind directives make."""
        edges = self.graph.edges
        pairs = zip(edges.column("kind"), edges.column("instance"), strict=True)
        return frozenset(instance for kind, instance in pairs if kind == BINDS) - {-1}

    def binds_of(self, node: int) -> frozenset[int]:
        """Returns those of `binds` that are bound into the unit at a row of the graph."""
        found = self._binds.get(node)
        if found is None:
            kinds, made = (self.graph.edges.column(name) for name in ("kind", "instance"))
            own = self.graph.out_edges(node).tolist()
            found = frozenset(made[edge] for edge in own if kinds[edge] == BINDS) - {-1}
            self._binds[node] = found
        return found

    def enum(self, name: str, unit: FlowUnit) -> list[str]:
        """Returns the members of an enumeration as a unit sees it, [] where it is none.

        That of the unit or of the package named counts, else that of a package or file of which
        all of its name are alike.
        """
        scope, _, short = name.rpartition("::")
        found = self._enums.get(short, {})
        own = found.get(scope or unit.name)
        if own:
            return own
        kinds = {tuple(one) for one in found.values()}
        return list(kinds.pop()) if len(kinds) == 1 else []

    @cached_property
    def _enums(self) -> dict[str, dict[str, list[str]]]:
        """Returns the members of enumerations by their name, then by what declares them."""
        nodes = self.graph.nodes
        found: dict[str, dict[str, list[str]]] = {}
        rows = zip(nodes.column("kind"), nodes.column("name"), nodes.column("detail"), strict=True)
        for kind, name, detail in rows:
            if kind == "type" and detail.startswith("enum ") and detail.endswith("}"):
                owner, _, short = name.rpartition(".")
                members = enum_members(detail)
                known = found.setdefault(short, {}).setdefault(owner, [])
                known += [one for one in members if one not in known]  # of several generate blocks
        return found

    def parents(self, row: int) -> Iterator[tuple[int, Child]]:
        """Yields (unit, instance) of the instances that may mean a unit, by path and line."""
        graph, own = self.graph, self.graph.row(self.flows.units[row].id)
        if own < 0:
            return
        kinds, sources = graph.edges.column("kind"), graph.edges.column("source")
        nodes = graph.nodes
        found = []
        for edge in graph.in_edges(own).tolist()[: 4 * PARENTS]:
            source = sources[edge]
            if kinds[edge] == INSTANTIATES and nodes.column("kind")[source] == "instance":
                found.append((nodes.column("path")[source], nodes.column("line")[source], source))
        for _, line, source in sorted(found)[:PARENTS]:
            holder = self._holder(source)
            if holder is None:
                continue
            whole = nodes.column("name")[source].partition(".")[2]
            for child in self.view(holder).by_place.get((whole, line), ()):
                yield holder, child

    def _holder(self, instance: int) -> int | None:
        graph = self.graph
        kinds, sources = graph.edges.column("kind"), graph.edges.column("source")
        for edge in graph.in_edges(instance).tolist():
            if kinds[edge] == DEFINES:
                return self.flows.by_id.get(graph.nodes.column("id")[sources[edge]])
        return None


def is_gate(wire: Wire) -> bool:
    """Returns whether an instance is a primitive of the language (IEEE 1800, clause 28)."""
    return wire.child.unit in GATES and not wire.targets


def gate_direction(unit: str, position: int, count: int) -> str:
    """Returns the direction of a gate's terminal, "" where the unit is no gate."""
    if unit not in GATES:
        return ""
    if unit.startswith(("tran", "rtran")):
        return INOUT if position < 2 else INPUT
    if unit in SEVERAL_OUTPUTS:
        return OUTPUT if position < count - 1 else INPUT
    return OUTPUT if position == 0 else INPUT
