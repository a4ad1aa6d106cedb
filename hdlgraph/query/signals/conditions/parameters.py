"""The values of parameters that all instances of a unit agree on, up to the tops."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind
from hdlgraph.model.flow import Child
from hdlgraph.query.clocks.parameters.arithmetic import evaluate
from hdlgraph.store.design.flows import FlowUnit

PARAMETERIZES = EdgeKind.PARAMETERIZES.value
DEEPEST = 12
"""Units and constants that a value is followed through."""
MOST = 64
"""Instances of a unit that are looked at."""
Parents = Callable[[int], Iterable[tuple[int, Child]]]


class Parameters:
    """The values of the parameters of all units, as far as whole numbers tell them.

    Args:
        graph: the design graph.
        units: the units by row.
        parents: returns the (unit, instance) of the instances of a unit.
        count: returns how many there are, those of binds among them.
    """

    def __init__(
        self, graph: Graph, units: list[FlowUnit], parents: Parents, count: Callable[[int], int]
    ) -> None:
        self._graph, self._units, self._parents, self._count = graph, units, parents, count
        self._kept: dict[tuple[int, str], int | None] = {}
        self._around: dict[int, list[tuple[int, Child]]] = {}

    def value(self, row: int, name: str, depth: int = 0) -> int | None:
        """Returns the value of a parameter of the unit at a row, None where instances differ.

        A unit without instances is a top and has its defaults.
        """
        key = (row, name)
        if key not in self._kept:
            self._kept[key] = None  # of a circle there is none
            self._kept[key] = self._find(row, name, depth) if depth < DEEPEST else None
        return self._kept[key]

    def _find(self, row: int, name: str, depth: int) -> int | None:
        unit = self._units[row]
        node = self._graph.row(f"parameter:{unit.path}#{unit.name}.{name}")
        if node < 0:
            return None
        if self._graph.nodes.column("condition")[node]:
            return None  # of an `ifdef or a generate block
        head, given, text = self._graph.nodes.column("detail")[node].partition(" = ")
        own = self._evaluated(row, text, depth) if given else None
        if head.startswith("localparam"):
            return own
        around, count = self._instances(row), self._count(row)
        told = sum(name in dict(child.values) for _, child in around)
        if count != len(around) or self._overrides(node) > told:
            return None  # an instance that a bind makes, or one that a defparam sets
        found = {self._given(outer, child, name, own, depth) for outer, child in around}
        if not around:
            return own
        return found.pop() if len(found) == 1 else None

    def _overrides(self, node: int) -> int:
        kinds = self._graph.edges.column("kind")
        return sum(kinds[one] == PARAMETERIZES for one in self._graph.in_edges(node).tolist())

    def _given(
        self, outer: int, child: Child, name: str, own: int | None, depth: int
    ) -> int | None:
        """Returns what an instance has for a parameter whose default is `own`."""
        told = dict(child.values)
        if any(one[:1] in ("", "#") for one in told):
            return None  # by position
        return self._evaluated(outer, told[name], depth) if name in told else own

    def _instances(self, row: int) -> list[tuple[int, Child]]:
        if row not in self._around:
            found = []
            for one in self._parents(row):
                found.append(one)
                if len(found) == MOST:
                    break
            self._around[row] = found
        return self._around[row]

    def _evaluated(self, row: int, text: str, depth: int) -> int | None:
        found = evaluate(text, lambda name: self.value(row, name, depth + 1))
        return found if isinstance(found, int) else None
