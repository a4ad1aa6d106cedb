"""The application: which view answers which address."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from hdlgraph.serve.web import asking, source
from hdlgraph.serve.web.access import Secured
from hdlgraph.serve.web.site import Site, get, post

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hdlgraph.serve.http.guard import App


def application(site: Site) -> App:
    """Returns the ASGI application of a site, to be put behind a `Guard`."""
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException

    async def unknown(request: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", 500)
        words = {404: "there is no such page", 405: "this address takes another method"}
        return _problem(site, request, status, words.get(status, "this cannot be answered"))

    async def failed(request: Request, error: Exception) -> Response:  # noqa: ARG001
        words = "something went wrong here; `hdlgraph doctor` may tell what"
        return _problem(site, request, 500, words)

    handlers: dict[Any, Any] = {HTTPException: unknown, Exception: failed}
    app = Starlette(routes=_routes(site), exception_handlers=handlers)
    return Secured(app, site.sessions)


def _routes(site: Site) -> list[Any]:
    from starlette.routing import Route

    async def answer(request: Request) -> Response:
        return await asking.answer(site, request)

    return [
        Route("/", get(site, asking.home)),
        Route("/search", get(site, asking.search)),
        Route("/ask", get(site, asking.ask, site.long)),
        Route("/answer", answer),
        Route("/file/{path:path}", get(site, source.file)),
        Route("/static/{name}", static),
    ]


async def static(request: Request) -> Response:
    """Returns a file of the page."""
    from starlette.exceptions import HTTPException
    from starlette.responses import Response

    from hdlgraph.serve.web import vendor

    found = vendor.asset(request.path_params["name"])
    if found is None:
        raise HTTPException(404)
    fresh = "v" in request.query_params
    age = "public, max-age=31536000, immutable" if fresh else "no-cache"
    headers = {"cache-control": age, "etag": found.etag}
    if request.headers.get("if-none-match") == found.etag:
        return Response(status_code=304, headers=headers)
    return Response(found.body, media_type=found.type, headers=headers)


def _problem(site: Site, request: Request, status: int, message: str) -> Response:
    from starlette.responses import JSONResponse

    if request.url.path.startswith("/api/"):
        return JSONResponse({"schema": 1, "error": message}, status)
    return site.page(request, "error.html", status, message=message, code=status)
