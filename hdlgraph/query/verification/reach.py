"""Decides whether what one place sets can be read by another: by the paths of components."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import islice

from hdlgraph.query.verification.benches import Benches
from hdlgraph.query.verification.components import DEPTH, NODES, is_component, made
from hdlgraph.query.verification.library import Class
from hdlgraph.store.design.verification import Act

TOP = "uvm_test_top"
PATHS = 200
"""Components of one class in one test that are looked at."""

LONGEST = 200
"""Characters of a path that are compared."""
Places = dict[int, list[str]]
"""The paths of the components of each class, those of its bases among them, by its row."""


class Reach:
    """Where the classes of a design stand below each test."""

    def __init__(self, benches: Benches) -> None:
        self._benches = benches
        self._library = benches.library
        self._of_test: dict[int, Places] = {}

    def places(self, row: int) -> Places:
        """Returns where each class stands below a test, by the row of the test."""
        found = self._of_test.get(row)
        if found is None:
            found = self._of_test[row] = {}
            test = self._library.class_at(row)
            for path, one in islice(self._walk(test, TOP, frozenset()), NODES):
                for link in self._library.chain(one):
                    if link.known and len(found.setdefault(link.row, [])) < PATHS:
                        found[link.row].append(path)
        return found

    def _walk(self, one: Class, path: str, above: frozenset[int]) -> Iterator[tuple[str, Class]]:
        """Yields the components below a class, with the names that they have in UVM."""
        if not one.known or one.row in above or len(above) >= DEPTH:
            return
        yield path, one
        for item in made(self._library, one):
            if is_component(self._library, item.of):
                detail = item.placed.act.detail if item.placed.act.right else ""
                name = detail or item.name + "*" * item.many
                yield from self._walk(item.of, f"{path}.{name}", above | {one.row})

    @cached_property
    def _tests(self) -> list[int]:
        role = self._library.role
        return [one.row for one in self._library.all() if role(one)[0] == "test"]

    @cached_property
    def _everywhere(self) -> frozenset[int]:
        """Returns the rows of the classes that stand below some test."""
        return frozenset(row for test in self._tests for row in self.places(test))

    @cached_property
    def _modules(self) -> dict[str, list[int]]:
        units = self._benches.units
        found: dict[str, list[int]] = {}
        for rows in self._benches.by_name().values():
            for row in rows:
                found.setdefault(units.paths[row], []).append(row)
        return found

    def _tests_of(self, path: str, line: int) -> list[int]:
        """Returns the tests of the testbench in whose module a line stands."""
        units = self._benches.units
        inside = [
            row
            for row in self._modules.get(path, ())
            if units.lines[row] <= line <= units.ends[row]
        ]
        return [one.row for row in inside for one in self._benches.parts(row).tests]

    def allows(self, path: str, act: Act, reader: str, get: Act) -> bool:
        """Returns whether a `set` may reach a `get`; where too little is known it does.

        Args:
            path: the file of the `set`.
            act: the `set`.
            reader: the file of the `get`.
            get: the `get`.
        """
        to = self._library.row_of(get.owner, reader) if get.owner else -1
        if to not in self._everywhere or get.how != "this":
            return True
        by = self._library.row_of(act.owner, path) if act.owner else -1
        if by >= 0 and by not in self._everywhere:
            return True
        tests = self._tests if by >= 0 else self._tests_of(path, act.line)
        if not tests:
            return True
        return any(self._meets(self.places(test), by, act, to, get) for test in tests)

    def _meets(self, places: Places, by: int, act: Act, to: int, get: Act) -> bool:
        bases = places.get(by, []) if by >= 0 and act.how == "this" else [""]
        ends = [f"{path}.{get.detail}" if get.detail else path for path in places.get(to, ())]
        if by >= 0 and by not in places:
            return False
        for base in bases:
            asked = ".".join(part for part in (base, act.detail) if part)
            if any(_fits(asked, end) for end in ends):
                return True
        return False


@lru_cache(maxsize=200_000)
def _fits(asked: str, path: str) -> bool:
    """Returns whether some path fits both texts, of which `*` stands for anything."""
    left, right = asked[:LONGEST], path[:LONGEST]
    reached = {(0, 0)}
    front = [(0, 0)]
    while front:
        one, two = front.pop()
        if one == len(left) and two == len(right):
            return True
        for step in _steps(left, right, one, two):
            if step not in reached:
                reached.add(step)
                front.append(step)
    return False


def _steps(left: str, right: str, one: int, two: int) -> Iterator[tuple[int, int]]:
    a, b = left[one : one + 1], right[two : two + 1]
    if a == "*":
        yield one + 1, two
        if b:
            yield one, two + 1
    if b == "*":
        yield one, two + 1
        if a:
            yield one + 1, two
    if a and a == b:
        yield one + 1, two + 1
