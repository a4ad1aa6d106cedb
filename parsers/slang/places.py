"""Finds the place of a pyslang node in the file and its text, macros included."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Sequence
from typing import Any

from hdlgraph.parsers.slang.tree import VIRTUAL
from hdlgraph.parsers.stubs import Prepared
from hdlgraph.parsers.text.expressions import clean, closing
from hdlgraph.parsers.text.inventory import Inventory

_MACRO = re.compile(r"`([A-Za-z_]\w*)(\s{0,20}\()?")
_INCLUDES = 40
_NODES: dict[type, bool] = {}
"""The classes of list items that were met, and whether they are nodes."""


class NodeText:
    """Answers where a node stands in the file and what its text is.

    A node that a macro makes has the place of the macro's use. One that comes from an included
    file has no place but for `place`, which gives it that of the `include.

    Args:
        manager: pyslang's source manager.
        buffer: the id of the file's buffer.
        prepared: the text that was parsed.
        inventory: what the text of the file tells.
        lines: first and last line of the branches that no tree before this one has read; None
            for the first tree, where all is new.
        repairs: whether the first tree is broken and this one is not.
    """

    def __init__(
        self,
        manager: Any,
        buffer: Any,
        prepared: Prepared,
        inventory: Inventory,
        lines: tuple[tuple[int, int], ...] | None = None,
        repairs: bool = False,
    ) -> None:
        self.repairs = repairs
        self._unknown = frozenset(prepared.stubs)
        self._manager = manager
        self._buffer = buffer.id  # a number: to compare two ids themselves takes longer
        self._shift = prepared.shift
        self._paths = prepared.paths
        self._included: dict[int, tuple[int, str]] = {}
        """What `_include` says of the buffers of headers."""
        self.inventory = inventory
        self._bare = inventory.source.bare
        self._line_of = inventory.source.line_of
        self._lines = None if lines is None else _outermost(lines)

    @property
    def lines(self) -> Sequence[tuple[int, int]]:
        """Returns the lines of the branches that it is the first to read; () of the first tree."""
        return self._lines or ()

    @property
    def is_first(self) -> bool:
        """Whether this is the tree of the branches that slang takes by itself."""
        return self._lines is None

    def fresh(self, line: int) -> bool:
        """Returns whether no tree before has read a line."""
        if self._lines is None:
            return True
        at = bisect.bisect_left(self._lines, (line, 0)) - 1
        return at >= 0 and self._lines[at][0] < line < self._lines[at][1]

    def touches(self, node: Any) -> bool:
        """Returns whether a node holds a line that no tree before has read."""
        if self._lines is None or self.repairs:
            return True
        span = node.sourceRange
        line = self.place(span.start)[0]
        end = self.place(span.end)[0]
        if not line or end < line or self.fresh(line):
            return True
        at = bisect.bisect_left(self._lines, (line, 0))
        return at < len(self._lines) and self._lines[at][0] < end

    def condition(self, line: int) -> str:
        """Returns what the `ifdef branches around a line ask for, "" outside of them."""
        conditions = self.inventory.conditions
        return conditions[line] if conditions and line < len(conditions) else ""

    def place(self, location: Any) -> tuple[int, str]:
        """Returns (line, "") of a location; of one in a header that of its `include and its path.

        The line is 0 where neither is known.
        """
        at = self.offset(location)
        if at >= 0:
            return self._line_of(at), ""
        location = self._manager.getFullyExpandedLoc(location)
        number = location.buffer.id
        found = self._included.get(number)
        if found is None:
            found = self._included[number] = self._include(location)
        return found

    def _include(self, location: Any) -> tuple[int, str]:
        """Returns the line of the `include that brings a header's location, and its path."""
        manager = self._manager
        name = str(manager.getFullPath(location.buffer)).removeprefix(VIRTUAL + "/")
        for _ in range(_INCLUDES):
            location = manager.getIncludedFrom(location.buffer)
            at = self.offset(location)
            if at >= 0:
                return self._line_of(at), self._paths.get(name, "")
            if not manager.isFileLoc(location):
                break
        return 0, ""

    def macro(self, token: Any) -> str:
        """Returns the name of the macro whose expansion holds a token, "" for none."""
        location, name = token.location, ""
        for _ in range(_INCLUDES):
            if not self._manager.isMacroLoc(location):
                break
            name = self._manager.getMacroName(location) or name
            location = self._manager.getExpansionLoc(location)
        return str(name)

    def offset(self, location: Any) -> int:
        """Returns the offset of a location in the file, or -1 when it lies elsewhere."""
        if location.buffer.id != self._buffer:
            location = self._manager.getFullyExpandedLoc(location)
            if location.buffer.id != self._buffer:
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
        return node.sourceRange.start.buffer.id != self._buffer

    def raw(self, node: Any) -> str:
        """Returns the text of a node as written; as expanded when a macro makes a border."""
        if node is None:
            return ""
        span = node.sourceRange
        start, end = span.start, span.end
        if start.buffer.id == self._buffer == end.buffer.id:
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
        inside = span.start.buffer.id == self._buffer == span.end.buffer.id
        if inside or begin < 0 or end < 0:
            return ""
        if span.end.buffer.id != self._buffer:
            call = _MACRO.match(self._bare, end)
            if call is None:
                return ""
            end = closing(self._bare, call.end()) if call[2] else call.end()
        text = self._bare[begin:end]
        used = {call[1] for call in _MACRO.finditer(text)}
        return "" if used.isdisjoint(self._unknown) else text


# Of the kind of a node readers take `_name_`: an enum's `name` is a function of Python behind a
# descriptor, and three times as dear.


def is_node(item: Any) -> bool:
    """Returns whether a list item is a syntax node rather than a separator token."""
    kind = type(item)
    found = _NODES.get(kind)
    if found is None:  # by class: to ask an item would make its range each time
        found = _NODES[kind] = hasattr(kind, "sourceRange")
    return found


def _outermost(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns the spans that lie in no other one, in order."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not found or last > found[-1][1]:
            found.append((first, last))
    return found
