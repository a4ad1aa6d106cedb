"""The parameter values of instances as far as the text tells them, and the generates they take."""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

from hdlgraph.graph.graph import Graph
from hdlgraph.query.clocks.arithmetic import Value, evaluate
from hdlgraph.query.clocks.units import Drivers, Part, Units

DEPTH = 12
"""Parameters that a value is followed through."""


class Instances(Protocol):
    """The instances below a top by number; the top is 0."""

    units: Units
    parents: list[int]

    def unit(self, at: int) -> Drivers:
        """Returns the unit of an instance."""

    def part(self, at: int) -> Part:
        """Returns an instance as the unit around it has it."""


class Values:
    """Parameter values of the instances of a network; the top has its defaults."""

    def __init__(self, network: Instances, graph: Graph) -> None:
        self._network, self._graph = network, graph
        self._kept: dict[tuple[int, str], Value | None] = {}
        self._taken: dict[tuple[int, int], bool] = {}

    def is_taken(self, at: int, guard: int) -> bool:
        """Returns whether an instance has a branch of a generate; in doubt it has.

        Args:
            at: the instance.
            guard: the number of the innermost condition around a statement of its unit.
        """
        guards = self._network.unit(at).view.flow.guards
        inner = []
        while guard >= 0 and (at, guard) not in self._taken:
            inner.append(guard)
            guard = guards[guard].outer
        found = guard < 0 or self._taken[at, guard]
        for guard in reversed(inner):
            one = guards[guard]
            if found and one.kind == "generate" and not one.text.startswith("for "):
                found = evaluate(one.text, lambda name: self.value(at, name)) != 0
            self._taken[at, guard] = found
        return found

    def open_conditions(self, at: int, guard: int) -> list[str]:
        """Returns the generate conditions around a statement that the parameters do not tell."""
        found: list[str] = []
        guards = self._network.unit(at).view.flow.guards
        while guard >= 0:
            one = guards[guard]
            is_test = one.kind == "generate" and not one.text.startswith("for ")
            if is_test and evaluate(one.text, lambda name: self.value(at, name)) is None:
                found.append(one.text)
            guard = one.outer
        return found[::-1]

    def value(self, at: int, name: str, depth: int = 0) -> Value | None:
        """Returns the value of a parameter of an instance, or of a constant that it sees."""
        key = (at, name)
        if key not in self._kept:
            self._kept[key] = None  # of a circle there is none
            self._kept[key] = self._find(at, name, depth) if depth < DEPTH else None
        return self._kept[key]

    def _find(self, at: int, name: str, depth: int) -> Value | None:
        network = self._network
        unit = network.unit(at).unit
        row = self._graph.row(f"parameter:{unit.path}#{unit.name}.{name}")
        if row < 0:
            return self._constant(at, name, depth)
        detail = self._graph.nodes.column("detail")[row]
        if at > 0 and not detail.startswith("localparam"):
            given = dict(network.part(at).child.values).get(name)
            if given is not None:
                outer = network.parents[at]
                return evaluate(given, lambda one: self.value(outer, one, depth + 1))
        text = detail.partition(" = ")[2]
        return evaluate(text, lambda one: self.value(at, one, depth + 1)) if text else None

    def _constant(self, at: int, name: str, depth: int) -> Value | None:
        """Returns the value of a constant of a package, or a member of an enumeration by name."""
        package, _, short = name.rpartition("::")
        texts = self._constants.get(short, {})
        found = [texts[package]] if package in texts else sorted(set(texts.values()))
        if len(found) == 1:
            return evaluate(found[0], lambda one: self.value(at, one, depth + 1))
        is_member = not texts and short in self._network.units.design.constants
        return short if is_member else None

    @cached_property
    def _constants(self) -> dict[str, dict[str, str]]:
        """Returns the texts of the constants of packages by name, then by package."""
        nodes = self._graph.nodes
        packages = {
            name
            for kind, name in zip(nodes.column("kind"), nodes.column("name"), strict=True)
            if kind == "package"
        }
        found: dict[str, dict[str, str]] = {}
        rows = zip(nodes.column("kind"), nodes.column("name"), nodes.column("detail"), strict=True)
        for kind, name, detail in rows:
            owner, _, short = name.rpartition(".")
            if kind == "parameter" and owner in packages and " = " in detail:
                found.setdefault(short, {})[owner] = detail.partition(" = ")[2]
        return found
