"""An OpenAI-compatible server on loopback that gives the answers and the faults it is told to.

    with Stub(reply=lambda body: {"summary": "a counter"}, faults=first("503")) as stub:
        ...  # stub.base_url, stub.requests, stub.calls, stub.input_tokens

It is a real HTTP server (aiohttp) in a thread of its own. `python -m hdlgraph.eval.stubs.server`
runs it as a process and prints its address as the first line.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hdlgraph.errors import telling_errors
from hdlgraph.eval.stubs import batch as stub_batch
from hdlgraph.eval.stubs import chat as stub_chat
from hdlgraph.eval.stubs.behaviour import Behaviour, default_reply, quarter


class Stub(Behaviour):
    """The server; arguments as of `Behaviour`."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._ready = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def base_url(self) -> str:
        """The address that clients are given."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Stub:
        self._thread = threading.Thread(target=self._run, name="stub", daemon=True)
        self._thread.start()
        if not self._ready.wait(30):
            raise RuntimeError("the stub endpoint did not start")
        return self

    def __exit__(self, *exc: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread:
            self._thread.join(10)

    def _run(self) -> None:
        asyncio.run(self.serve())

    async def serve(self) -> None:
        """Serves until `__exit__` or cancellation."""
        from aiohttp import web

        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        runner = web.AppRunner(self._app(), access_log=None, shutdown_timeout=0.05)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self.port)
        await site.start()
        self.port = runner.addresses[0][1]
        self._ready.set()
        try:
            await self._stop.wait()
        finally:
            await runner.cleanup()

    async def stopped(self) -> None:
        """Returns when the stub ends: what a hanging request waits for."""
        await self._stop.wait()

    def _app(self) -> Any:
        from aiohttp import web
        from aiohttp.typedefs import Handler

        @web.middleware
        async def gate(request: web.Request, handler: Handler) -> web.StreamResponse:
            """Lets the right key in, to the paths that there are."""
            if any(part in self.lacks for part in request.path.split("/")):
                return stub_chat.answer_fault(self, "404")
            if "chat" not in request.path and not stub_chat.allowed(self, request):
                return stub_chat.answer_fault(self, "401")
            return await handler(request)

        app = web.Application(client_max_size=1 << 28, middlewares=[gate])
        stub_chat.add_routes(app, self)
        stub_batch.add_routes(app, self)
        return app


@telling_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the stub as a process until it is interrupted."""
    parser = argparse.ArgumentParser("python -m hdlgraph.eval.stubs.server", description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds")
    parser.add_argument("--answer", type=Path, help="file whose text is the answer to all")
    options = parser.parse_args(arguments)
    text = options.answer.read_text() if options.answer else ""
    stub = Stub(
        (lambda _: text) if text else default_reply,
        latency_s=options.latency,
        count=quarter,
        port=options.port,
    )
    stub.keep = False
    asyncio.run(_announced(stub))
    return 0


async def _announced(stub: Stub) -> None:
    serving = asyncio.create_task(stub.serve())
    while not stub._ready.is_set() and not serving.done():
        await asyncio.sleep(0.005)
    sys.stdout.write(stub.base_url + "\n")
    sys.stdout.flush()
    await serving


if __name__ == "__main__":
    raise SystemExit(main())
