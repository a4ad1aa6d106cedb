"""The views of a name's users, and of what a change of it may affect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hdlgraph.serve.web.checking import from_query
from hdlgraph.serve.web.requests import Impact, Who
from hdlgraph.serve.web.views.design import which

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hdlgraph.serve.web.site import Site

Fields = dict[str, str]
OF_NETS = {
    "drives": "what drives it",
    "reads": "what reads it",
    "is driven by": "what it drives",
    "connects to": "what connects to it",
}
"""Headings of users of a net, whose words alone say no direction."""
NETS = ("CONNECTS", "DRIVES", "READS")


def who(site: Site, request: Request, _: Fields) -> Response:
    """Shows every place that uses a name, by what it does to it."""
    if not request.query_params.get("name", "").strip():
        return which(site, request, "Who uses a name", "every place that uses it")
    asked = from_query(Who, request)
    found = site.project.who(asked.name, asked.limit)
    groups: dict[str, list[dict[str, Any]]] = {}
    for user in found["users"]:
        groups.setdefault(_heading(user), []).append(user)
    return site.page(
        request, "who.html", found=found, asked=asked, groups=groups, title=_title(found["targets"])
    )


def impact(site: Site, request: Request, _: Fields) -> Response:
    """Shows what may be affected when a name changes, by its distance."""
    if not request.query_params.get("name", "").strip():
        return which(site, request, "What a change affects", "its users, their users, and so on")
    asked = from_query(Impact, request)
    found = site.project.impact(asked.name, asked.depth, asked.limit)
    listed = sum(len(level["users"]) for level in found["levels"])
    return site.page(
        request,
        "impact.html",
        found=found,
        asked=asked,
        listed=listed,
        title=_title(found["changed"]),
    )


def _heading(user: dict[str, Any]) -> str:
    """Returns what stands above users of one kind."""
    words = str(user["words"])
    return OF_NETS.get(words, words) if user["kind"] in NETS else words


def _title(targets: list[dict[str, Any]]) -> str:
    """Returns the name of what a page is about, which may have been asked by its id."""
    return str(targets[0]["name"]) if targets else ""
