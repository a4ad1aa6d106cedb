"""Which files have syntax errors, according to the readers of the source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hdlgraph.model import Diagnostic, FileRecord, Location

OUTSIDE = "not allowed in cu"
"""What slang says of statements outside of a unit: in a file of nothing else, a part of one that
others include, they are no mistake."""


def errors_of(record: FileRecord) -> list[Diagnostic]:
    """Returns the syntax errors of a file, none for a fragment that others include."""
    errors = [one for one in record.diagnostics if one.severity == "error"]
    return errors if any(one.text != OUTSIDE for one in errors) else []


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
