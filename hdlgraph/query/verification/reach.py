"""Tells whether what one place sets can be read by another: by the paths of components."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any

from hdlgraph.query.verification.benches import Benches
from hdlgraph.query.verification.components import tree
from hdlgraph.store.design.verification import Act

TOP = "uvm_test_top"
PATHS = 200
"""Components of one class in one test that are looked at."""

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
            for path, one in self._walk(tree(self._library, self._library.class_at(row)), TOP):
                of = self._library.class_at(one)
                for link in self._library.chain(of):
                    if link.known and len(found.setdefault(link.row, [])) < PATHS:
                        found[link.row].append(path)
        return found

    def _walk(self, node: dict[str, Any], path: str) -> Iterator[tuple[str, int]]:
        row = self._library.row_of(node["class"], node["location"].rpartition(":")[0])
        if row >= 0:
            yield path, row
        for child in node["children"]:
            name = child["name"] + ("[*]" if child["many"] else "")
            yield from self._walk(child, f"{path}.{name}")

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
    return bool(
        _pattern(asked).fullmatch(_example(path)) or _pattern(path).fullmatch(_example(asked))
    )


@lru_cache(maxsize=20_000)
def _pattern(text: str) -> re.Pattern[str]:
    parts = [re.escape(part) for part in re.split(r"\*+", text)[:10]]
    return re.compile(".*".join(parts))


def _example(text: str) -> str:
    return text.replace("*", "0")
