"""Collects nodes and edges as rows."""

from __future__ import annotations

from typing import Any

from hdlgraph.index.link.declared import DETAIL_LIMIT
from hdlgraph.index.link.trust import UNSEEN, Seen

Row = tuple[Any, ...]


class Builder:
    """Collects nodes and edges; edges name nodes by their row numbers.

    Args:
        first: the row number of the first node.
    """

    def __init__(self, first: int = 0) -> None:
        self.first = first
        self.rows: dict[str, int] = {}
        """Row numbers by id."""
        self.nodes: list[Row] = []
        """(id, kind, name, path, line, end_line, text, origin, confidence, detail, condition,
        shape) of each."""
        self.edges: list[Row] = []
        """(source, target, kind, path, line, text, origin, confidence, resolved, witnesses, trust,
        instance, direction, reason) of each."""
        self._next: dict[str, int] = {}

    def node(
        self,
        kind: str,
        path: str,
        name: str,
        line: int = 0,
        end_line: int = 0,
        text: str = "",
        detail: str = "",
        confidence: float = 1.0,
        origin: str = "ast",
        condition: str = "",
        shape: str = "",
    ) -> int:
        """Adds a node; a second one of the same kind and name in a file gets `@line`."""
        node_id = f"{kind}:{path}#{name}" if name != path else f"{kind}:{path}"
        if node_id in self.rows:
            base = node_id = f"{node_id}@{line}"
            # Counting anew for each of 40,000 instances on one line takes minutes.
            number = self._next.get(base, 2)
            while node_id in self.rows:
                node_id, number = f"{base}.{number}", number + 1
            self._next[base] = number
        row = self.rows[node_id] = self.first + len(self.nodes)
        self.nodes.append((
            node_id, kind, name, path, line, end_line, text, origin, confidence, detail,
            condition[:DETAIL_LIMIT], shape[:DETAIL_LIMIT],
        ))  # fmt: skip
        return row

    def edge(
        self,
        kind: str,
        source: int,
        target: int,
        path: str,
        line: int,
        text: str = "",
        confidence: float = 1.0,
        resolved: str = "unique",
        origin: str = "ast",
        seen: Seen = UNSEEN,
        instance: int = -1,
        direction: str = "",
        reason: str = "",
    ) -> None:
        """Adds an edge; what comes from `path:line` is an origin of "ast" unless said.

        Args are the fields of `model.Edge`; nodes are rows, `instance` is -1 where there is none.
        """
        self.edges.append((
            source, target, kind, path, line, text, origin, confidence, resolved, *seen,
            instance, direction, reason,
        ))  # fmt: skip

    def take_edges(self) -> list[Row]:
        """Returns the edges since the last call, which this builder then no longer has."""
        found, self.edges = self.edges, []
        return found
