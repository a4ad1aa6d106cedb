"""Finds the graph nodes that a place in a source means: what an editor has under its cursor."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.design.names import is_unit

MOST = 50
"""Nodes that a name may mean."""
BEFORE = 400
"""Characters before a name that are looked at for what it stands in."""

FILE, MACRO, INSTANCE, PACKAGE = (
    kind.value for kind in (NodeKind.FILE, NodeKind.MACRO, NodeKind.INSTANCE, NodeKind.PACKAGE)
)
DEFINES, INSTANTIATES, BINDS, IMPORTS, INCLUDES = (
    kind.value
    for kind in (
        *(EdgeKind.DEFINES, EdgeKind.INSTANTIATES, EdgeKind.BINDS),
        *(EdgeKind.IMPORTS, EdgeKind.INCLUDES),
    )
)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_HEAD = re.compile(r"((?:[A-Za-z_$][\w$]*(?:\[[^\[\]]*\])*(?:\.|::))+)$")
_INCLUDE = re.compile(r'`include\s+["<]([^">]+)[">]')


class Word(NamedTuple):
    """A name in a line: what leads to it (`dut.u_core.` as two heads), and how it is marked.

    `mark` is "`" for a macro, "." for a port or parameter in a list of connections, "include" for
    the file of a directive, else "". `start` and `end` are characters from 0.
    """

    name: str
    heads: tuple[str, ...]
    mark: str
    start: int
    end: int


def word_at(text: str, column: int) -> Word | None:
    """Returns the name in a line at a column (characters from 0), None where there is none."""
    named = _INCLUDE.search(text)
    if named and named.start() <= column <= named.end():
        return Word(named[1], (), "include", named.start(1), named.end(1))
    found = next((m for m in _NAME.finditer(text) if m.start() <= column <= m.end()), None)
    if found is None:
        return None
    before = text[max(0, found.start() - BEFORE) : found.start()]
    head = _HEAD.search(before)
    heads = tuple(_NAME.findall(re.sub(r"\[[^\[\]]*\]", "", head[1]))) if head else ()
    mark = "" if heads else before[-1:]
    return Word(found[0], heads, mark if mark in ("`", ".") else "", found.start(), found.end())


class Cursor:
    """Finds what names mean in one file of the graph.

    Args:
        graph: the design graph.
        path: the file, relative to the root.
    """

    def __init__(self, graph: Graph, path: str) -> None:
        self._graph, self._path = graph, path
        nodes, edges = graph.nodes, graph.edges
        self._kinds, self._names = nodes.column("kind"), nodes.column("name")
        self._lines, self._ends = nodes.column("line"), nodes.column("end_line")
        self._edge_kinds, self._targets = edges.column("kind"), edges.column("target")
        self._sources = edges.column("source")
        self._here = [row for row, one in enumerate(nodes.column("path")) if one == path]

    def meant(self, word: Word, line: int) -> list[int]:
        """Returns the rows of the nodes that a name on a line means, the likeliest first."""
        if word.mark == "include":
            return self._included(word.name, line)
        if word.mark == "`":
            return [row for row in self._called(word.name) if self._kinds[row] == MACRO][:MOST]
        if word.mark == ".":
            ports = self._members(self._connected(line), word.name)
            if ports:
                return ports
        scopes = self._scopes(line)
        if not word.heads:
            return (self._members(scopes, word.name) or self._elsewhere(word.name, scopes))[:MOST]
        return self._along([*word.heads, word.name], scopes)[:MOST]

    def unit_at(self, line: int) -> int:
        """Returns the row of the innermost unit around a line, -1 outside of all."""
        around = (row for row in self._here if is_unit(self._kinds[row]) and self._is_in(row, line))
        return max(around, key=lambda row: (self._lines[row], row), default=-1)

    def symbols(self) -> list[int]:
        """Returns the rows of what the file declares, by line; the file itself is left out."""
        found = [row for row in self._here if self._kinds[row] != FILE]
        return sorted(found, key=lambda row: (self._lines[row], row))

    def _is_in(self, row: int, line: int) -> bool:
        return self._lines[row] <= line <= max(self._ends[row], self._lines[row])

    def _scopes(self, line: int) -> list[int]:
        """Returns the units whose names count on a line: the one around it, or bound ones."""
        unit = self.unit_at(line)
        return [unit] if unit >= 0 else [source for source, _ in self._bound(line)]

    def _bound(self, line: int) -> list[tuple[int, int]]:
        """Returns (unit, what is bound to it) of the statement at a line outside of all units."""
        paths, lines = self._graph.edges.column("path"), self._graph.edges.column("line")
        stated = [
            edge
            for edge, kind in enumerate(self._edge_kinds)
            if kind == BINDS and paths[edge] == self._path and lines[edge] <= line
        ]
        last = max((lines[edge] for edge in stated), default=0)
        chosen = [edge for edge in stated if lines[edge] == last]
        pairs = ((self._sources[edge], self._targets[edge]) for edge in chosen)
        return [pair for pair in pairs if all(is_unit(self._kinds[row]) for row in pair)]

    def _connected(self, line: int) -> list[int]:
        """Returns the units whose ports are connected on a line: of an instance, or bound ones."""
        around = [
            row for row in self._here if self._kinds[row] == INSTANCE and self._is_in(row, line)
        ]
        if around:
            return self._leads(max(around, key=lambda row: self._lines[row]), INSTANTIATES)
        return [] if self.unit_at(line) >= 0 else [target for _, target in self._bound(line)]

    def _leads(self, row: int, kind: str) -> list[int]:
        """Returns where the edges of a kind lead from a node."""
        edges = self._graph.out_edges(row).tolist()
        return [self._targets[edge] for edge in edges if self._edge_kinds[edge] == kind]

    def _members(self, units: Iterable[int], name: str) -> list[int]:
        """Returns what units declare of a name: outside of generate blocks before within them."""
        found = []
        for unit in dict.fromkeys(units):
            last, whole = f".{name}", f"{self._names[unit]}.{name}"
            inside = [row for row in self._leads(unit, DEFINES) if self._names[row].endswith(last)]
            found += sorted(inside, key=lambda row: (self._names[row] != whole, row))
        return found

    def _along(self, parts: list[str], scopes: list[int]) -> list[int]:
        """Returns what a name with dots or `::` means, step by step from its first part."""
        rows, label = self._members(scopes, parts[0]) or self._elsewhere(parts[0], scopes), ""
        if not rows:
            rows, label = scopes, f"{parts[0]}."  # the label of a generate block
        for part in parts[1:]:
            found = self._members(self._within(rows), label + part)
            # What is no member may be the label of a generate block around the next part.
            rows, label = (found, "") if found else (rows, f"{label}{part}.")
        return [] if label else rows

    def _within(self, rows: Iterable[int]) -> Iterator[int]:
        """Yields the units in which the next part of a name is looked for."""
        for row in rows:
            if self._kinds[row] == INSTANCE:
                yield from self._leads(row, INSTANTIATES)
            elif is_unit(self._kinds[row]):
                yield row
            else:  # a port or signal whose type is an interface or a class
                kind = _NAME.search(self._graph.nodes.column("detail")[row])
                named = self._called(kind[0]) if kind else []
                yield from (one for one in named if is_unit(self._kinds[one]))

    def _called(self, name: str) -> list[int]:
        """Returns the nodes of exactly this name: of this file first, of the repository next."""
        paths = self._graph.nodes.column("path")
        found = [row for row, one in enumerate(self._names) if one == name]
        return sorted(found, key=lambda row: (paths[row] != self._path, not paths[row], row))

    def _elsewhere(self, name: str, scopes: list[int]) -> list[int]:
        """Returns units and macros of a name, else what imported packages and this file declare."""
        whole = [row for row in self._called(name) if self._kinds[row] not in (FILE, MACRO)]
        if whole:
            return whole
        file = self._graph.row(f"file:{self._path}")
        holders = [*scopes, *([file] if file >= 0 else [])]
        imported = [package for row in holders for package in self._leads(row, IMPORTS)]
        found = self._members([*imported, file] if file >= 0 else imported, name)
        if found:
            return found
        packages = [row for row, kind in enumerate(self._kinds) if kind == PACKAGE]
        return self._members(packages, name)

    def _included(self, name: str, line: int) -> list[int]:
        file = self._graph.row(f"file:{self._path}")
        if file < 0:
            return []
        lines, texts = self._graph.edges.column("line"), self._graph.edges.column("text")
        found = [
            (lines[edge] != line, self._targets[edge])
            for edge in self._graph.out_edges(file).tolist()
            if self._edge_kinds[edge] == INCLUDES and texts[edge] == name
        ]
        return [row for _, row in sorted(found)]
