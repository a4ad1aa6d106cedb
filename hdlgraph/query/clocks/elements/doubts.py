"""Which ways between clocks go through a call of a function that takes or makes a structure whole.

What such a function makes of each member is not known here, so all of them count for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

from hdlgraph.query.clocks.data import Data
from hdlgraph.query.clocks.keys import members, text_of
from hdlgraph.query.clocks.network import Net


class Doubts:
    """The doubtful ways of a network."""

    def __init__(self, data: Data) -> None:
        self._data, self._network = data, data.network
        self._kept: dict[tuple[int, int], str] = {}

    def of_way(self, target: int, way: Sequence[int]) -> str:
        """Returns why a way is doubtful, "" for one that is not.

        Args:
            target: the number of the register that it leads to.
            way: the nodes from the target's input back to the source.
        """
        steps = (self._step(node, before) for node, before in pairwise(way))
        return next(filter(None, (self._into(target, way[0]), *steps)), "")

    def _into(self, target: int, node: int) -> str:
        """Returns what is doubtful of the values that a register is assigned."""
        held, net = self._data.registers[target], self._data.nets[node]
        if net.at == held.at and self._is_structure(net):
            for called, line, keys in held.register.calls:
                if net.key in keys:
                    return self._told(called, net, line)
        return ""

    def _told(self, called: str, taken: Net, line: int) -> str:
        place = self._network.location(taken.at, line)
        return f"{called} takes {text_of(taken.key)} whole ({place})"

    def _step(self, node: int, before: int) -> str:
        if (node, before) not in self._kept:
            self._kept[node, before] = self._find(node, before)
        return self._kept[node, before]

    def _find(self, node: int, before: int) -> str:
        net, source = self._data.nets[node], self._data.nets[before]
        is_whole = source.at == net.at and self._is_structure(source)
        for origin in self._network.origins(net):
            driver = origin.driver
            if driver.called and source in origin.nets and (driver.part or is_whole):
                if is_whole:
                    return self._told(driver.called, source, driver.line)
                place = self._network.location(net.at, driver.line)
                return f"{driver.called} makes a structure ({place})"
            if source in origin.nets:
                return ""
        return ""

    def _is_structure(self, net: Net) -> bool:
        """Returns whether a net is a structure, and no member of one."""
        if members(net.key[1:]):
            return False
        type_ = self._network.unit(net.at).type_of(net.key[0])
        return type_.rpartition("::")[2] in self._structures

    @cached_property
    def _structures(self) -> frozenset[str]:
        """Returns the names of the types that are structures."""
        nodes = self._network.units.design.graph.nodes
        columns = zip(*(nodes.column(name) for name in ("kind", "name", "detail")), strict=True)
        return frozenset(
            name.rpartition(".")[2]
            for kind, name, detail in columns
            if kind == "type" and detail.startswith(("struct", "union"))
        )
