"""Chooses among several definitions of one name those that a use in a folder may mean."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Any

from hdlgraph.index.link.copies import Copies, ancestors
from hdlgraph.model import Role

TEST_ROLES = frozenset({Role.TESTBENCH.value, Role.FORMAL.value})

MOST = 16
"""A use is linked to at most so many definitions, the nearest.

Real designs have up to 13 variants of a module that is used (memories of generated cores). What
has more is a name that says nothing, such as `testbench`, or a repository full of clones: there
the links would grow with the square of the number of files.
"""


class Definitions:
    """All definitions of one name; each entry has a `path`, a `role` and a `row`."""

    def __init__(self, entries: Sequence[Any], copies: Copies) -> None:
        self.entries = entries
        self._copies = copies
        self._near: dict[bool, dict[str, list[Any]]] = {}

    @cached_property
    def by_path(self) -> dict[str, list[Any]]:
        """The definitions by their file."""
        found: dict[str, list[Any]] = {}
        for entry in self.entries:
            found.setdefault(entry.path, []).append(entry)
        return found

    def among(self, paths: Collection[str]) -> list[Any]:
        """Returns the definitions in the given files."""
        if len(paths) < len(self.by_path):
            return [entry for path in paths for entry in self.by_path.get(path, ())]
        return [entry for path in self.by_path if path in paths for entry in self.by_path[path]]

    def inside(self, package: str) -> list[Any]:
        """Returns the units that a package holds."""
        return self._by_parent.get(package, [])

    @cached_property
    def _by_parent(self) -> dict[str, list[Any]]:
        found: dict[str, list[Any]] = {}
        for entry in self.entries:
            found.setdefault(entry.unit.parent, []).append(entry)
        return found

    def choice(self, folder: str, tested: bool) -> list[Any]:
        """Returns the definitions that files of a folder may mean, in no particular order.

        They are those that lie in no other copy of what the folder lies in. Of more than `MOST`,
        only these can be among the nearest `MOST`, by the order of `resolve.rank`.

        Args:
            folder: where the name is used.
            tested: whether test code uses it: then definitions in test code are not last.
        """
        around = self._copies.around(folder)
        few = len(self.entries) <= MOST
        entries = list(self.entries if few else self._nearest(folder, tested))
        return self._own_copies(entries, dict(around)) if around else entries

    def _own_copies(self, entries: Sequence[Any], roots: dict[str, str]) -> list[Any]:
        """Returns the entries without those of other copies that the user's own copy defines too.

        Args:
            entries: definitions of the name.
            roots: the copies that the user lies in, by group.
        """

        def is_twin(entry: Any) -> bool:
            return any(
                roots.get(group, root) != root and roots[group] in self._twins[group, rest]
                for group, root, rest in self._copies.places(entry.path)
            )

        return [entry for entry in entries if not is_twin(entry)]

    @cached_property
    def _twins(self) -> dict[tuple[str, str], set[str]]:
        """The copies that define the name at the same place, by (group, path in the copy)."""
        found: dict[tuple[str, str], set[str]] = {}
        for path in self.by_path:
            for place in self._copies.places(path):
                found.setdefault((place.group, place.rest), set()).add(place.root)
        return found

    def _nearest(self, folder: str, tested: bool) -> Iterator[Any]:
        """Yields the first `MOST` definitions below each folder from the root down to `folder`.

        Those that share a folder with the user are ordered by the depth at which they lie; so the
        nearest of all are among the first ones below each common folder.
        """
        table = self._near.get(tested)
        if table is None:
            table = self._near[tested] = self._first_below(tested)
        seen: set[int] = set()
        for one in ("", *ancestors(folder)):
            for entry in table.get(one, ()):
                if entry.row not in seen:
                    seen.add(entry.row)
                    yield entry

    def _first_below(self, tested: bool) -> dict[str, list[Any]]:
        def order(entry: Any) -> tuple[Any, ...]:
            unlikely = not tested and entry.role in TEST_ROLES
            return (unlikely, entry.path.count("/"), entry.path, entry.row)

        table: dict[str, list[Any]] = {}
        for entry in sorted(self.entries, key=order):
            for one in ("", *ancestors(entry.path.rpartition("/")[0])):
                below = table.setdefault(one, [])
                if len(below) <= MOST:  # one more, for a file that must not mean itself
                    below.append(entry)
        return table
