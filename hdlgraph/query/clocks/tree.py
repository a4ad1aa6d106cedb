"""The clocks below a top: where each begins, what it becomes, and what hangs on it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hdlgraph.query.clocks.analysis import Analysis
from hdlgraph.query.clocks.keys import Key, text_of
from hdlgraph.query.clocks.network import Net
from hdlgraph.query.clocks.roots import BUFFER, Roots

NAMES = 6
"""Names of a clock that are listed."""


class _Clock:
    """What hangs on one root while it is counted."""

    def __init__(self) -> None:
        self.registers = self.falling = 0
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
        "notes": analysis.notes(),
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
        "instances": len(clock.instances),
        "names": [{"name": name, "instances": count} for name, count in names[:NAMES]],
        "n_steps": len(steps),
        "steps": [_step(roots, number, net, clock, ways) for net in steps[:limit]],
    }


def _step(roots: Roots, number: int, net: Net, clock: _Clock, ways: Ways) -> dict[str, Any]:
    network, edge = roots.network, roots.edges[net]
    before = ways.steps(net)[:-1]
    registers, instances = clock.steps[net]
    return {
        "name": network.name(net),
        "how": edge.how,
        "source": network.name(before[-1]) if before else name_of(roots, number),
        "location": network.location(edge.at, edge.line),
        "registers": registers,
        "instances": len(instances),
    }
