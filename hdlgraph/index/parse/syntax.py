"""Which files have syntax errors, according to the readers of the source."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from hdlgraph.errors import IndexVersionError
from hdlgraph.index.parse.late import noted
from hdlgraph.model import Diagnostic, FileRecord, Location
from hdlgraph.store.design.facts import REMEDY, map_facts

OUTSIDE = "not allowed in cu"
"""What slang says of statements outside of a unit: in a file of nothing else, a part of one that
others include, they are no mistake."""
_READ = {"path": str, "degraded": str, "diagnostics": tuple[Diagnostic, ...]}
_Health: Any = msgspec.defstruct(
    "_Health",
    [(name, _READ.get(name, msgspec.Raw)) for name in FileRecord.__struct_fields__],
    array_like=True,
)
"""What tells of a file whether it was read whole; all else of its facts stays bytes."""


def errors_of(record: FileRecord) -> list[Diagnostic]:
    """Returns the syntax errors of a file, none for a fragment that others include."""
    return _errors(record.diagnostics)


def _errors(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    errors = [one for one in diagnostics if one.severity == "error"]
    return errors if any(one.text != OUTSIDE for one in errors) else []


def broken_files(folder: Path) -> dict[str, tuple[int, str]]:
    """Returns (line, why) of each file of a generation that was not read whole, by path.

    The line is that of its first syntax error, 0 where the file was not parsed at all.

    Raises:
        IndexVersionError: the facts are missing or damaged.
    """
    try:
        records = msgspec.msgpack.decode(map_facts(folder), type=list[_Health])
    except (msgspec.MsgspecError, RecursionError) as error:
        raise IndexVersionError(f"{folder}: cannot be read ({error}): {REMEDY}") from error
    found = {}
    for one in records:
        errors = _errors(one.diagnostics)
        if errors:
            first = min(errors, key=lambda error: (error.line, error.text))
            found[one.path] = first.line, first.text
        elif one.degraded:
            found[one.path] = 0, one.degraded
    return found


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
