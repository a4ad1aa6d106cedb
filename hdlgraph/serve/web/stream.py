"""Answers that come piece by piece: server-sent events."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING

from hdlgraph.errors import HdlgraphError
from hdlgraph.serve.web.work import Busy

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hdlgraph.serve.web.site import Site

SILENT = 15.0
"""Seconds after which something is sent, so that nobody between cuts the connection."""


class Left(Exception):
    """The client does not read the stream any more."""


def streamed(
    site: Site, request: Request, work: Callable[[Callable[[str], None]], str]
) -> Response:
    """Returns a stream of the events `text` (pieces), then `done` (HTML) or `error`.

    Args:
        site: whose long lane does the work.
        request: what is answered.
        work: called in a thread with what takes the pieces; returns the HTML at the end.
    """
    from starlette.responses import StreamingResponse

    loop = asyncio.get_running_loop()
    events: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
    left = threading.Event()

    def put(kind: str, text: str) -> None:
        if left.is_set():
            raise Left
        loop.call_soon_threadsafe(events.put_nowait, (kind, text))

    def whole() -> None:
        try:
            put("done", work(lambda text: put("text", text)))
        except Left:
            return
        except HdlgraphError as error:
            _last(put, str(error))
        except Exception:
            _last(put, "something went wrong here; `hdlgraph doctor` may tell what")
            raise

    try:
        running = site.long.start(whole)
    except Busy as error:
        return site.wrong(request, error)

    async def sent() -> AsyncIterator[bytes]:
        try:
            while True:
                try:
                    kind, text = await asyncio.wait_for(events.get(), SILENT)
                except TimeoutError:
                    yield b": waiting\n\n"
                    continue
                yield f"event: {kind}\ndata: {json.dumps(text)}\n\n".encode()
                if kind in ("done", "error"):
                    return
        finally:
            left.set()
            running.cancel()

    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(sent(), media_type="text/event-stream", headers=headers)


def _last(put: Callable[[str, str], None], message: str) -> None:
    try:
        put("error", message)
    except Left:
        return
