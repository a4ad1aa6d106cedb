"""The clock of each register of a network, and which clocks' data reaches which nodes."""

from __future__ import annotations

from hdlgraph.query.clocks.data import Data
from hdlgraph.query.clocks.network import Net, Network
from hdlgraph.query.clocks.roots import CONSTANT, OPEN, Roots


class Domains:
    """The data of a network with the clock of each register, -1 where it is not known."""

    def __init__(self, network: Network, roots: Roots, data: Data) -> None:
        self.network, self.roots, self.data = network, roots, data
        self._most = network.limits.cone
        self.cut: dict[int, None] = {}
        """The registers around which a search ended before it had seen all."""
        self.of = [self._clock(held.at, held.register.clock) for held in data.registers]
        self.bits = {root: 1 << at for at, root in enumerate(sorted(set(self.of) - {-1}))}
        seeds = {held.node: self.bits.get(self.of[at], 0) for at, held in enumerate(data.registers)}
        for root, bit in self.bits.items():  # a clock may be data too
            node = data.node_of(roots.roots[root].net)
            if node >= 0:
                seeds[node] = seeds.get(node, 0) | bit
        self.masks = self.spread(seeds)
        """The clocks whose data reaches each node, as bits."""

    def _clock(self, at: int, key: tuple[str, ...]) -> int:
        root = self.roots.of(Net(at, key)).root
        return -1 if self.roots.roots[root].kind in (CONSTANT, OPEN) else root

    def spread(self, seeds: dict[int, int]) -> list[int]:
        """Returns the bits that reach each node, from nodes that have some."""
        forth = self.data.forth
        masks = [0] * len(forth)
        for node, mask in seeds.items():
            masks[node] = mask
        waiting = [node for node, mask in seeds.items() if mask]
        while waiting:
            node = waiting.pop()
            mask = masks[node]
            for other in forth[node]:
                if mask & ~masks[other]:
                    masks[other] |= mask
                    waiting.append(other)
        return masks

    def foreign(self, number: int) -> list[int]:
        """Returns the other clocks whose data reaches a register."""
        held, own = self.data.registers[number], self.of[number]
        if own < 0:
            return []
        mask = 0
        for node in (*held.inputs, *held.control):
            mask |= self.masks[node]
        mask &= ~self.bits[own]
        return [root for root, bit in self.bits.items() if mask & bit] if mask else []

    def sources(self, number: int, clock: int) -> dict[int, list[int]]:
        """Returns the registers of a clock before a register, nearest first.

        Each has the way from the register back to it: the nodes, its own last.
        """
        data, bit, masks = self.data, self.bits[clock], self.masks
        held = data.registers[number]
        came = {node: -1 for node in (*held.inputs, *held.control) if masks[node] & bit}
        waiting, found = list(came), {}
        for node in waiting:  # it grows
            register = data.register_at.get(node)
            if register is not None:
                if self.of[register] == clock:
                    found[register] = _way(came, node)
                continue
            if len(came) > self._most:
                self.cut[number] = None
                continue
            for other in data.back[node]:
                if masks[other] & bit and other not in came:
                    came[other] = node
                    waiting.append(other)
        return found

    def readers(self, number: int) -> tuple[list[int], bool]:
        """Returns the registers that read a register, and whether they do without logic."""
        data = self.data
        found: dict[int, None] = {}
        seen = {data.registers[number].node: None}
        waiting, plain = list(seen), True
        for node in waiting:
            found |= dict.fromkeys(data.read_by.get(node, ()))
            plain = plain and data.plain[node]
            for other in data.forth[node]:
                if other in seen:
                    continue
                if len(seen) >= self._most:
                    self.cut[number] = None
                    continue
                seen[other] = None
                waiting.append(other)
        return list(found), plain

    def is_plain(self, number: int) -> bool:
        """Returns whether the value of a register comes without logic and tests."""
        data, held = self.data, self.data.registers[number]
        if held.control or held.register.form not in ("copy", "inverted", "parts"):
            return False
        seen = dict.fromkeys(held.inputs)
        waiting = list(seen)
        for node in waiting:
            if node in data.register_at:
                continue
            if not data.plain[node]:
                return False
            if len(seen) > self._most:
                self.cut[number] = None
                return False
            for other in data.back[node]:
                if other not in seen:
                    seen[other] = None
                    waiting.append(other)
        return True


def _way(came: dict[int, int], node: int) -> list[int]:
    found = []
    while node >= 0:
        found.append(node)
        node = came[node]
    return found[::-1]
