"""Data that goes from a register of one clock to a register of another, and what is in the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from hdlgraph.query.clocks.conditions import Condition, Conditions, are_met
from hdlgraph.query.clocks.domains import Domains
from hdlgraph.query.clocks.keys import PARTS

NONE, HANDSHAKE, FIFO, SYNCHRONISER = "none", "handshake", "fifo", "synchroniser"
KINDS = (NONE, HANDSHAKE, FIFO, SYNCHRONISER)
"""What was seen in the way of a crossing, as they are listed."""
UP = 3
"""Instances around the storage of a FIFO in which its synchronisers are looked for: the cell of the
memory, one that chooses it, and the FIFO."""
AROUND = 4
"""Instances around a synchroniser, its own first, that count as having it."""
NEAREST = 4
"""Sources of a crossing that are looked at more closely."""
DECIDING = 16
"""Registers that may lie before the signal of a handshake."""
PULSE = 3
"""Registers that may lie before one which hands on a synchronised signal, itself among them."""
GATE = 3
"""Inputs of logic that may be a gate before which a value waits."""

Sources = dict[int, list[int]]
"""Registers before another one, each with the way from that back to it."""


class Crossing(NamedTuple):
    """A register (`target`, by number) that data of another clock reaches.

    `source` is the nearest register that it comes from, of `sources` in all, and `way` the nodes
    from the target back to it. `kind` is one of `KINDS`; `logic` says that there is logic before
    the first register of a synchroniser. What comes out of one memory counts once: then `targets`
    is how many registers it reaches.
    """

    source: int
    target: int
    source_clock: int
    target_clock: int
    kind: str
    sources: int
    way: tuple[int, ...]
    logic: bool = False
    targets: int = 1


class Finder:
    """Finds the crossings of a network."""

    def __init__(self, domains: Domains, conditions: Conditions) -> None:
        self.domains, self.data, self._conditions = domains, domains.data, conditions
        self.left_out = 0
        """Registers that were not looked at, as the time was over."""
        self._synced: dict[int, int] = {}
        """Registers behind a synchroniser, with bits of the clocks that it takes data from."""
        self._both: dict[int, set[tuple[int, int]]] = {}
        """The pairs of clocks that are synchronised in an instance or below it."""
        self._branches: dict[tuple[int, int], set[frozenset[str]]] = {}
        """The conditions of the synchronisers of each pair of clocks."""
        self._ports = {
            (held.at, held.register.key[0], domains.of[number])
            for number, held in enumerate(self.data.registers)
            if held.register.memory
        }
        """Memories with the clocks that write them."""

    def find(self) -> list[Crossing]:
        """Returns the crossings, by the number of their target."""
        found: list[Crossing] = []
        later: list[tuple[int, int]] = []
        for number in range(len(self.data.registers)):
            if self.domains.network.is_late():
                self.left_out += 1
                continue
            for clock in self.domains.foreign(number):
                last = self._after(number)
                if last is None:
                    later.append((number, clock))
                    continue
                self._note(number, last, clock)
                sources = self._sources(number, clock)
                if sources:
                    self._branches.setdefault((clock, self.domains.of[number]), set()).update(
                        self._texts(one, number, way) for one, way in sources.items()
                    )
                    logic = not self.domains.is_plain(number)
                    found.append(self._made(number, clock, SYNCHRONISER, sources, logic))
        seeds = {self.data.registers[one].node: bits for one, bits in self._synced.items()}
        synced = self.domains.spread(self._behind(seeds))
        for number, clock in later:
            if self.domains.network.is_late():
                self.left_out += 1
                continue
            own = self.domains.of[number]
            sources = self._sources(number, clock)
            stored = {one: way for one, way in sources.items() if self._is_storage(one, clock, own)}
            others = {
                one: way
                for one, way in sources.items()
                if one not in stored
                and are_met(self._conditions.named(self._of_way(one, number, way)))
            }
            if stored:
                found.append(self._made(number, clock, FIFO, stored))
            if others:
                kind = self._kind(number, clock, others, synced)
                found.append(self._made(number, clock, kind, others))
        return sorted(self._by_memory(found), key=lambda one: (one.target, one.source_clock))

    def _sources(self, number: int, clock: int) -> Sources:
        """Returns the registers of a clock before another one that a build has together with it."""
        return {
            one: way
            for one, way in self.domains.sources(number, clock).items()
            if self._conditions.in_one_build(one, number, way)
        }

    def _by_memory(self, found: list[Crossing]) -> list[Crossing]:
        """Returns the crossings with those out of one memory as one: that of the shortest way."""
        kept: list[Crossing] = []
        memories: dict[tuple[int, str, int, int], list[Crossing]] = {}
        for one in found:
            if one.kind != FIFO:
                kept.append(one)
                continue
            held = self.data.registers[one.source]
            key = (held.at, held.register.key[0], one.source_clock, one.target_clock)
            memories.setdefault(key, []).append(one)
        for them in memories.values():
            best = min(them, key=lambda one: (len(one.way), one.target))
            kept.append(best._replace(targets=len(them)))
        return kept

    def _made(
        self, number: int, clock: int, kind: str, sources: Sources, logic: bool = False
    ) -> Crossing:
        own = self.domains.of[number]
        source, way = next(iter(sources.items()))
        return Crossing(source, number, clock, own, kind, len(sources), tuple(way), logic)

    def _after(self, number: int) -> list[int] | None:
        """Returns the registers behind the first of a synchroniser, None where it is none."""
        held, of = self.data.registers[number], self.domains.of
        if held.register.memory or held.control:
            return None
        readers, plain = self.domains.readers(number)
        others = [one for one in readers if one != number]
        if number in readers and held.register.form == PARTS:
            return [number]  # a register of several bits that moves them on
        if not others or not plain or number in readers:
            return None
        for one in others:
            reader = self.data.registers[one].register
            if of[one] != of[number] or not self.domains.is_plain(one) or reader.memory:
                return None
        return others

    def _note(self, number: int, last: list[int], clock: int) -> None:
        """Notes a synchroniser: what is behind it, and the instances around it."""
        own, network, bit = self.domains.of[number], self.domains.network, self.domains.bits[clock]
        for one in last:
            later = [
                reader
                for reader in self.domains.readers(one)[0]
                if self.domains.of[reader] == own and self.domains.is_plain(reader)
            ]
            for register in (one, *later):
                self._synced[register] = self._synced.get(register, 0) | bit
        at = self.data.registers[number].at
        for _ in range(AROUND):
            self._both.setdefault(at, set()).add((clock, own))
            at = network.parents[at]
            if at < 0:
                break

    def _behind(self, seeds: dict[int, int]) -> dict[int, int]:
        """Returns synchronised nodes with those one small register further: edges, pulses."""
        synced, found = self.domains.spread(seeds), dict(seeds)
        for number, held in enumerate(self.data.registers):
            nodes = (*held.inputs, *held.control)
            bits = 0
            for node in nodes:
                bits |= synced[node]
            if not bits or held.register.memory or self.domains.foreign(number):
                continue
            if self._is_small(*nodes, most=PULSE):
                found[held.node] = found.get(held.node, 0) | bits
        return found

    def _kind(self, number: int, clock: int, sources: Sources, synced: list[int]) -> str:
        """Returns what takes part in a crossing that no synchroniser begins with."""
        bit = self.domains.bits[clock]
        nearest = list(sources.values())[:NEAREST]
        branches = self._branches.get((clock, self.domains.of[number]), {frozenset()})
        for way in nearest:
            if self._waits(number, way, bit, synced):
                mine = self._texts(self.data.register_at[way[-1]], number, way)
                if any(are_met(mine | branch) for branch in branches):
                    return HANDSHAKE
        return NONE

    def _of_way(self, source: int, target: int, way: Sequence[int]) -> Iterator[Condition]:
        """Yields the open conditions of a way, and of the instances around its target."""
        yield from self._conditions.of_way(source, target, way)
        yield from self._conditions.around(self.data.registers[target].at)

    def _texts(self, source: int, target: int, way: Sequence[int]) -> frozenset[str]:
        """Returns those conditions as written: a copy of a design beside it has the same ones."""
        return frozenset(text for _, text in self._of_way(source, target, way))

    def _waits(self, number: int, way: list[int], bit: int, synced: list[int]) -> bool:
        """Returns whether a synchronised signal decides when a value on a way is taken."""
        data = self.data
        held = data.registers[number]
        steps = list(pairwise(way))
        if way[0] not in held.inputs or any(b in data.tests.get(a, ()) for a, b in steps):
            return False  # the value itself decides something
        deciding = [*held.control]
        for node, source in steps:
            deciding += data.tests.get(node, ())
            if not data.plain[node] and len(data.back[node]) <= GATE:
                deciding += (one for one in data.back[node] if one != source)
        return any(synced[node] & bit and self._is_small(node) for node in deciding)

    def _is_small(self, *nodes: int, most: int = DECIDING) -> bool:
        """Returns whether few registers are before nodes: more than those decide other things."""
        data = self.data
        waiting, registers = list(dict.fromkeys(nodes)), 0
        seen = {*nodes}
        for one in waiting:  # it grows
            if one in data.register_at:
                registers += 1
                if registers > most:
                    return False
                continue
            for other in data.back[one]:
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        return True

    def _is_storage(self, number: int, clock: int, own: int) -> bool:
        """Returns whether a register is the memory of a FIFO, or one that both clocks use."""
        held = self.data.registers[number]
        register = held.register
        if not (register.memory or register.key[-1][0] == "["):
            return False
        if (held.at, register.key[0], own) in self._ports:
            return True
        at = held.at
        for _ in range(UP):
            if {(clock, own), (own, clock)} <= self._both.get(at, set()):
                return True
            at = self.domains.network.parents[at]
            if at < 0:
                break
        return False
