"""An elaborated configuration as questions read it: how often a body occurs, and where."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from hdlgraph.store.design.elaborated import Body, Child, Chosen, Configuration, Value

SCHEMA = 1
MANY = 10**12
"""Instances are counted so far."""


class View:
    """A configuration with what its instances have in common.

    Args:
        found: the configuration; its bodies hold each other without circles.
    """

    def __init__(self, found: Configuration) -> None:
        self.found = found
        self.bodies = found.result.bodies

    def unit(self, body: int) -> Chosen:
        """Returns the definition that a body was made of."""
        return self.found.result.units[self.bodies[body].unit]

    def children(self, body: int) -> tuple[Child, ...]:
        """Returns the instances in a body, in the order of the elaboration."""
        return self.bodies[body].children

    @cached_property
    def counts(self) -> list[int]:
        """How many instances each body has, tops included."""
        counts = [0] * len(self.bodies)
        for _, body in self.found.result.tops:
            counts[body] += 1
        for body in self._order:
            for child in self.bodies[body].children:
                if child.body >= 0:
                    counts[child.body] = min(MANY, counts[child.body] + counts[body])
        return counts

    @cached_property
    def _order(self) -> list[int]:
        """The bodies, each before those that it holds."""
        done: set[int] = set()
        ordered: list[int] = []
        stack = [(body, False) for _, body in self.found.result.tops]
        while stack:
            body, is_left = stack.pop()
            if is_left:
                ordered.append(body)
            elif body not in done:
                done.add(body)
                stack.append((body, True))
                inner = {child.body for child in self.bodies[body].children}
                stack += ((one, False) for one in sorted(inner) if one >= 0 and one not in done)
        return ordered[::-1]

    @cached_property
    def _holders(self) -> dict[int, list[tuple[int, str]]]:
        """Of each body the bodies that hold it, and the names they give it."""
        holders: dict[int, list[tuple[int, str]]] = {}
        for body in self._order:
            for child in self.bodies[body].children:
                holders.setdefault(child.body, []).append((body, child.name))
        return holders

    def paths(self, body: int) -> Iterator[str]:
        """Yields the hierarchical paths of the instances of a body."""
        tops: dict[int, list[str]] = {}
        for name, top in self.found.result.tops:
            tops.setdefault(top, []).append(name)
        stack = [(body, "")]
        while stack:
            one, rest = stack.pop()
            for name in tops.get(one, ()):
                yield f"{name}.{rest}" if rest else name
            for holder, name in reversed(self._holders.get(one, [])):
                stack.append((holder, f"{name}.{rest}" if rest else name))

    def of_unit(self, name: str, path: str = "") -> list[int]:
        """Returns the bodies of a unit by its name, and by its file where one is given."""
        units = {
            number
            for number, unit in enumerate(self.found.result.units)
            if unit.name == name and path in ("", unit.path)
        }
        return [number for number, body in enumerate(self.bodies) if body.unit in units]

    @cached_property
    def instances(self) -> int:
        """How many instances the design has below its tops."""
        return min(MANY, sum(self.counts) - len(self.found.result.tops))


def parameter_record(value: Value) -> dict[str, Any]:
    """Returns a parameter as answers have it."""
    return {
        "name": value.name,
        "value": value.value,
        "type": value.type,
        "width": value.width,
        "local": value.local,
    }


def branches(body: Body) -> list[dict[str, Any]]:
    """Returns the generate blocks of a body as answers have them."""
    return [
        {
            "name": one.name,
            "taken": one.taken,
            "condition": one.condition,
            "path": one.path,
            "line": one.line,
            "location": f"{one.path}:{one.line}",
        }
        for one in body.branches
    ]
