"""Tells where a pyslang node stands in the file and what its text is, macros included."""

from __future__ import annotations

from typing import Any

from hdlgraph.parsers.text.expressions import clean
from hdlgraph.parsers.text.inventory import Inventory


class NodeText:
    """Answers where a node stands in the file and what its text is.

    A node that comes from an included file has no place here; one that a macro makes has the
    place of the macro's use.
    """

    def __init__(self, manager: Any, buffer: Any, shift: int, inventory: Inventory) -> None:
        self._manager = manager
        self._buffer = buffer
        self._shift = shift
        self.inventory = inventory
        self._bare = inventory.source.bare
        self._line_of = inventory.source.line_of

    def offset(self, location: Any) -> int:
        """Returns the offset of a location in the file, or -1 when it lies elsewhere."""
        if location.buffer != self._buffer:
            location = self._manager.getFullyExpandedLoc(location)
            if location.buffer != self._buffer:
                return -1
        return location.offset - self._shift

    def line(self, node: Any) -> int:
        """Returns the 1-based line where a node begins, 0 if it is not in this file."""
        at = self.offset(node.sourceRange.start)
        return self._line_of(at) if at >= 0 else 0

    def end_line(self, node: Any) -> int:
        """Returns the 1-based line where a node ends, 0 if it is not in this file."""
        at = self.offset(node.sourceRange.end)
        return self._line_of(max(at - 1, 0)) if at >= 0 else 0

    def token_line(self, token: Any) -> int:
        """Returns the 1-based line of a token, 0 if it is not in this file."""
        at = self.offset(token.location)
        return self._line_of(at) if at >= 0 else 0

    def is_macro(self, node: Any) -> bool:
        """Returns whether a macro's expansion begins the node."""
        return node.sourceRange.start.buffer != self._buffer

    def raw(self, node: Any) -> str:
        """Returns the text of a node as written; as expanded when a macro makes a border."""
        if node is None:
            return ""
        span = node.sourceRange
        start, end = span.start, span.end
        if start.buffer == self._buffer and end.buffer == self._buffer:
            return self._bare[start.offset - self._shift : end.offset - self._shift]
        return str(node)

    def text(self, node: Any, limit: int = 0) -> str:
        """Returns the text of a node on one line, cut at `limit` characters if given."""
        return clean(self.raw(node), limit) if node is not None else ""


def is_node(item: Any) -> bool:
    """Returns whether a list item is a syntax node rather than a separator token."""
    return hasattr(item, "sourceRange")
