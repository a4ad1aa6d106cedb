"""The edges of the design graph, read the way that an elaboration asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.model.kinds import UNIT_KINDS

DEFINES, INSTANTIATES = EdgeKind.DEFINES.value, EdgeKind.INSTANTIATES.value
BINDS, IMPORTS = EdgeKind.BINDS.value, EdgeKind.IMPORTS.value
INCLUDES, EXTENDS, USES = EdgeKind.INCLUDES.value, EdgeKind.EXTENDS.value, EdgeKind.USES.value
UNITS = frozenset(kind.value for kind in UNIT_KINDS)
MACRO, PACKAGE = NodeKind.MACRO.value, NodeKind.PACKAGE.value


class Link(NamedTuple):
    """An edge that leaves a node: its target's row, and the place that states it."""

    kind: str
    target: int
    path: str
    line: int
    text: str
    confidence: float


class Design:
    """What an elaboration reads of a design graph; nodes are named by their rows."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.kinds: Sequence[str] = graph.nodes.column("kind")
        self.names: Sequence[str] = graph.nodes.column("name")
        self.paths: Sequence[str] = graph.nodes.column("path")
        self.lines: Sequence[int] = graph.nodes.column("line")

    @cached_property
    def files(self) -> dict[str, int]:
        """The rows of the files by their paths."""
        file = NodeKind.FILE.value
        return {self.paths[row]: row for row, kind in enumerate(self.kinds) if kind == file}

    @cached_property
    def units(self) -> dict[str, list[int]]:
        """The rows of the defined units by their names, in the order of the graph."""
        found: dict[str, list[int]] = {}
        for row, kind in enumerate(self.kinds):
            if kind in UNITS and self.paths[row]:
                found.setdefault(self.names[row], []).append(row)
        return found

    def files_of(self, kind: str) -> set[str]:
        """Returns the files that define units of a kind."""
        return {self.paths[row] for row, one in enumerate(self.kinds) if one == kind}

    def held(self, path: str) -> set[str]:
        """Returns the kinds of what a file declares at its level."""
        row = self.files[path]
        return {self.kinds[one.target] for one in self.links(row) if one.kind == DEFINES}

    def links(self, row: int) -> Iterator[Link]:
        """Yields the edges that leave a node, in the order of the graph."""
        edges = self.graph.edges
        columns = [edges.column(n) for n in ("kind", "target", "path", "line", "text")]
        sure = edges.column("confidence")
        for edge in self.graph.out_edges(row).tolist():
            kind, target, path, line, text = (column[edge] for column in columns)
            yield Link(kind, target, path, line, text, sure[edge])

    def place(self, row: int) -> str:
        """Returns where a node stands as path:line, "" for one that nothing defines."""
        return f"{self.paths[row]}:{self.lines[row]}" if self.paths[row] else ""

    def owned(self, row: int) -> list[int]:
        """Returns the units that a file or unit defines itself."""
        return [one.target for one in self.links(row) if self._is_part(one)]

    def _is_part(self, link: Link) -> bool:
        return link.kind == DEFINES and self.kinds[link.target] in UNITS
