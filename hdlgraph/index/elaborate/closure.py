"""The files that a top needs, found along the edges of the design graph.

The walk begins at the tops and follows instances, imports, base classes, types, binds, macros and
includes. Where a name has several definitions, one of them is taken for the whole design: the
first that an instance near the top is linked to.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

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

TESTS = frozenset({"testbench", "formal"})
"""Roles of files that a design itself does not need."""
ROUNDS = 6
"""How often the walk is repeated with the definitions that were elected."""


@dataclass(slots=True)
class Closure:
    """What a design needs.

    `sources` are files to compile, in no order; `needs` names for each file those that must come
    before it. `included` maps (file, line of the directive) to (header, name as written).
    `chosen` has the row of the definition taken of each name; `absent` maps (kind, name) of what
    no file defines to the first place. `others` maps (name, place) of a use that the graph links
    to another definition than the chosen one to the row of that; `alike` maps undefined modules
    to the row of one that they may stand for. `votes` has for each name how surely its uses are
    linked to each definition; `reached` are the rows of the units in use.
    """

    sources: set[str] = field(default_factory=set)
    needs: dict[str, set[str]] = field(default_factory=dict)
    included: dict[tuple[str, int], tuple[str, str]] = field(default_factory=dict)
    chosen: dict[str, int] = field(default_factory=dict)
    absent: dict[tuple[str, str], str] = field(default_factory=dict)
    others: dict[tuple[str, str], int] = field(default_factory=dict)
    alike: dict[str, int] = field(default_factory=dict)
    votes: dict[str, dict[int, float]] = field(default_factory=dict)
    reached: set[int] = field(default_factory=set)

    def need(self, path: str, other: str) -> None:
        """Notes that `other` comes before `path`."""
        if path != other:
            self.needs.setdefault(path, set()).add(other)

    def headers(self) -> dict[str, set[str]]:
        """Returns the files that each source includes, directly or not."""
        direct: dict[str, set[str]] = {}
        for (path, _), (header, _) in self.included.items():
            direct.setdefault(path, set()).add(header)
        found = {}
        for source in self.sources:
            below: set[str] = set()
            waiting = [source]
            while waiting:
                fresh = direct.get(waiting.pop(), set()) - below
                below |= fresh
                waiting += fresh
            found[source] = below
        return found


def close(
    design: Design,
    tops: Sequence[int],
    roles: Mapping[str, str],
    defines: Collection[str] = (),
    *,
    near_top: bool = False,
) -> Closure:
    """Returns the files below tops, and which definitions they take.

    Uses that are linked to different definitions of a name vote: that which shares the most
    folders with the first top wins, then that which most uses are linked to.

    Args:
        design: the graph.
        tops: rows of units.
        roles: the role of each file by path.
        defines: names of macros that are given.
        near_top: whether the definition that shares the most folders with the first top wins
            even where all uses are linked to another one.
    """
    forced: dict[str, int] = {}
    near: dict[str, int] = {}
    for _ in range(ROUNDS):
        walk = _Walk(design, roles, frozenset(defines), forced)
        walk.run(tops)
        if near_top:
            near |= _nearest(design, walk.found, tops)
        chosen = {**forced, **_elected(design, walk.found, tops), **near}
        if chosen == forced:
            break
        forced = chosen
    return walk.found


def _nearest(design: Design, found: Closure, tops: Sequence[int]) -> dict[str, int]:
    """Returns the definitions nearer to the first top than the chosen ones."""
    home = _folders(design, tops[0])
    nearer = {}
    for name, row in sorted(found.chosen.items()):
        shared = _shared(home, _folders(design, row))
        rivals = [one for one in design.units[name] if design.kinds[one] == design.kinds[row]]
        best = max((_shared(home, _folders(design, one)), -one) for one in rivals)
        if best[0] > shared and row not in tops:
            nearer[name] = -best[1]
    return nearer


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Returns how many folders two paths have in common from the root on."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return sum(1 for _ in pairs)


def _folders(design: Design, row: int) -> list[str]:
    return design.paths[row].split("/")[:-1]


def _elected(design: Design, found: Closure, tops: Sequence[int]) -> dict[str, int]:
    """Returns the definition of each name that uses of it disagree on."""
    home = _folders(design, tops[0])

    def key(row: int, votes: Mapping[int, float]) -> tuple[float, ...]:
        return (_shared(home, _folders(design, row)), votes[row], -row)

    contested = {name for name, _ in found.others}
    return {
        name: max(found.votes[name], key=lambda row: key(row, found.votes[name]))
        for name in sorted(contested)
        if found.chosen.get(name) not in tops
    }


class _Walk:
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
        self.macros: dict[str, dict[str, list[Link]]] = {}
        """Uses of macros by file and name."""

    def run(self, tops: Sequence[int]) -> None:
        """Follows everything that there is to follow."""
        for row in tops:
            self._take(row)
        while self.waiting or self._bound() or self._defined():
            if self.waiting:
                self._unit(self.waiting.popleft())
        for headers in self.found.headers().values():
            self.found.sources -= headers

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
