"""The views of unused declarations, testbenches and addresses."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from hdlgraph.query.unused.records import KINDS
from hdlgraph.serve.web.checking import from_query
from hdlgraph.serve.web.requests import Reach, Testbench, Unused
from hdlgraph.serve.web.views.design import definitions

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hdlgraph.serve.web.site import Site

Fields = dict[str, str]
TRACED = ("undriven", "undriven_output", "unread", "unused", "unread_input", "open_input")
"""Kinds of unused things that are signals."""

ANSWERS = 50
"""Blocks that are shown of those that answer."""
UNNAMED = "at line "
"""Begins what stands for the name of a region that has none."""


def unused(site: Site, request: Request, _: Fields) -> Response:
    """Shows what is declared and not used, counted by kind and folder, then one by one."""
    asked = from_query(Unused, request)
    found = site.project.unused(asked.name, asked.kind, asked.limit, asked.deliberate, asked.tests)
    return site.page(request, "unused.html", found=found, asked=asked, kinds=KINDS, traced=TRACED)


def testbench(site: Site, request: Request, _: Fields) -> Response:
    """Shows what exercises a unit, what a test or class is, or all testbenches."""
    asked = from_query(Testbench, request)
    found = site.project.testbench(asked.name, asked.limit)

    @cache
    def known(name: str) -> bool:
        return bool(definitions(site, name))

    return site.page(request, "testbench.html", found=found, asked=asked, known=known)


def reach(site: Site, request: Request, _: Fields) -> Response:
    """Shows which block answers at an address and who reaches it; without a name all blocks."""
    if not request.query_params.get("name", "").strip():
        regions = [one for one in site.project.regions() if not one.startswith(UNNAMED)]
        return site.page(request, "reach.html", found=None, regions=regions, name="")
    asked = from_query(Reach, request)
    found = site.project.reach(asked.name)
    answers = found["answers"][:ANSWERS]
    units = {one["block"] for one in answers} | {
        host["unit"] for one in answers for host in one["hosts"] or ()
    }
    cards = {name for name in units if name and definitions(site, name)}
    return site.page(request, "reach.html", found=found, cards=cards, name=asked.name)
