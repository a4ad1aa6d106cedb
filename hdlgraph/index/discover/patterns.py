"""Compiles gitignore patterns, and refuses those that could take endless time to match.

Ignore files and globs come from strangers. pathspec makes a regular expression of each pattern,
and one of `a*a*a*a*b` tries every way to share a name among its stars.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

PATTERN_CHARS = 1_000
"""Longer patterns are refused."""
ANY_DEPTH = 2
"""A pattern with more `**` before its end is refused: each one tries every folder of a path."""

_STAR = "\0*"  # `[^/]*` while a pattern is rewritten, and \0 for `[^/]`
_STARS = re.compile(r"(?:\0\*){2,}")
_FIXED = re.compile(r"\0\*((?:\\.|\0(?![*+?])|[^\0\\\[\](){}*+?|^$./])+)(?=\0\*)")


@dataclass(frozen=True, slots=True)
class Refused:
    """A pattern that is not used: its 1-based line, and why."""

    line: int
    why: str


def to_spec(lines: Iterable[str]) -> tuple[Any, tuple[Refused, ...]]:
    """Returns the patterns of gitignore lines, and those that were refused.

    A line that is no pattern at all is left out, as git does.
    """
    import pathspec

    kind: Any = type(next(iter(pathspec.GitIgnoreSpec.from_lines(["a"]).patterns)))
    good, refused = [], []
    for number, line in enumerate(lines, 1):
        if len(line) > PATTERN_CHARS:
            refused.append(Refused(number, f"longer than {PATTERN_CHARS} characters"))
            continue
        try:
            pattern = kind(line)
        except ValueError:
            continue
        if line.count("*") > 1 and pattern.regex is not None:
            quick = _quick(pattern.regex.pattern)
            if quick is None or line.removesuffix("/**").count("**") > ANY_DEPTH:
                refused.append(Refused(number, "too many wildcards"))
                continue
            pattern.regex = re.compile(quick)
        good.append(pattern)
    return pathspec.GitIgnoreSpec(good), tuple(refused)


def _quick(regex: str) -> str | None:
    """Returns an expression that matches the same in linear time, None where there is none.

    What stands between two stars of one name is found where it comes first; to look for it
    further on cannot help, so the group is atomic.
    """
    text = _STARS.sub(lambda _: _STAR, regex.replace("[^/]", "\0"))
    text = _FIXED.sub(r"(?>\0*?\1)", text)
    stars = [part.count(_STAR) - part.count(_STAR + "?") for part in text.split("/")]
    if sum(max(0, count - 1) for count in stars) > 1:
        return None
    return text.replace("\0", "[^/]")
