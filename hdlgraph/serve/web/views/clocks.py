"""The views of clocks: clock and reset trees, and data that crosses from one clock to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hdlgraph.errors import UsageError
from hdlgraph.serve.web.checking import from_query
from hdlgraph.serve.web.requests import Clocks, Crossings
from hdlgraph.serve.web.views.design import units_called, which

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hdlgraph.serve.web.site import Site

Fields = dict[str, str]
TOPS = 6
"""Tops that are offered where no unit is named."""
SEEN = {
    "none": "nothing seen",
    "handshake": "a synchronised signal decides",
    "fifo": "a memory of both clocks",
    "synchroniser": "synchroniser",
}
"""What may be in the way of a crossing, in words."""
KINDS = {
    "port": "port of the module",
    "register": "made by a register",
    "mux": "chosen by a multiplexer",
    "logic": "made by logic",
    "unknown": "output of a unit that is not here",
    "constant": "constant",
    "open": "nothing drives it",
}
"""Where a clock or a reset begins, in words."""
RELATIONS = {"": "", "muxed": "one is chosen from the other", "derived": "made of the same clocks"}


def clocks(site: Site, request: Request, _: Fields) -> Response:
    """Shows the clocks or the resets below a unit, from where they begin to their registers."""
    if not request.query_params.get("unit", "").strip():
        return _choose(site, request, "Clocks", "where clocks begin and what hangs on them")
    asked = from_query(Clocks, request)
    try:
        found = site.project.clock_tree(asked.unit, asked.resets, asked.limit)
    except UsageError as error:
        return _several(site, request, asked.unit, error)
    return site.page(request, "clocks.html", found=found, asked=asked, kinds=KINDS)


def crossings(site: Site, request: Request, _: Fields) -> Response:
    """Shows the pairs of clocks that data crosses below a unit, then each crossing."""
    if not request.query_params.get("unit", "").strip():
        return _choose(site, request, "Clock crossings", "data that crosses clocks")
    asked = from_query(Crossings, request)
    try:
        found = site.project.crossings(asked.unit, asked.kind, asked.limit)
    except UsageError as error:
        return _several(site, request, asked.unit, error)
    words: dict[str, Any] = {"seen": SEEN, "relations": RELATIONS}
    return site.page(request, "crossings.html", found=found, asked=asked, **words)


def _choose(site: Site, request: Request, title: str, shows: str) -> Response:
    """Shows a box for a unit, and the largest tops to choose from."""
    tops = site.project.level("", 0, TOPS)["entries"]
    offered = [
        {"id": one["unit_id"], "name": one["name"], "path": one["path"], "line": one["line"]}
        for one in tops
    ]
    return which(site, request, title, f"a unit, {shows} below it", "unit", offered)


def _several(site: Site, request: Request, name: str, error: UsageError) -> Response:
    """Shows the units of a name to choose from.

    Raises:
        UsageError: there are not several of them; as given.
    """
    offered = units_called(site, name)
    if len(offered) < 2:
        raise error
    return which(site, request, f"{len(offered)} units are called {name}", "", "unit", offered)
