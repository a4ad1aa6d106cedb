"""What the views share: the project, places for work, sessions; and how they answer errors."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from hdlgraph.errors import (
    HdlgraphError,
    IndexDamagedError,
    IndexLockedError,
    IndexMissingError,
    UsageError,
)
from hdlgraph.project.design import UNKNOWN
from hdlgraph.serve.web import render
from hdlgraph.serve.web.access import Sessions
from hdlgraph.serve.web.work import Busy, Gone, Lane

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hdlgraph.project.resident import Resident
    from hdlgraph.project.workspace import Workspace
    from hdlgraph.serve.http.address import Address

NO_WORKSPACE = "this server has no workspace; start it with `hdlgraph serve --workspace FILE`"
NOT_THERE = (
    NO_WORKSPACE,
    UNKNOWN,
    "is no file of the index",
    "there is none of that name",
    "no block, register, field or unit",
    "no description of registers",
    "no unit, class, test, key or DPI function",
    "no unit, file or folder of the index",
)
"""Words of errors that say that something does not exist."""
WAITING = 64, 16
"""Requests that wait at most, of those that are quick and of those that take long."""
FIELDS = 50
"""Most fields of a form."""
LEFT = 499
"""Status of an answer that nobody waits for any more."""

View = Callable[["Site", "Request", dict[str, str]], "Response"]
"""Makes the answer to a request; called in a thread, with the fields of a form."""


class Site:
    """One project as a page.

    Args:
        project: whose index is shown.
        address: of the server.
        workspace: further repositories that are asked together with it, None for none.
    """

    def __init__(
        self, project: Resident, address: Address, workspace: Workspace | None = None
    ) -> None:
        self.project = project
        self.workspace = workspace
        self.sessions = Sessions(address)
        self.quick = Lane(project.at_once, WAITING[0], "quick")
        # A model's client tells of its last call: one answer at a time.
        modelled = project.settings.llm.provider != "none"
        self.long = Lane(1 if modelled else 2, WAITING[1], "long")

    def whole(self) -> Workspace:
        """Returns the workspace of the server.

        Raises:
            UsageError: it has none.
        """
        if self.workspace is None:
            raise UsageError(NO_WORKSPACE)
        return self.workspace

    def warm(self) -> None:
        """Loads what the first pages would have to wait for."""
        from hdlgraph.serve.web import highlight, vendor

        self.project.warm()
        templates = render.environment()
        for name in templates.list_templates():
            templates.get_template(name)
        for name in (*vendor.OWN, "d3.js"):
            vendor.asset(name)
        highlight.coloured("module m;\nendmodule\n")
        self.project.threads().listed()

    def page(self, request: Request, template: str, status: int = 200, **values: Any) -> Response:
        """Returns a page made of a template."""
        from starlette.responses import HTMLResponse

        html = self.html(request, template, **values)
        return HTMLResponse(html, status, {"cache-control": "no-store"})

    def html(self, request: Request, template: str, **values: Any) -> str:
        """Returns the HTML of a template, with what every page needs."""
        session = request.scope.get("hdlgraph.session", "")
        common = {
            "repository": self.project.root.name or str(self.project.root),
            "csrf": self.sessions.form_token(session) if session else "",
            "here": request.url.path,
            "q": "",
            "roles": (),
            "locked": self.sessions.locked,
            "has_page": self.project.has_page,
            "workspace": self.workspace.names if self.workspace else [],
        }
        return render.page(template, **(common | values))

    def wrong(self, request: Request, error: Exception) -> Response:
        """Returns the page, or the JSON object, that tells an error."""
        from starlette.responses import JSONResponse

        status, message, headers = told(error)
        wants = request.headers.get("accept", "")
        if request.url.path.startswith("/api/") or "text/html" not in wants:
            body = {"schema": 1, "error": message}
            return JSONResponse(body, status, {**headers, "cache-control": "no-store"})
        given = request.query_params
        name = (given.get("name") or given.get("unit") or "")[:500] if status == 404 else ""
        answer = self.page(request, "error.html", status, message=message, code=status, name=name)
        answer.headers.update(headers)
        return answer

    def close(self) -> None:
        """Ends the threads."""
        self.quick.close()
        self.long.close()


def told(error: Exception) -> tuple[int, str, dict[str, str]]:
    """Returns the status, the message and further headers that tell an error."""
    if isinstance(error, Busy):
        return 503, str(error), {"retry-after": str(error.seconds)}
    if isinstance(error, (IndexMissingError, IndexDamagedError, IndexLockedError)):
        return 503, str(error), {"retry-after": "10"}
    if isinstance(error, UsageError):
        return (404 if any(words in str(error) for words in NOT_THERE) else 400), str(error), {}
    if isinstance(error, HdlgraphError):
        return 502, str(error), {}
    return 500, "something went wrong here; `hdlgraph doctor` may tell what", {}


def get(site: Site, view: View, lane: Lane | None = None) -> Callable[[Request], Awaitable[Any]]:
    """Returns the endpoint of a view that only shows."""

    async def endpoint(request: Request) -> Response:
        return await answered(site, request, view, {}, lane or site.quick)

    return endpoint


def post(site: Site, view: View, lane: Lane | None = None) -> Callable[[Request], Awaitable[Any]]:
    """Returns the endpoint of a view that changes something: only forms of our own pages do."""

    async def endpoint(request: Request) -> Response:
        try:
            fields = await own_form(site, request)
        except UsageError as error:
            return site.page(request, "error.html", 403, message=str(error), code=403)
        return await answered(site, request, view, fields, lane or site.quick)

    return endpoint


async def own_form(site: Site, request: Request) -> dict[str, str]:
    """Returns the fields of a form, which must come from a page of the request's session.

    Raises:
        UsageError: it does not, or it is no form.
    """
    body = (await request.body()).decode("utf-8", "replace")
    try:
        fields = dict(parse_qsl(body, keep_blank_values=True, max_num_fields=FIELDS))
    except ValueError as error:
        raise UsageError("the form has too many fields") from error
    token = request.headers.get("x-csrf", "") or fields.pop("csrf", "")
    if not site.sessions.own_form(request.scope.get("hdlgraph.session", ""), token):
        raise UsageError("this form is out of date: go back, load the page again, and repeat")
    return fields


async def answered(
    site: Site, request: Request, view: View, fields: dict[str, str], lane: Lane
) -> Response:
    """Returns the answer of a view, made in a thread; errors become pages."""
    from starlette.responses import Response

    try:
        return await lane.run(request, view, site, request, fields)
    except Gone:
        return Response(status_code=LEFT)
    except (Busy, HdlgraphError) as error:
        return site.wrong(request, error)
