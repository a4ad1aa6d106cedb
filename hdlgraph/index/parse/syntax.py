"""Which files have syntax errors, according to the readers of the source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hdlgraph.index.parse.late import noted
from hdlgraph.model import Diagnostic, FileRecord, Location

OUTSIDE = "not allowed in cu"
"""What slang says of statements outside of a unit: in a file of nothing else, a part of one that
others include, they are no mistake."""


def errors_of(record: FileRecord) -> list[Diagnostic]:
    """Returns the syntax errors of a file, none for a fragment that others include."""
    errors = [one for one in record.diagnostics if one.severity == "error"]
    return errors if any(one.text != OUTSIDE for one in errors) else []


def counts_of(record: FileRecord) -> tuple[int, int]:
    """Returns how many units and how many syntax errors a file has."""
    known = noted(record)
    if known is not None:
        return known.units, known.errors
    return len(record.units), len(errors_of(record))


def counted(records: Iterable[FileRecord]) -> dict[str, int]:
    """Returns how many units and syntax errors there are, and how many files have an error."""
    found = [counts_of(record) for record in records]
    return {
        "units": sum(units for units, _ in found),
        "syntax_errors": sum(errors for _, errors in found),
        "syntax_error_files": sum(errors > 0 for _, errors in found),
    }


def syntax_errors(records: Sequence[FileRecord], limit: int) -> dict[str, Any]:
    """Returns the syntax errors: `{schema, syntax_errors, total, files}`, by path and line.

    Args:
        records: the facts of all files.
        limit: the greatest number of errors listed; the reader stops at some 20 of one file.
    """
    found = [
        {
            "path": record.path,
            "line": one.line,
            "location": str(Location(record.path, one.line)),
            "text": one.text,
            "reader": one.layer,
        }
        for record in records
        for one in sorted(errors_of(record), key=lambda one: (one.line, one.text))
    ]
    files = len({one["path"] for one in found})
    return {"schema": 1, "syntax_errors": found[:limit], "total": len(found), "files": files}
