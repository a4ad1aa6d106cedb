"""What stands around a line: a unit, or a declaration of a package or file."""

from __future__ import annotations

from typing import NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.design.names import is_unit
from hdlgraph.query.mentions.declared import KINDS
from hdlgraph.query.mentions.lines import Sources

DEFINES = EdgeKind.DEFINES.value
PACKAGE, MACRO = NodeKind.PACKAGE.value, NodeKind.MACRO.value
OPEN = frozenset({PACKAGE, NodeKind.FILE.value})
"""What only holds declarations."""
LONG = 400
"""Lines that a declaration goes on for, at most, where its end is not known."""


class _Part(NamedTuple):
    first: int
    last: int
    row: int


class Places:
    """Finds the node of a graph a line of a file belongs to."""

    def __init__(self, graph: Graph, sources: Sources) -> None:
        self._graph, self._sources = graph, sources
        self._of: dict[str, list[_Part]] = {}
        self._texts: dict[str, list[str]] = {}

    def at(self, path: str, line: int) -> int:
        """Returns the row of the innermost unit or open declaration around a line, else its file.

        A declaration is open where a package or a file has it: one of a module is part of that.
        """
        best, height = self._graph.row(f"file:{path}"), 0
        before: _Part | None = None
        for part in self._parts(path):
            if part.first > line:
                break
            if line <= max(part.last, part.first):
                last = max(part.last, part.first)
                if not height or last - part.first < height:
                    best, height = part.row, last - part.first + 1
            elif not part.last:
                before = part
        if before and self._graph.nodes.column("kind")[best] in OPEN:
            return before.row if self._goes_on(path, before, line) else best
        return best

    def units(self, path: str) -> list[int]:
        """Returns the rows of what a file declares by itself, and of what its packages do."""
        return [part.row for part in self._parts(path)]

    def values(self, row: int) -> list[str]:
        """Returns the names of the values of an enumeration, [] of another type."""
        nodes = self._graph.nodes
        line, path = nodes.column("line")[row], nodes.column("path")[row]
        record = self._sources.facts(path)
        types = [*record.types, *(one for unit in record.units for one in unit.types)]
        return [
            field.name
            for one in types
            if one.line == line and one.kind == "enum"
            for field in one.fields
        ]

    def _parts(self, path: str) -> list[_Part]:
        found = self._of.get(path)
        if found is None:
            found = self._of[path] = self._read(path)
        return found

    def _read(self, path: str) -> list[_Part]:
        nodes, edges = self._graph.nodes, self._graph.edges
        kinds, paths, first, last = map(nodes.column, ("kind", "path", "line", "end_line"))
        found: dict[int, _Part] = {}
        waiting = [self._graph.row(f"file:{path}")]
        while waiting:
            row = waiting.pop()
            for edge in self._graph.out_edges(row).tolist() if row >= 0 else ():
                part = int(edges.column("target")[edge])
                if edges.column("kind")[edge] != DEFINES or part in found or paths[part] != path:
                    continue
                if is_unit(kinds[part]) or kinds[part] in KINDS:
                    end = last[part]
                    if kinds[part] == MACRO:
                        end = self._end_of_macro(path, first[part])
                    found[part] = _Part(first[part], end, part)
                if kinds[part] == PACKAGE:
                    waiting.append(part)
        return sorted(found.values())

    def _goes_on(self, path: str, part: _Part, line: int) -> bool:
        """Returns whether a declaration whose end is not known reaches to a line."""
        if line > part.first + LONG:
            return False
        between = self._lines(path)[part.first - 1 : line - 1]
        return not any(";" in one.partition("//")[0] for one in between)

    def _end_of_macro(self, path: str, line: int) -> int:
        lines = self._lines(path)
        while 0 < line <= len(lines) and lines[line - 1].rstrip().endswith("\\"):
            line += 1
        return line

    def _lines(self, path: str) -> list[str]:
        if path not in self._texts:
            self._texts[path] = self._sources.text(path).splitlines()
        return self._texts[path]
