"""Tells where a pyslang node stands in the file and what its text is, macros included."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from hdlgraph.parsers.text.expressions import clean, closing
from hdlgraph.parsers.text.inventory import Inventory

_MACRO = re.compile(r"`([A-Za-z_]\w*)(\s{0,20}\()?")


class NodeText:
    """Answers where a node stands in the file and what its text is.

    A node that comes from an included file has no place here; one that a macro makes has the
    place of the macro's use. `unknown` are the macros whose meaning is made up.
    """

    def __init__(
        self,
        manager: Any,
        buffer: Any,
        shift: int,
        inventory: Inventory,
        unknown: Collection[str] = (),
    ) -> None:
        self._unknown = frozenset(unknown)
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

    def value(self, node: Any) -> str:
        """Returns the text of an expression, where an unknown macro has no made-up meaning."""
        return clean(self._with_unknown(node) or self.raw(node))

    def _with_unknown(self, node: Any) -> str:
        """Returns an expression as written that an unknown macro begins or ends, else ""."""
        span = node.sourceRange
        begin, end = self.offset(span.start), self.offset(span.end)
        inside = span.start.buffer == self._buffer and span.end.buffer == self._buffer
        if inside or begin < 0 or end < 0:
            return ""
        if span.end.buffer != self._buffer:
            call = _MACRO.match(self._bare, end)
            if call is None:
                return ""
            end = closing(self._bare, call.end()) if call[2] else call.end()
        text = self._bare[begin:end]
        used = {call[1] for call in _MACRO.finditer(text)}
        return "" if used.isdisjoint(self._unknown) else text


def is_node(item: Any) -> bool:
    """Returns whether a list item is a syntax node rather than a separator token."""
    return hasattr(item, "sourceRange")
