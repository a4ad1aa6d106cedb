"""The views of the whole: the overview map, the state of the index, help, licences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hdlgraph.serve.web import vendor
from hdlgraph.serve.web.checking import from_query
from hdlgraph.serve.web.requests import Overview

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hdlgraph.serve.web.site import Site

Fields = dict[str, str]
PARTS = {"design": "The design", "vendored": "Taken from elsewhere", "tests": "Its tests"}
"""Headings of the parts of an overview."""
WRONG = 100
"""Syntax errors that the state of the index lists."""
UNITS = 6
"""Units listed of a group on the map."""


def overview(site: Site, request: Request, _: Fields) -> Response:
    """Shows the groups of files that belong together, and what joins them."""
    from hdlgraph.query.overview.overview import part_of

    asked = from_query(Overview, request)
    found = site.project.overview(asked.level)
    groups = [
        {
            "id": one.community,
            "level": one.level,
            "parent": one.parent,
            "title": one.title,
            "purpose": one.purpose,
            "files": one.files,
            "units": one.units,
            "part": part_of(one),
            "top": [
                {"kind": unit.kind, "name": unit.name, "path": unit.path, "line": unit.line}
                for unit in one.top_units[:UNITS]
            ],
            "joins": [_join(join) for join in one.connections],
        }
        for one in found.communities
    ]
    return site.page(
        request,
        "overview.html",
        found=found,
        groups=groups,
        parts=PARTS,
        shown=[one for one in groups if one["level"] == 0],
    )


def _join(join: Any) -> dict[str, Any]:
    return {
        "to": join.community,
        "title": join.title,
        "count": sum(join.counts.values()),
        "words": ", ".join(f"{n} {kind.replace('_', ' ')}" for kind, n in join.counts.items()),
        "examples": [
            {"text": one.text, "path": one.path, "line": one.line} for one in join.examples[:2]
        ],
    }


def status(site: Site, request: Request, _: Fields) -> Response:
    """Shows the state of the index."""
    state = site.project.status()
    wrong = site.project.syntax_errors(WRONG) if state.get("syntax_errors") else None
    return site.page(request, "status.html", state=state, wrong=wrong)


def help(site: Site, request: Request, _: Fields) -> Response:
    """Shows how the page is used."""
    return site.page(request, "help.html")


def licences(site: Site, request: Request, _: Fields) -> Response:
    """Shows the licences of what others wrote and the page uses."""
    return site.page(request, "licences.html", licences=vendor.licences())
