"""The clocks below a top: where each begins, what it becomes, and what hangs on it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hdlgraph.query.clocks.analysis import Analysis, clocks_outside
from hdlgraph.query.clocks.keys import COPY, Key, text_of
from hdlgraph.query.clocks.network import Net, Network
from hdlgraph.query.clocks.passing import CLOCK, RESET, is_named
from hdlgraph.query.clocks.records import Part
from hdlgraph.query.clocks.roots import BUFFER, Edge, Roots
from hdlgraph.query.signals.design import INPUT, OUTPUT

NAMES = 6
"""Names of a clock that are listed."""
CELL = 8
"""Ports of a gate that is a unit of its own, at most."""
ENABLED = 3
"""Ports of a gate that has an enable, at least."""
LONGEST = 120
"""Characters of what is connected to an input of a gate."""


class _Clock:
    """What hangs on one root while it is counted."""

    def __init__(self) -> None:
        self.registers = self.falling = 0
        self.others: Counter[str] = Counter()
        """Registers that the default build has not, by what `ifdefs ask for."""
        self.instances: set[int] = set()
        self.names: Counter[str] = Counter()
        self.steps: dict[Net, tuple[int, set[int]]] = {}

    def add(self, at: int, key: Key, falls: bool, steps: tuple[Net, ...]) -> None:
        """Adds a register with the steps from the root to its clock."""
        self.registers += 1
        self.falling += falls
        if at not in self.instances:
            self.instances.add(at)
            self.names[text_of(key)] += 1
        for step in steps:
            count, instances = self.steps.get(step, (0, set()))
            instances.add(at)
            self.steps[step] = (count + 1, instances)


def clock_tree(analysis: Analysis, limit: int) -> dict[str, Any]:
    """Returns the clocks of a top, those of most registers first, for `hdlgraph clocks`.

    Args:
        analysis: of the top.
        limit: the greatest number of steps and of clocks listed; all are counted.
    """
    network, roots = analysis.network, analysis.clocks
    found: dict[int, _Clock] = {}
    way = Ways(roots)
    for at in range(len(network.rows)):
        for register in network.registers(at):
            net = Net(at, register.clock)
            traced = roots.of(net)
            falls = (register.edge == "negedge") != traced.inverted
            clock = found.setdefault(traced.root, _Clock())
            aside = network.aside(at, register)
            if aside:
                clock.others[aside] += 1
            else:
                clock.add(at, register.clock, falls, way.steps(net))
    for number in list(found):  # what a clock is made of is told with it
        waiting = [number]
        while waiting:
            for one in roots.roots[waiting.pop()].inputs:
                if one not in found:
                    found[one] = _Clock()
                    waiting.append(one)
    order = sorted(found, key=lambda one: (-found[one].registers, name_of(roots, one)))
    return {
        **analysis.head(),
        "total": len(order),
        "clocks": [_told(roots, one, found[one], way, limit) for one in order[:limit]],
        "notes": [*analysis.notes(), *_gates_aside(network), *clocks_outside(network, roots)],
    }


class Ways:
    """The steps from a root to a net that are more than a wire."""

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self._kept: dict[Net, tuple[Net, ...]] = {}

    def steps(self, net: Net, depth: int = 0) -> tuple[Net, ...]:
        """Returns the nets on the way at which the clock is gated, inverted, or another one."""
        found = self._kept.get(net)
        if found is None:
            edge = self._roots.edges.get(net)
            before = self.steps(edge.source, depth + 1) if edge and depth < 400 else ()
            found = (*before, net) if edge and edge.how != BUFFER else before
            self._kept[net] = found
        return found


def name_of(roots: Roots, number: int) -> str:
    """Returns the name of a root."""
    return roots.network.name(roots.roots[number].net)


def root_told(roots: Roots, number: int) -> dict[str, Any]:
    """Returns what every report says of a root."""
    root = roots.roots[number]
    return {
        "name": name_of(roots, number),
        "kind": root.kind,
        "location": roots.network.location(root.at, root.line),
        "inputs": [name_of(roots, one) for one in root.inputs],
    }


def others_told(counts: Counter[str]) -> list[dict[str, Any]]:
    """Returns the conditions of registers that the default build has not, most of these first."""
    order = sorted(counts, key=lambda one: (-counts[one], one))
    return [{"condition": one, "registers": counts[one]} for one in order]


def _told(roots: Roots, number: int, clock: _Clock, ways: Ways, limit: int) -> dict[str, Any]:
    names = sorted(clock.names.items(), key=lambda one: (-one[1], one[0]))
    steps = sorted(
        clock.steps,
        key=lambda net: (-clock.steps[net][0], len(ways.steps(net)), roots.network.name(net)),
    )
    return {
        **root_told(roots, number),
        "registers": clock.registers,
        "falling": clock.falling,
        "others": others_told(clock.others),
        "instances": len(clock.instances),
        "names": [{"name": name, "instances": count} for name, count in names[:NAMES]],
        "n_steps": len(steps),
        "steps": [_step(roots, number, net, clock, ways) for net in steps[:limit]],
    }


def _step(roots: Roots, number: int, net: Net, clock: _Clock, ways: Ways) -> dict[str, Any]:
    network, edge = roots.network, roots.edges[net]
    before = ways.steps(net)[:-1]
    registers, instances = clock.steps[net]
    at, port = _outermost(network, net, edge.source.key[0])
    return {
        "name": network.name(net),
        "how": edge.how,
        "placed": _placed(network, at),
        "enable": _enables(network, net._replace(at=at), edge, port) if edge.how == "gated" else [],
        "source": network.name(before[-1]) if before else name_of(roots, number),
        "location": network.location(edge.at, edge.line),
        "registers": registers,
        "instances": len(instances),
    }


def _placed(network: Network, at: int) -> str:
    """Returns the `path:line` of an instance, "" for the top."""
    if at == 0:
        return ""
    return network.location(network.parents[at], network.part(at).child.line)


def _outermost(network: Network, net: Net, clock: str) -> tuple[int, str]:
    """Returns the instance of a gate and its clock port, of one in a mere wrapper the wrapper's.

    A wrapper is a small unit that hands all connections of the gate on to its own ports.
    """
    at = net.at
    while at > 0 and _is_cell(network, at, net.key[0]) and network.parents[at] > 0:
        outer = network.unit(network.parents[at])
        ports = network.part(at).actuals
        told = [one for one in ports.values() if one.direction == INPUT]
        plain = all(len(one.keys) == 1 and one.form == COPY for one in told)
        kinds = {outer.view.ports.get(key[0], ("",))[0] for one in told for key in one.keys}
        if not plain or kinds != {INPUT} or clock not in ports or len(outer.unit.ports) > CELL:
            break
        at, clock = network.parents[at], ports[clock].keys[0][0]
        outputs = [name for name, port in outer.view.ports.items() if port[0] == OUTPUT]
        net = Net(at, (outputs[0],)) if len(outputs) == 1 else Net(0, net.key)
    return at, clock


def _is_cell(network: Network, at: int, name: str) -> bool:
    unit = network.unit(at)
    return at > 0 and len(unit.unit.ports) <= CELL and unit.is_output(name)


def _gates_aside(network: Network) -> list[str]:
    """Returns which gates of clocks the parameters leave out, with what they would ask for."""
    found: dict[str, None] = {}
    for at in range(len(network.rows)):
        unit = network.unit(at)
        for part in unit.parts:
            if part.child.guard < 0 or part.row < 0 or network.has(at, part.child.guard):
                continue
            if _gates(network, at, part):
                place = network.location(at, part.child.line)
                when = unit.view.condition(part.child.guard)
                found.setdefault(f"{part.child.name} ({place}) if {when}")
    names = list(found)
    if not names:
        return []
    more = f" and {len(names) - NAMES} more" if names[NAMES:] else ""
    told = "; ".join(names[:NAMES])
    return [f"gates that the parameters leave out, with their conditions: {told}{more}"]


def _gates(network: Network, at: int, part: Part) -> bool:
    """Returns whether an instance makes a clock of a clock, and nothing else there drives it."""
    ports = network.units.at(part.row).unit.ports
    clocks = {direction: name for name, direction, _, _ in ports if CLOCK.search(name)}
    made = part.actuals.get(clocks.get(OUTPUT, ""))
    if made is None or INPUT not in clocks or len(ports) > CELL or len(ports) < ENABLED:
        return False
    return not any(True for key in made.keys for _ in network.origins(Net(at, key)))


def _enables(network: Network, net: Net, edge: Edge, clock: str) -> list[str]:
    """Returns what a gate lets its clock through by, as written: `en_i(go & run)` or `go`.

    Of a cell, with the name of its clock port, these are the connections of its inputs beside the
    clock, else the other nets of the logic.
    """
    if net.at != edge.at or _is_cell(network, net.at, net.key[0]):
        return _connected(network, net.at, clock)
    found: dict[str, None] = {}
    for origin in network.origins(net):
        if edge.source in origin.nets:
            found |= {text_of(one.key): None for one in origin.nets if one != edge.source}
    return list(found)


def _connected(network: Network, at: int, clock: str) -> list[str]:
    """Returns the connections of the inputs of an instance but for its clock and its resets."""
    part, graph = network.part(at), network.units.design.graph
    around = network.unit(network.parents[at]).unit
    ports = [
        name
        for name, one in part.actuals.items()
        if one.direction == INPUT and name != clock and not is_named((name,), RESET)
    ]
    row = graph.row(f"instance:{around.path}#{around.name}.{part.child.name}")
    texts: dict[str, str] = {}
    names = graph.nodes.column("name")
    made, ends = graph.edges.column("text"), graph.edges.column("target")
    for edge in graph.made_edges(row).tolist() if row >= 0 else ():
        port = names[ends[edge]].rpartition(".")[2]
        if port in ports and made[edge]:
            texts.setdefault(port, f"{port}({made[edge]})")
    told = [texts[port] for port in ports if port in texts]
    return [one if len(one) <= LONGEST else f"{one[: LONGEST - 1]}…" for one in told]
