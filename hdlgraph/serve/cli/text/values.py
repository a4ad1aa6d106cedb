"""Counts and columns of a report for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hdlgraph.safety.printable import visible
from hdlgraph.serve.cli.output import put


def columns(rows: Sequence[Sequence[str]]) -> None:
    """Prints rows of words, the first column to the left and the others to the right.

    A table of rich would be cut at 80 columns where the output is no terminal.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        put("  ".join([row[0].ljust(widths[0]), *cells]))


def counted(value: Any) -> str:
    """Returns a value in words: of a mapping each name with its count, "none" of an empty one."""
    if isinstance(value, dict):
        if not value:
            return "none"
        return visible(", ".join(f"{name} {count}" for name, count in value.items()))
    return visible(str(value))


def some(count: int, what: str) -> str:
    """Returns a number with what it counts: `1 file`, `2 files`."""
    return f"{count} {what}{'s' * (count != 1)}"


def syntax_errors(errors: int, files: int) -> str:
    """Returns in words how many syntax errors there are, and what lists them."""
    counted = f"{some(errors, 'syntax error')} in {some(files, 'file')}"
    return f"{counted} (`hdlgraph unresolved --syntax` lists them)"
