"""The data paths between the registers of a network, as numbered nodes with their edges."""

from __future__ import annotations

from typing import NamedTuple

from hdlgraph.query.clocks.keys import COPY, INVERTED, PARTS, Key
from hdlgraph.query.clocks.network import Net, Network
from hdlgraph.query.clocks.records import Register

NODES = 2_000_000
"""Nets that are looked at."""
_PLAIN = frozenset({COPY, INVERTED, PARTS})


class Held(NamedTuple):
    """A register of an instance: `inputs` and `control` are nodes, `node` that of its output."""

    at: int
    register: Register
    node: int
    inputs: tuple[int, ...]
    control: tuple[int, ...]


class Data:
    """The nodes of a network from which data reaches a register.

    `nets` has the net of each node; `back` what it comes from, `forth` what it goes to, both
    without registers' inputs; `tests` those of `back` that only choose; `plain` says of a node
    that it passes values on without logic.
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        self.nets: list[Net] = []
        self.back: list[list[int]] = []
        self.tests: dict[int, list[int]] = {}
        self.plain: list[bool] = []
        self.registers: list[Held] = []
        self.register_at: dict[int, int] = {}
        """The register whose output a node is."""
        self.left_out = 0
        self._numbers: dict[Net, int] = {}
        self._outputs: dict[tuple[Net, Key], int] = {}
        self._waiting: list[Net] = []
        self._collect()
        self._expand()
        self.forth: list[list[int]] = [[] for _ in self.back]
        for node, sources in enumerate(self.back):
            for one in sources:
                self.forth[one].append(node)
        self.read_by: dict[int, list[int]] = {}
        for number, held in enumerate(self.registers):
            for node in {*held.inputs, *held.control}:
                self.read_by.setdefault(node, []).append(number)

    def _new(self, net: Net) -> int:
        self.nets.append(net)
        self.back.append([])
        self.plain.append(True)
        return len(self.back) - 1

    def _node(self, net: Net) -> int:
        found = self._numbers.get(net)
        if found is None:
            found = self._numbers[net] = self._new(net)
            self._waiting.append(net)
        return found

    def node_of(self, net: Net) -> int:
        """Returns the node of a net, -1 where no register's data comes from it."""
        return self._numbers.get(net, -1)

    def _collect(self) -> None:
        for at in range(len(self.network.rows)):
            if self.network.is_late():
                self.left_out += 1
                continue
            for register in self.network.registers(at):
                net = Net(at, register.key)
                node = self._new(net)
                self._outputs[net, register.clock] = node
                self.register_at[node] = len(self.registers)
                inputs = tuple(self._node(Net(at, one)) for one in register.data)
                control = tuple(self._node(Net(at, one)) for one in register.control)
                self.registers.append(Held(at, register, node, inputs, control))

    def _expand(self) -> None:
        steps = 0
        while self._waiting:
            steps += 1
            if len(self.back) > NODES or (steps % 256 == 0 and self.network.is_late()):
                self.left_out += len(self._waiting)
                return
            net = self._waiting.pop()
            self._sources(net, self._numbers[net])

    def _sources(self, net: Net, node: int) -> None:
        into: dict[int, None] = {}
        tests: dict[int, None] = {}
        for origin in self.network.origins(net):
            register = origin.driver.register
            if register is not None:
                into[self._outputs[Net(net.at, register.key), register.clock]] = None
                continue
            if origin.form not in _PLAIN or origin.tests:
                self.plain[node] = False
            into |= dict.fromkeys(map(self._node, origin.nets))
            tests |= dict.fromkeys(map(self._node, origin.tests))
        self.back[node] = list(into | tests)
        if tests:
            self.tests[node] = [one for one in tests if one not in into]
