"""The views of the hardware itself: a signal's trace, state machines, registers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hdlgraph.serve.web.checking import from_query
from hdlgraph.serve.web.requests import Machines, Registers, Trace
from hdlgraph.serve.web.views.design import definitions, which

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hdlgraph.serve.web.site import Site

Fields = dict[str, str]
TITLES = {"drivers": "Driven by", "loads": "Goes into"}
"""Headings of the two halves of a trace."""


def trace(site: Site, request: Request, _: Fields) -> Response:
    """Shows what drives a signal and what it goes into, net by net."""
    if not request.query_params.get("name", "").strip():
        return which(site, request, "Trace of a signal", "what drives it, what it goes into")
    asked = from_query(Trace, request)
    found = site.project.trace(asked.name, asked.directions(), asked.depth, asked.limit)
    card = _card(site, found["signal"])
    return site.page(request, "trace.html", found=found, asked=asked, titles=TITLES, card=card)


def _card(site: Site, signal: str) -> dict[str, Any] | None:
    """Returns the node of a signal, None for a part of one, which has no card of its own."""
    cards = definitions(site, signal)
    return next((one for one in cards if one["kind"] in ("signal", "port")), None)


def machines(site: Site, request: Request, _: Fields) -> Response:
    """Shows the state machines of a unit: states, then each transition with its condition."""
    if not request.query_params.get("unit", "").strip():
        return which(site, request, "State machines", "of a unit, state by state", "unit")
    asked = from_query(Machines, request)
    found = site.project.fsm(asked.unit)
    name = asked.unit.rpartition("#")[2]
    return site.page(request, "machines.html", found=found, name=name)


def registers(site: Site, request: Request, _: Fields) -> Response:
    """Shows registers and fields with the RTL behind them; without a name all blocks."""
    asked = from_query(Registers, request)
    found = site.project.registers(asked.name, asked.limit)
    return site.page(request, "registers.html", found=found, asked=asked)
