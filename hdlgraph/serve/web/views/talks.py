"""The views of what a user keeps: conversations, judgements; and the login."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hdlgraph.errors import UsageError
from hdlgraph.serve.web import render
from hdlgraph.serve.web.checking import checked
from hdlgraph.serve.web.requests import Judge
from hdlgraph.serve.web.site import own_form
from hdlgraph.serve.web.stream import streamed

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hdlgraph.serve.web.site import Site

Fields = dict[str, str]
LONGEST = 4000
"""Characters of a question."""


def listed(site: Site, request: Request, _: Fields) -> Response:
    """Lists the conversations."""
    return site.page(request, "threads.html", talks=site.project.threads().listed())


def conversation(site: Site, request: Request, _: Fields) -> Response:
    """Shows a conversation."""
    talk, turns = site.project.threads().turns(request.path_params["id"])
    return site.page(
        request,
        "thread.html",
        talk=talk,
        turns=[(turn, render.blocks(turn.answer)) for turn in turns],
    )


def begin(site: Site, request: Request, fields: Fields) -> Response:  # noqa: ARG001
    """Begins a conversation with a question, and shows it with its answer."""
    text = _text(fields)
    name = site.project.threads().begin(text)
    try:
        site.project.go_on(name, text)
    except Exception:
        site.project.threads().forget(name)  # nothing was said in it
        raise
    return _to(f"/threads/{name}")


def forget(site: Site, request: Request, _: Fields) -> Response:
    """Removes a conversation."""
    site.project.threads().forget(request.path_params["id"])
    return _to("/threads")


async def go_on(site: Site, request: Request) -> Response:
    """Answers the next question: as a stream for the page, else by showing the page again."""
    from starlette.responses import Response

    from hdlgraph.errors import HdlgraphError
    from hdlgraph.serve.web.work import Busy, Gone

    thread = request.path_params["id"]
    try:
        fields = await own_form(site, request)
        text = _text(fields)
    except UsageError as error:
        return site.wrong(request, error)
    if "text/event-stream" not in request.headers.get("accept", ""):
        try:
            turn = await site.long.run(request, site.project.go_on, thread, text)
        except Gone:
            return Response(status_code=499)
        except (Busy, HdlgraphError) as error:
            return site.wrong(request, error)
        return _to(f"/threads/{thread}#turn-{turn.number}")

    def work(on_text: Any) -> str:
        turn = site.project.go_on(thread, text, on_text)
        return site.html(request, "turn.html", turn=turn, blocks=render.blocks(turn.answer))

    return streamed(site, request, work)


def judge(site: Site, request: Request, fields: Fields) -> Response:
    """Keeps a judgement of a file."""
    from starlette.responses import JSONResponse

    asked = checked(Judge, fields)
    kept = site.project.judge(asked.q, asked.path, asked.verdict, asked.note)
    if "text/html" in request.headers.get("accept", ""):
        return _to("/feedback")
    return JSONResponse(kept)


def judged(site: Site, request: Request, _: Fields) -> Response:
    """Lists the judgements."""
    kept = site.project.judgements()
    return site.page(request, "feedback.html", judged=kept.listed()[:500], path=str(kept.path))


def exported(site: Site, request: Request, _: Fields) -> Response:  # noqa: ARG001
    """Returns the judgements as a question set."""
    from starlette.responses import Response

    headers = {"content-disposition": 'attachment; filename="questions.jsonl"'}
    return Response(
        site.project.judgements().exported(), media_type="application/jsonl", headers=headers
    )


def login(site: Site, request: Request, _: Fields) -> Response:
    """Shows where the token is entered."""
    if not site.sessions.locked:
        return _to("/")
    return site.page(request, "login.html", to=_own(request.query_params.get("to", "/")), bad=False)


async def enter(site: Site, request: Request) -> Response:
    """Begins a session where the token is right."""
    from urllib.parse import parse_qsl

    try:
        body = (await request.body()).decode("utf-8", "replace")
        fields = dict(parse_qsl(body, max_num_fields=10))
    except ValueError:
        fields = {}
    target = _own(fields.get("to", "/"))
    if not site.sessions.opens(fields.get("token", "")):
        return site.page(request, "login.html", 401, to=target, bad=True)
    answer = _to(target)
    answer.headers["set-cookie"] = site.sessions.set_cookie(site.sessions.begin())
    return answer


def leave(site: Site, request: Request, _: Fields) -> Response:  # noqa: ARG001
    """Ends the session in this browser."""
    answer = _to("/login")
    answer.headers["set-cookie"] = f"{site.sessions.cookie}=; Path=/; Max-Age=0"
    return answer


def _text(fields: Fields) -> str:
    text = fields.get("q", "").strip()
    if not text or len(text) > LONGEST:
        raise UsageError(f"the question has {len(text)} characters: ask with 1 to {LONGEST}")
    return text


def _own(target: str) -> str:
    """Returns an address of this site, the first page for any other."""
    plain = target.isprintable() and "\\" not in target
    return target if plain and target.startswith("/") and not target.startswith("//") else "/"


def _to(target: str) -> Response:
    from starlette.responses import RedirectResponse

    return RedirectResponse(target, 303, {"cache-control": "no-store"})
