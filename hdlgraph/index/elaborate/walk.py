"""Finds the files that a top needs, along the edges of the design graph.

The walk begins at the tops and follows instances, imports, base classes, types, binds, macros and
includes. Where a name has several definitions, one of them is taken for the whole design: the
first that an instance near the top is linked to.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from hdlgraph.index.elaborate.closure import TESTS, Closure
from hdlgraph.index.elaborate.design import (
    BINDS,
    EXTENDS,
    IMPORTS,
    INCLUDES,
    INSTANTIATES,
    MACRO,
    UNITS,
    USES,
    Design,
    Link,
)
from hdlgraph.parsers.includes import distance


class Walk:
    """One walk; `found` has what it came by.

    Args:
        design: the graph.
        roles: the role of each file by path.
        defines: names of macros that are given.
        forced: definitions that are taken of some names, whatever uses are linked to.
    """

    def __init__(
        self,
        design: Design,
        roles: Mapping[str, str],
        defines: frozenset[str],
        forced: Mapping[str, int],
    ) -> None:
        self.design, self.roles, self.defines, self.forced = design, roles, defines, forced
        self.found = Closure()
        self.waiting: deque[int] = deque()
        self.files: set[str] = set()
        """Files whose own edges were followed."""
        self.binds: list[Link] = []
        self.leading: set[str] = set()
        """Files that others need without including them, headers of a third one among them."""
        self.macros: dict[str, dict[str, list[Link]]] = {}
        """Uses of macros by file and name."""

    def run(self, tops: Sequence[int]) -> None:
        """Follows everything that there is to follow."""
        for row in tops:
            self._take(row)
        while self.waiting or self._bound() or self._defined():
            if self.waiting:
                self._unit(self.waiting.popleft())
        self._settle_headers()

    def _settle_headers(self) -> None:
        """Leaves out of the sources what others include.

        A header of nothing but macros that a file needs without including it stays; where there
        is more in it, a file that includes it has to come before instead.
        """
        found, headers = self.found, self.found.headers()
        for header in sorted(set().union(*headers.values()) & found.sources):
            users = [path for path, below in headers.items() if header in below]
            inside = {header, *headers.get(header, ())}
            if header in self.leading and all(self.design.held(one) <= {MACRO} for one in inside):
                continue
            found.sources.discard(header)
            folder = header.rpartition("/")[0]
            first = min(users, key=lambda path: (distance(folder, path), path))
            for needed in found.needs.values():
                if header in needed:
                    needed.add(first)

    def _take(self, row: int) -> None:
        """Takes a definition, whose file is compiled."""
        self.found.chosen.setdefault(self.design.names[row], row)
        self._source(self.design.paths[row])
        self._reach(row)

    def _source(self, path: str) -> None:
        self.found.sources.add(path)
        self._file(path)

    def _reach(self, row: int) -> None:
        if row not in self.found.reached:
            self.found.reached.add(row)
            self.waiting.append(row)

    def _file(self, path: str) -> None:
        """Follows the edges of a file itself, and of those that it includes."""
        if path in self.files or path not in self.design.files:
            return
        self.files.add(path)
        links = list(self.design.links(self.design.files[path]))
        for group in _by_place(one for one in links if one.kind == INCLUDES):
            self._include(group)
        for one in links:
            if one.kind == USES and self.design.kinds[one.target] == MACRO:
                name = self.design.names[one.target]
                self.macros.setdefault(path, {}).setdefault(name, []).append(one)
        self._refer(links)
        # Packages are compiled whole, whoever uses them.
        for unit in self.design.owned(self.design.files[path]):
            if self.design.kinds[unit] == "package":
                self._reach(unit)

    def _include(self, links: Sequence[Link]) -> None:
        first = _likeliest(links)
        path = self.design.paths[first.target]
        if not path:
            name = ("include", self.design.names[first.target])
            self.found.absent.setdefault(name, f"{first.path}:{first.line}")
            return
        self.found.included[first.path, first.line] = (path, first.text)
        self._file(path)
        for unit in self.design.owned(self.design.files[path]):
            self._reach(unit)

    def _unit(self, row: int) -> None:
        links = list(self.design.links(row))
        for group in _by_place(one for one in links if one.kind == INSTANTIATES):
            self._instance(group)
        self._refer(links)
        self.binds += (one for one in links if one.kind == BINDS)
        for unit in self.design.owned(row):
            self._reach(unit)

    def _instance(self, group: Sequence[Link]) -> None:
        """Takes what an instance means; `group` are the edges of one instance."""
        outside = [one for one in group if not self.design.paths[one.target]]
        if not outside:
            self._named(self.design.names[group[0].target], group)
            return
        name = self.design.names[outside[0].target]
        self.found.absent.setdefault(("module", name), f"{group[0].path}:{group[0].line}")
        alike = [one for one in group if self.design.paths[one.target]]
        if alike and name not in self.found.alike:
            self.found.alike[name] = _likeliest(alike).target
            self._take(self.found.alike[name])

    def _refer(self, links: Iterable[Link]) -> None:
        """Follows imports, base classes, and uses of types."""
        named: dict[str, list[Link]] = {}
        for one in links:
            if one.kind in (IMPORTS, EXTENDS) or (one.kind == USES and self._is_type(one.target)):
                named.setdefault(self.design.names[one.target], []).append(one)
        for name, group in named.items():
            defined = [one for one in group if self.design.paths[one.target]]
            if not defined:
                kind = self.design.kinds[group[0].target]
                self.found.absent.setdefault((kind, name), f"{group[0].path}:{group[0].line}")
            elif self.design.kinds[defined[0].target] in UNITS:
                self._named(name, defined)
            else:
                path = self.design.paths[_likeliest(defined).target]
                self._before(group[0].path, path)

    def _is_type(self, row: int) -> bool:
        """Returns whether a node is a unit, or a type that belongs to no unit."""
        kind = self.design.kinds[row]
        return kind in UNITS or (kind == "type" and "." not in self.design.names[row])

    def _named(self, name: str, group: Sequence[Link]) -> None:
        """Takes one definition of a name, of which `group` are the candidates of one use."""
        likely = _likeliest(group)
        votes = self.found.votes.setdefault(name, {})
        votes[likely.target] = votes.get(likely.target, 0.0) + likely.confidence
        taken = self.found.chosen.get(name, self.forced.get(name, -1))
        if taken < 0:
            here = [one for one in group if self.design.paths[one.target] in self.found.sources]
            taken = (here or [likely])[0].target
        if taken != likely.target:
            self.found.others[name, f"{likely.path}:{likely.line}"] = likely.target
        path = self.design.paths[taken]
        if self.design.kinds[taken] == "class" and self._is_included(path):
            self._reach(taken)  # compiled as a part of the package that includes it
            return
        if likely.kind != INSTANTIATES:
            self.found.need(likely.path, path)
        self._take(taken)

    def _is_included(self, path: str) -> bool:
        graph, row = self.design.graph, self.design.files[path]
        kinds = graph.edges.column("kind")
        return any(kinds[edge] == INCLUDES for edge in graph.in_edges(row).tolist())

    def _before(self, path: str, other: str) -> None:
        """Takes a file that declares something for another, unless that includes it."""
        if other in self.found.headers().get(path, ()) or path == other:
            return
        self.found.need(path, other)
        self.leading.add(other)
        self._source(other)

    def _bound(self) -> bool:
        """Takes what the compiled files bind; returns whether there is more to follow."""
        rest = []
        for one in self.binds:
            if one.path not in self.files:
                rest.append(one)
            elif self.design.kinds[one.target] in UNITS and self.design.paths[one.target]:
                self._take(one.target)
        self.binds = rest
        return bool(self.waiting)

    def _defined(self) -> bool:
        """Takes a file for each macro that neither a source nor its headers define."""
        headers, before = self.found.headers(), len(self.found.sources)
        for source in sorted(self.found.sources):
            near = {source, *headers[source]}
            for path in sorted(near):
                for name, group in sorted(self.macros.get(path, {}).items()):
                    self._macro(source, name, group, near)
        return bool(self.waiting) or len(self.found.sources) > before

    def _macro(self, source: str, name: str, group: Sequence[Link], near: set[str]) -> None:
        places = {self.design.paths[one.target]: one for one in group}
        if name in self.defines or near & places.keys():
            return
        places.pop("", None)
        if self.roles.get(source) not in TESTS:
            places = {p: one for p, one in places.items() if self.roles.get(p) not in TESTS}
        if not places:
            self.found.absent.setdefault(("macro", name), f"{group[0].path}:{group[0].line}")
            return
        taken = [path for path in places if path in self.found.sources]
        path = min(taken or places, key=lambda one: (-places[one].confidence, one))
        self._before(source, path)


def _likeliest(links: Sequence[Link]) -> Link:
    return max(links, key=lambda one: one.confidence)


def _by_place(links: Iterable[Link]) -> list[list[Link]]:
    """Returns the edges of each statement together; candidates share a line and a text."""
    found: dict[tuple[str, int, str], list[Link]] = {}
    for one in links:
        found.setdefault((one.path, one.line, one.text), []).append(one)
    return list(found.values())
