"""The lines of a source file, and which of them are comments, licences or the first unit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from hdlgraph.parsers.text.source import Source, read_source
from hdlgraph.query.result.line_kinds import is_code

MAX_LINE = 200  # characters shown of one line
LICENCE = re.compile(
    r"copyright|\blicen[sc]ed? |spdx-|all rights reserved|without warrant|redistribution and use"
    r"|apache\.org/licenses",
    re.I,
)
_COMMENT_LINE = re.compile(r"\s*(//|/\*|\*(?![^*\n]*[;=])|\(\*)")
_UNIT = re.compile(
    r"^[ \t]*(?:(?:virtual|extern|static)\s+){0,4}"
    r"(?:module|macromodule|interface|program|package|class|checker|primitive)\s+"
    r"(?:automatic\s+|static\s+)?(?!class\b)(\w+)",
    re.M,
)
Wanted = Mapping[str, tuple[int, float]]
"""Term -> (number of the question's term that it stands for, worth)."""


class SourceText:
    """The lines of a file.

    Args:
        text: the whole file.
    """

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n")
        self.lines = self.text.split("\n")
        if len(self.lines) > 1 and not self.lines[-1]:
            self.lines.pop()

    @cached_property
    def unit_line(self) -> int:
        """Returns the line on which the first unit begins, else the first line of code."""
        found = _UNIT.search("\n".join(self.bare))
        if found:
            return self.text.count("\n", 0, found.start(1)) + 1
        lines = enumerate(self.lines, 1)
        return next((n for n, line in lines if line.strip() and not self.is_comment(n)), 1)

    @cached_property
    def _source(self) -> Source:
        return read_source(self.text.encode("utf-8", "replace"))

    @cached_property
    def bare(self) -> list[str]:
        """Returns the lines, with comments blanked where the file has a block comment."""
        return self._source.bare.split("\n") if "/*" in self.text else self.lines

    def is_comment(self, number: int) -> bool:
        """Returns whether a line holds nothing but a comment, or a part of one."""
        line = self.lines[number - 1]
        return comment(line) or (bool(line.strip()) and not self.bare[number - 1].strip())

    @cached_property
    def disabled(self) -> frozenset[int]:
        """Returns the lines of block comments that take code out of the design."""
        if "/*" not in self.text:
            return frozenset()
        blocks = (c for c in self._source.comments if c.text.startswith("/*") and not c.trailing)
        whole = (range(one.line, one.end_line + 1) for one in blocks)
        code = (b for b in whole if is_code([self.lines[n - 1] for n in b]))
        return frozenset(n for block in code for n in block if self.is_comment(n))


def comment(line: str) -> bool:
    """Returns whether a line holds nothing but a comment (or its middle, after a `*`)."""
    return _COMMENT_LINE.match(line) is not None
