"""The application: which view answers which address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hdlgraph.serve.web import api
from hdlgraph.serve.web.access import Secured
from hdlgraph.serve.web.site import Site, get, post
from hdlgraph.serve.web.views import (
    asking,
    clocks,
    design,
    findings,
    hardware,
    names,
    several,
    source,
    talks,
    whole,
)

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hdlgraph.serve.http.guard import App
    from hdlgraph.serve.web.work import Lane


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
    app = Starlette(routes=routes(site), exception_handlers=handlers)
    return Secured(app, site.sessions)


def routes(site: Site) -> list[Any]:
    """Returns which view answers which address."""
    from starlette.routing import Route

    def to(view: Any) -> Any:
        async def endpoint(request: Request) -> Response:
            return await view(site, request)

        return endpoint

    def form(path: str, view: Any, lane: Lane | None = None) -> Route:
        return Route(path, post(site, view, lane), methods=["POST"])

    return [
        Route("/", get(site, asking.home)),
        Route("/search", get(site, asking.search)),
        Route("/ask", get(site, asking.ask, site.long)),
        Route("/answer", to(asking.answer)),
        Route("/file/{path:path}", get(site, source.file)),
        *_design(site),
        *_hardware(site),
        *_pictures(site),
        Route("/overview", get(site, whole.overview, site.long)),
        Route("/workspace", get(site, several.search, site.long)),
        Route("/threads", get(site, talks.listed)),
        form("/threads", talks.begin, site.long),
        Route("/threads/{id}", get(site, talks.conversation)),
        Route("/threads/{id}", to(talks.go_on), methods=["POST"]),
        form("/threads/{id}/forget", talks.forget),
        form("/judge", talks.judge),
        Route("/feedback", get(site, talks.judged)),
        Route("/feedback/questions.jsonl", get(site, talks.exported)),
        Route("/status", get(site, whole.status)),
        Route("/help", get(site, whole.help)),
        Route("/licences", get(site, whole.licences)),
        Route("/login", get(site, talks.login)),
        Route("/login", to(talks.enter), methods=["POST"]),
        form("/logout", talks.leave),
        Route("/static/{name}", static),
        *_interface(site),
    ]


def _pictures(site: Site) -> list[Any]:
    from starlette.routing import Route

    return [
        Route("/graph", get(site, design.around)),
        Route("/picture", get(site, design.picture, site.long)),
        Route("/drawing", get(site, design.drawing, site.long)),
    ]


def _design(site: Site) -> list[Any]:
    from starlette.routing import Route

    return [
        Route("/show", get(site, design.show)),
        Route("/tree", get(site, design.tree)),
        Route("/tree/level", get(site, design.level)),
        Route("/path", get(site, design.path, site.long)),
        Route("/who", get(site, names.who)),
        Route("/impact", get(site, names.impact, site.long)),
        Route("/unused", get(site, findings.unused, site.long)),
        Route("/testbench", get(site, findings.testbench, site.long)),
    ]


def _hardware(site: Site) -> list[Any]:
    from starlette.routing import Route

    return [
        Route("/trace", get(site, hardware.trace)),
        Route("/machines", get(site, hardware.machines)),
        Route("/registers", get(site, hardware.registers)),
        Route("/reach", get(site, findings.reach, site.long)),
        Route("/clocks", get(site, clocks.clocks, site.long)),
        Route("/crossings", get(site, clocks.crossings, site.long)),
    ]


def _interface(site: Site) -> list[Any]:
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    async def document(request: Request) -> Response:  # noqa: ARG001
        return JSONResponse(api.openapi())

    return [
        Route(f"{api.BASE}/openapi.json", document),
        *(
            Route(
                f"{api.BASE}/{call.name}",
                api.endpoint(site, call),
                methods=["POST"] if call.changes else ["GET", "POST"],
            )
            for call in api.CALLS
        ),
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
