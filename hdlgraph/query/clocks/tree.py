"""The clocks below a top: where each begins, what it becomes, and what hangs on it."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from hdlgraph.query.clocks.analysis import Analysis, clocks_outside
from hdlgraph.query.clocks.keys import Key, text_of
from hdlgraph.query.clocks.network import Net, Network
from hdlgraph.query.clocks.passing import RESET, is_named
from hdlgraph.query.clocks.roots import BUFFER, Edge, Roots
from hdlgraph.query.signals.design import INPUT

NAMES = 6
"""Names of a clock that are listed."""
CELL = 8
"""Ports of a gate that is a unit of its own, at most."""
LONGEST = 120
"""Characters of what is connected to an input of a gate."""
_CONSTANT = re.compile(r"\d[\d_]*(?:'[sS]?[bBdDhHoO][\da-fA-FxXzZ_?]+)?|'[01xzXZ]")


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
        "notes": analysis.notes() + clocks_outside(network, roots),
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
    at, enable = _enables(network, net, edge) if edge.how == "gated" else (net.at, [])
    return {
        "name": network.name(net),
        "how": edge.how,
        "placed": _placed(network, at),
        "enable": enable,
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


def _enables(network: Network, net: Net, edge: Edge) -> tuple[int, list[str]]:
    """Returns what a gate lets its clock through by, as written: `en_i(go & run)` or `go`.

    Of a cell these are the connections of its inputs beside the clock, else the other nets of the
    logic; before them stands the instance whose connections these are.
    """
    unit = network.unit(net.at)
    is_cell = net.at > 0 and len(unit.unit.ports) <= CELL and unit.is_output(net.key[0])
    if is_cell:
        inputs = (name for name in _inputs(network, net.at) if name != edge.source.key[0])
        return _outside(network, net.at, list(inputs))
    found: dict[str, None] = {}
    for origin in network.origins(net):
        if edge.source in origin.nets:
            found |= {text_of(one.key): None for one in origin.nets if one != edge.source}
    return net.at, list(found)


def _outside(network: Network, at: int, ports: list[str]) -> tuple[int, list[str]]:
    """Returns the instance at which some inputs of a gate get their nets, and the connections.

    A wrapper around the gate that passes its own inputs on says nothing: its instance does.
    """
    while True:
        texts = _connected(network, at, ports)
        told = [f"{port}({texts[port]})" for port in ports if port in texts]
        outer = network.parents[at]
        passed = [text for text in texts.values() if not _CONSTANT.fullmatch(text)]
        if outer <= 0 or not passed or not set(passed) <= set(_inputs(network, outer)):
            return at, [one if len(one) <= LONGEST else f"{one[: LONGEST - 1]}…" for one in told]
        at, ports = outer, list(dict.fromkeys(passed))


def _inputs(network: Network, at: int) -> list[str]:
    """Returns the inputs of an instance that are no resets."""
    actuals = network.part(at).actuals.items()
    return [n for n, one in actuals if one.direction == INPUT and not is_named((n,), RESET)]


def _connected(network: Network, at: int, ports: list[str]) -> dict[str, str]:
    """Returns what some ports of an instance are connected to, as written."""
    part, graph = network.part(at), network.units.design.graph
    around = network.unit(network.parents[at]).unit
    row = graph.row(f"instance:{around.path}#{around.name}.{part.child.name}")
    texts: dict[str, str] = {}
    names = graph.nodes.column("name")
    made, ends = graph.edges.column("text"), graph.edges.column("target")
    for edge in graph.made_edges(row).tolist() if row >= 0 else ():
        port = names[ends[edge]].rpartition(".")[2]
        if port in ports and made[edge]:
            texts.setdefault(port, made[edge])
    return texts
