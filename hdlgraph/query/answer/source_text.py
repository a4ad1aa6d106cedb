"""The lines of a source file, and which of them are comments, licences or the first unit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

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
        found = _UNIT.search(self.text)
        if found:
            return self.text.count("\n", 0, found.start(1)) + 1
        code = (n for n, line in enumerate(self.lines, 1) if line.strip() and not comment(line))
        return next(code, 1)


def comment(line: str) -> bool:
    """Returns whether a line holds nothing but a comment (or its middle, after a `*`)."""
    return _COMMENT_LINE.match(line) is not None
