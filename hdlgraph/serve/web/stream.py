"""Answers that come piece by piece: server-sent events."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from hdlgraph.errors import HdlgraphError
from hdlgraph.serve.web.work import Busy

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hdlgraph.serve.web.site import Site

SILENT = 15.0
"""Seconds after which something is sent, so that nobody between cuts the connection."""
WAITING = b": waiting\n\n"


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

    events = _Events()

    def whole() -> None:
        try:
            events.put("done", work(lambda text: events.put("text", text)))
        except Left:
            return
        except HdlgraphError as error:
            events.last(str(error))
        except Exception:
            events.last("something went wrong here; `hdlgraph doctor` may tell what")
            raise

    try:
        running = site.long.start(whole)
    except Busy as error:
        return site.wrong(request, error)

    async def sent() -> AsyncIterator[bytes]:
        try:
            async for kind, text in events.come():
                yield f"event: {kind}\ndata: {json.dumps(text)}\n\n".encode() if kind else WAITING
        finally:
            events.left.set()
            running.cancel()

    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(sent(), media_type="text/event-stream", headers=headers)


class _Events:
    """Events from a thread to the event loop, until `done` or `error`; `left` ends them early."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        self.left = threading.Event()

    def put(self, kind: str, text: str) -> None:
        """Sends an event; raises Left where nobody reads any more."""
        if self.left.is_set():
            raise Left
        self._loop.call_soon_threadsafe(self._queue.put_nowait, (kind, text))

    def last(self, message: str) -> None:
        """Sends an error, where somebody still reads."""
        with suppress(Left):
            self.put("error", message)

    async def come(self) -> AsyncIterator[tuple[str, str]]:
        """Yields the events as they come, ("", "") after each silence."""
        kind = ""
        while kind not in ("done", "error"):
            try:
                kind, text = await asyncio.wait_for(self._queue.get(), SILENT)
            except TimeoutError:
                kind, text = "", ""
            yield kind, text
