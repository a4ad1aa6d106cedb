"""The views that answer in words: the box, ranked files, the answer."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from hdlgraph.serve.web import render
from hdlgraph.serve.web.checking import from_query
from hdlgraph.serve.web.requests import Ask, Asked, Search
from hdlgraph.serve.web.stream import streamed

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hdlgraph.results import Answer
    from hdlgraph.serve.web.site import Site

Fields = dict[str, str]
RECENT = 6
"""Conversations on the first page."""


def home(site: Site, request: Request, _: Fields) -> Response:
    """Shows the box, and where to begin."""
    manifest = site.project.manifest()
    counts: dict[str, int] = {}
    for entry in manifest.files.values():
        counts[entry.role] = counts.get(entry.role, 0) + 1
    tops = site.project.level("", 0, 6)
    return site.page(
        request,
        "home.html",
        files=len(manifest.files),
        counts=sorted(counts.items(), key=lambda one: (-one[1], one[0])),
        tops=tops["entries"],
        talks=site.project.threads().listed()[:RECENT],
        notes=tops["notes"],
    )


def search(site: Site, request: Request, _: Fields) -> Response:
    """Shows the files that answer a question; the answer itself comes after them."""
    if not request.query_params.get("q", "").strip():
        return home(site, request, {})
    return _results(site, request, from_query(Search, request), None, time.perf_counter())


def ask(site: Site, request: Request, _: Fields) -> Response:
    """Shows the answer with the files, all at once: the page without JavaScript."""
    asked = from_query(Ask, request)
    started = time.perf_counter()
    answer = site.project.ask(asked.q, writer=asked.writer, **asked.options())
    return _results(site, request, asked, answer, started)


def _results(
    site: Site, request: Request, asked: Asked, answer: Answer | None, started: float
) -> Response:
    result = site.project.search(asked.q, **asked.options())
    seconds = time.perf_counter() - started
    known = sorted({entry.role for entry in site.project.manifest().files.values()} - {""})
    found = site.page(
        request,
        "results.html",
        q=asked.q,
        roles=asked.role,
        k=asked.k or 10,
        known=known,
        result=result,
        tips=site.project.mark_tips(asked.q),
        answer=answer,
        blocks=render.blocks(answer) if answer else [],
        model=site.project.settings.llm.provider != "none",
        seconds=seconds,
    )
    found.headers["server-timing"] = f"search;dur={seconds * 1000:.1f}"
    return found


async def answer(site: Site, request: Request) -> Response:
    """Streams the answer to a question: its text as it comes, at the end its HTML."""
    from hdlgraph.errors import UsageError

    try:
        asked = from_query(Ask, request)
    except UsageError as error:
        return site.wrong(request, error)

    def work(on_text: Any) -> str:
        found = site.project.ask(asked.q, writer=asked.writer, on_text=on_text, **asked.options())
        return answer_html(site, request, found)

    return streamed(site, request, work)


def answer_html(site: Site, request: Request, found: Answer) -> str:
    """Returns the HTML of an answer."""
    return site.html(
        request, "answer.html", answer=found, blocks=render.blocks(found), q=found.question
    )
