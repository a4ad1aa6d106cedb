"""The view of several repositories: their files for a question, each with its repository."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from hdlgraph.serve.web.checking import from_query
from hdlgraph.serve.web.requests import Search

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hdlgraph.serve.web.site import Site


def search(site: Site, request: Request, _: dict[str, str]) -> Response:
    """Shows the files of all repositories that answer a question, and the repositories."""
    workspace = site.whole()
    started = time.perf_counter()
    result, asked = None, None
    if request.query_params.get("q", "").strip():
        asked = from_query(Search, request)
        result = workspace.search(asked.q, **asked.options())
    return site.page(
        request,
        "workspace.html",
        q=asked.q if asked else "",
        result=result,
        entries=workspace.members.entries.values(),
        own=workspace.of(site.project.folder),
        seconds=time.perf_counter() - started,
    )
