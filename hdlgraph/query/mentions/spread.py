"""What a change of a declared name affects: what names it, not all that imports its package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, Location, NodeKind
from hdlgraph.query.design.impact import Best, Reached, Spread
from hdlgraph.query.design.names import is_unit
from hdlgraph.query.mentions.declared import KINDS, ROUTINES
from hdlgraph.query.mentions.lines import SURE, TEXT, Line, Sources
from hdlgraph.query.mentions.many import Mentioned, Word, lines_of
from hdlgraph.query.mentions.members import Member, uses_of_all
from hdlgraph.query.mentions.places import OPEN, Places

IMPORTS, USES = EdgeKind.IMPORTS.value, EdgeKind.USES.value
TYPE = NodeKind.TYPE.value
MOST = 4000
"""Names whose lines are looked for in one step."""


class Hit(NamedTuple):
    """A line that names the node at row `of`, and the row of what stands around it."""

    of: int
    line: Line
    sure: float
    row: int


def begin(graph: Graph, sources: Sources, rows: list[int], members: Mapping[int, Member]) -> Spread:
    """Returns the spread of a change; along edges alone where no package or file declares a name.

    Args:
        graph: the design graph.
        sources: texts and words of the index.
        rows: what changes.
        members: by the row of a type the member of it that changes instead of the type.
    """
    named = NamedSpread(graph, sources, rows, members)
    return named if named.has_names else Spread(graph, rows)


class NamedSpread(Spread):
    """As `Spread`; what a package or a file declares affects those alone that name it.

    Such a declaration made of an affected one is affected too, and told. A package or file that is
    affected in a part affects nobody by that.
    """

    def __init__(
        self, graph: Graph, sources: Sources, rows: list[int], members: Mapping[int, Member]
    ) -> None:
        super().__init__(graph, rows)
        kinds = graph.nodes.column("kind")
        self._kinds, self._sources, self._members = kinds, sources, members
        self._is_open = np.fromiter(map(OPEN.__contains__, kinds), bool, len(kinds))
        self._is_listed = self._ways.is_listed.copy()
        self._places = Places(graph, sources)
        self._hits: list[Hit] = []
        self._seeds = frozenset(rows)
        self.has_names = any(map(self._is_name, rows))

    def record(self, one: Reached) -> dict[str, Any]:
        """Returns the record of what was reached, with the edge or the line that leads there."""
        if one.edge >= 0:
            forward = self._graph.edges.column("target")[one.edge] != one.row
            return super().record(one._replace(forward=forward))
        hit, nodes = self._hits[-1 - one.edge], self._graph.nodes
        member = self._members.get(hit.of)
        name = nodes.column("name")[hit.of]
        via = {
            "kind": USES,
            "words": "calls" if self._kinds[hit.of] in ROUTINES else "uses",
            "id": nodes.column("id")[hit.of],
            "name": f"{name}.{member.field.name}" if member else name,
            "path": hit.line.path,
            "line": hit.line.number,
            "location": str(Location(hit.line.path, hit.line.number)),
            "text": " ".join(hit.line.text.split())[:TEXT],
            "confidence": hit.sure,
            "resolved": "unique" if hit.sure >= SURE else "candidate",
            "witnesses": ["regex"],
            "trust": "single",
        }
        return self._record(one.row, via)

    def _is_name(self, row: int) -> bool:
        """Returns whether a node is a declaration that others name, and no part of a unit."""
        if self._kinds[row] not in KINDS:
            return False
        owner = int(self._ways.parent[row])
        return owner < 0 or self._kinds[owner] in OPEN

    def _next(self) -> tuple[Best, Best, Best]:
        """Returns what the next step reaches; names reach the lines that name them."""
        names = [row for row in self._front.tolist() if self._is_name(row)]
        self._front = np.setdiff1d(self._front, names)
        wholly, alone, ending = super()._next()
        ways, edges, nodes = self._ways, self._graph.edges, self._graph.nodes
        kinds, paths, lines = (edges.column(name) for name in ("kind", "path", "line"))
        into = self._graph.edges_into(np.array(names, np.int64))
        stated = [
            (ways.rank[edge], int(ways.holder[ways.source[edge]]), edge)
            for edge in into[ways.uses[into]].tolist()
            if ways.target[edge] not in self._members
        ]
        found: tuple[Best, Best, Best] = ([], [], [])
        for rank, row, edge in (*wholly, *stated):
            if self._is_open[row] and kinds[edge] != IMPORTS:
                row = self._places.at(paths[edge], lines[edge])
            self._sort(found, rank, row, edge)
        for one in alone:
            found[2 if self._is_open[one[1]] else 1].append(one)
        found[2].extend(ending)
        for row in names:
            if row in self._seeds and (owner := int(ways.parent[row])) >= 0:
                for edge in into[(ways.target[into] == row) & ways.defines[into]].tolist()[:1]:
                    if is_unit(nodes.column("kind")[owner]):
                        found[2].append((int(ways.rank[edge]), owner, edge))
        self._add_lines(names, found)
        return found

    def _sort(self, found: tuple[Best, Best, Best], rank: int, row: int, edge: int) -> None:
        """Adds what is reached to what is affected wholly, alone, or as the last of its way."""
        if row < 0 or (self._affected[row] and (self._whole[row] or self._is_name(row))):
            return
        if self._is_name(row):
            self._is_listed[row] = True
            found[1].append((rank, row, edge))
        elif not self._is_open[row]:
            found[0].append((rank, row, edge))
        else:
            found[1 if self._kinds[row] == NodeKind.FILE.value else 2].append((rank, row, edge))

    def _add_lines(self, names: list[int], found: tuple[Best, Best, Best]) -> None:
        """Adds what the lines that name some declarations stand in."""
        first = len(self._ways.rank)
        for mentioned in self._mentioned(names):
            line = mentioned.line
            row = self._places.at(line.path, line.number)
            if row != mentioned.row:
                self._hits.append(Hit(mentioned.row, line, mentioned.sure, row))
                at = len(self._hits)
                self._sort(found, first + at, row, -at)

    def _mentioned(self, names: Iterable[int]) -> list[Mentioned]:
        own = [row for row in names if row in self._members]
        found: list[Mentioned] = []
        for row in own:
            for use in uses_of_all(self._graph, self._sources, [self._members[row]]):
                line = Line(use["path"], use["line"], use["text"])
                found.append(Mentioned(row, line, use["confidence"]))
        words = [word for row in names if row not in self._members for word in self._words(row)]
        return found + lines_of(self._graph, self._sources, words[:MOST], self._is_done)

    def _words(self, row: int) -> list[Word]:
        """Returns the names that mean a declaration: of an enumeration those of its values too."""
        own = self._graph.nodes.column("name")[row].rpartition(".")[2]
        values = self._places.values(row) if self._kinds[row] == TYPE else []
        return [Word(row, name) for name in (own, *values)]

    def _is_done(self, path: str) -> bool:
        """Returns whether nothing else in a file can be affected by what it names."""
        rows = self._places.units(path)
        return bool(rows) and all(self._whole[row] and self._reported[row] for row in rows)
