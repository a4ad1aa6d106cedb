"""The views of the design's graph: the card of a name, the hierarchy, what stands around a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from hdlgraph.errors import UsageError
from hdlgraph.serve.web import render
from hdlgraph.serve.web.checking import from_query
from hdlgraph.serve.web.requests import Level, Neighbours, Picture, Show, Walk

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hdlgraph.serve.web.site import Site

Fields = dict[str, str]
TOPS_OF = ("module", "interface", "program")
"""Kinds of units that have instances."""
CARDS = 20
"""Definitions of one name that are shown as cards; the others are listed."""


def show(site: Site, request: Request, _: Fields) -> Response:
    """Shows everything known of a name."""
    if not request.query_params.get("name", "").strip():
        return which(site, request, "Card of a name", "ports, parameters, instances, users")
    asked = from_query(Show, request)
    found = site.project.show(asked.name)
    explanations = site.project.explanations()
    cards = [{**one, "explanation": explanations.get(one["path"])} for one in found["definitions"]]
    return site.page(
        request,
        "show.html",
        q="",
        name=found["definitions"][0]["name"] if found["total"] == 1 else asked.name,
        cards=cards[:CARDS],
        others=cards[CARDS:],
        total=found["total"],
        notes=found["notes"],
    )


def tree(site: Site, request: Request, _: Fields) -> Response:
    """Shows one level of the hierarchy; the next ones open in the page."""
    return site.page(request, "tree.html", **_level(site, request))


def level(site: Site, request: Request, _: Fields) -> Response:
    """Returns a level as a part of the page."""
    return site.page(request, "level.html", **_level(site, request))


def _level(site: Site, request: Request) -> dict[str, Any]:
    asked = from_query(Level, request)
    found = site.project.level(asked.unit, asked.start, asked.limit, asked.cells)
    return {"found": found, "asked": asked, "after": asked.start + len(found["entries"])}


def around(site: Site, request: Request, _: Fields) -> Response:
    """Shows what a name is joined to, as a graph and as a list."""
    if not request.query_params.get("name", "").strip():
        return which(site, request, "Around a name", "left who uses it, right what it uses")
    asked = from_query(Neighbours, request)
    found = site.project.neighbours(asked.name, asked.relation, asked.role, asked.limit)
    return site.page(
        request,
        "graph.html",
        found=found,
        asked=asked,
        names={one["id"]: one["name"] for one in [found["centre"], *found["nodes"]]},
        known=sorted({entry.role for entry in site.project.manifest().files.values()} - {""}),
    )


def picture(site: Site, request: Request, _: Fields) -> Response:
    """Shows the block diagram of a unit."""
    asked = from_query(Picture, request)
    found = site.project.picture(asked.unit)
    # It escapes what comes from the sources.
    drawn = Markup(site.project.picture_element(found, render.card_url))
    return site.page(request, "picture.html", found=found, unit=asked.unit, drawn=drawn)


def drawing(site: Site, request: Request, _: Fields) -> Response:
    """Returns the block diagram of a unit as an image."""
    from io import BytesIO

    from starlette.responses import Response

    asked = from_query(Picture, request)
    image = BytesIO()
    site.project.export_picture("svg", image, asked.unit)
    # To be saved: alone in a window its style would be refused, as inline styles are.
    headers = {
        "content-disposition": "attachment; filename=picture.svg",
        "cache-control": "no-store",
    }
    return Response(image.getvalue(), media_type="image/svg+xml", headers=headers)


def path(site: Site, request: Request, _: Fields) -> Response:
    """Shows how two names are connected."""
    if not request.query_params.get("source") or not request.query_params.get("target"):
        given = request.query_params.get("source", "")[:500]
        return site.page(request, "path.html", found=None, source=given, target="")
    asked = from_query(Walk, request)
    found = site.project.path(asked.source, asked.target, asked.limit)
    return site.page(request, "path.html", found=found, source=asked.source, target=asked.target)


def which(
    site: Site,
    request: Request,
    title: str,
    shows: str,
    parameter: str = "name",
    offered: Sequence[Mapping[str, Any]] = (),
) -> Response:
    """Shows a box for the name that a view was asked without, and names to choose from."""
    words: dict[str, Any] = {"title": title, "shows": shows, "parameter": parameter}
    return site.page(request, "which.html", **words, offered=offered)


def units_called(site: Site, name: str) -> list[dict[str, Any]]:
    """Returns the modules, interfaces and programs of a name: id, name and place of each."""
    return [one for one in definitions(site, name) if one["kind"] in TOPS_OF and one["path"]]


def definitions(site: Site, name: str) -> list[dict[str, Any]]:
    """Returns the definitions of a name, none where the index does not know it."""
    try:
        return list(site.project.show(name)["definitions"])
    except UsageError:
        return []
