"""Tells names that a text declares from types and macros, which tree-sitter mixes up with them."""

from __future__ import annotations

import bisect
import re

from hdlgraph.parsers.text.directives import DIRECTIVES
from hdlgraph.parsers.text.expressions import KEYWORDS, closing
from hdlgraph.parsers.text.source import Source

_CALL = re.compile(r"`([A-Za-z_]\w*)[ \t]*\(")
_TYPE = re.compile(r"[ \t]*(?:\[[^\]\n]*\][ \t]*)*(?:[A-Za-z_`\\]|::|#)")
"""What stands behind a type: dimensions, and the name that it is the type of."""


class Declared:
    """Knows where a text uses macros."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._code = source.code
        self._calls: list[tuple[int, int]] = []
        for match in _CALL.finditer(self._code):
            is_inner = self._calls and match.start() < self._calls[-1][1]
            if match[1] not in DIRECTIVES and not is_inner:
                self._calls.append((match.start(), closing(self._code, match.end())))

    def is_name(self, name: str, line: int) -> bool:
        """Returns whether a name on a line (1-based) may be one that is declared there."""
        if not name or name in KEYWORDS or not 0 < line <= len(self._source.starts):
            return False
        begin = self._source.starts[line - 1]
        end = self._code.find("\n", begin)
        end = end if end >= 0 else len(self._code)
        at = begin - 1
        while (at := self._code.find(name, at + 1, end)) >= 0:
            if self._is_declared(at, at + len(name)):
                return True
        return False

    def _is_declared(self, start: int, end: int) -> bool:
        before, after = self._code[start - 1 : start], self._code[end : end + 1]
        if before == "`" or before.isalnum() or (before in ("_", "$") and before):
            return False
        if after.isalnum() or (after in ("_", "$") and after):
            return False
        return not _TYPE.match(self._code, end) and not self._in_call(start)

    def _in_call(self, offset: int) -> bool:
        at = bisect.bisect_right(self._calls, (offset, len(self._code) + 1)) - 1
        return at >= 0 and self._calls[at][0] < offset < self._calls[at][1]
