"""The view of a file: its lines with numbers, what it defines, what is said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hdlgraph.project.browsing import LINES
from hdlgraph.safety.printable import visible
from hdlgraph.serve.web import highlight

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hdlgraph.serve.web.site import Site

PLAIN = ("document", "project")
"""Roles of files whose words are no names of a design."""


def file(site: Site, request: Request, _: dict[str, str]) -> Response:
    """Shows a file of the index, from `?line=` on."""
    from hdlgraph.errors import UsageError

    path = request.path_params["path"]
    line = request.query_params.get("line", "1")
    if not line.isdecimal() or len(line) > 8:
        raise UsageError(f"line {line[:20]!r}: is no number of a line")
    read = site.project.file_page(path, max(1, int(line)))
    coloured = _coloured(read) if read["role"] not in PLAIN else _plain(read)
    explanation = site.project.explanations().get(path)
    return site.page(
        request,
        "file.html",
        path=path,
        read=read,
        lines=list(enumerate(coloured, read["line"])),
        units=_units(site, path),
        explanation=explanation,
        wrong={one["line"] for one in read["syntax"]},
        before=max(1, read["line"] - LINES) if read["line"] > 1 else 0,
        after=read["end_line"] + 1 if read["end_line"] < read["total"] else 0,
    )


def _coloured(read: dict[str, Any]) -> tuple[Any, ...]:
    """Returns the lines of a page as HTML; a comment begun on an earlier page is known as one."""
    return highlight.file_coloured(read["text"])[read["line"] - 1 : read["end_line"]]


def _plain(read: dict[str, Any]) -> tuple[Any, ...]:
    """Returns the lines of a document as HTML; their words are no names of a design."""
    return tuple(visible(line) for line in read["lines"])


def _units(site: Site, path: str) -> list[dict[str, Any]]:
    """Returns the units that a file defines."""
    if path not in site.project.manifest().files:
        return []  # a document or a project file
    found = site.project.show(path)["definitions"]
    return list(found[0].get("units") or []) if found else []
