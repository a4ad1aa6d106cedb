"""An OpenAI-compatible server on loopback that gives the answers and the faults it is told to.

    with Stub(reply=lambda body: {"summary": "a counter"}, faults=first("503")) as stub:
        ...  # stub.base_url, stub.requests, stub.calls, stub.input_tokens

It is a real HTTP server (aiohttp) in a thread of its own. `python -m hdlgraph.eval.stubs.server`
runs it as a process and prints its address as the first line.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import sys
import threading
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from hdlgraph.eval.stubs import batch as stub_batch
from hdlgraph.eval.stubs import chat as stub_chat
from hdlgraph.eval.stubs.faults import Faults

Reply = Callable[[dict[str, Any]], "str | dict[str, Any]"]


def default_reply(body: dict[str, Any]) -> str | dict[str, Any]:
    """Returns an object of the shape asked for, else a sentence that names the question."""
    shape = body.get("response_format") or {}
    if shape.get("type") == "json_schema":
        found: dict[str, Any] = example(shape["json_schema"].get("schema", {}))
        return found
    if shape.get("type") == "json_object":
        return {"answer": "stub"}
    digest = hashlib.sha256(body["messages"][-1]["content"].encode()).hexdigest()[:8]
    return f"Stub answer {digest}."


def example(schema: dict[str, Any]) -> Any:
    """Returns the plainest value that a JSON schema admits."""
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: example(part) for name, part in schema.get("properties", {}).items()}
        case "array":
            return [example(schema.get("items", {"type": "string"}))]
        case "integer" | "number":
            return 1
        case "boolean":
            return True
    return "stub"


class Stub:
    """The server. All arguments may also be set as attributes while it runs.

    Args:
        reply: the content of an answer (a dict becomes JSON), called in the server's thread.
        faults: see the module `faults`; counted over chat requests, batch lines included.
        latency_s: seconds before the first byte of a chat answer.
        chunk_s: seconds between two pieces of a stream.
        retry_after_s: what 429 and 503 ask for; 0 leaves the header out.
        structured: response_format types that are accepted; others answer 400.
        refused: request parameters that answer 400, such as temperature or max_tokens.
        models: names that exist; empty takes all.
        key: the only key that is let in; empty takes all and none.
        context_tokens: longer requests overflow; told by /v1/models when not 0.
        dies_after: chat requests after which every connection is reset; None never.
        count: tokens of a text; None takes hdlgraph's own counter.
        dim: length of the embeddings.
        batch_polls: how often a batch says "in_progress" before it is completed.
        batch_ends: called with the number of a batch (0-based) and its count of calls; returns a
            status or an error code that it ends with instead, or None: "expired" (half of it is
            done), "failed", "cancelled", "token_limit_exceeded".
        batch_loses: numbers of the submissions that are taken, but whose answer is lost.
        lacks: paths that answer 404, such as "files" or "models".
    """

    def __init__(
        self,
        reply: Reply = default_reply,
        faults: Faults | None = None,
        *,
        latency_s: float = 0.0,
        chunk_s: float = 0.0,
        retry_after_s: float = 0.0,
        structured: Collection[str] = ("json_schema", "json_object", "text"),
        refused: Collection[str] = (),
        models: Collection[str] = (),
        key: str = "",
        context_tokens: int = 0,
        dies_after: int | None = None,
        count: Callable[[str], int] | None = None,
        dim: int = 8,
        batch_polls: int = 1,
        batch_ends: Callable[[int, int], str | None] | None = None,
        batch_loses: Collection[int] = (),
        lacks: Collection[str] = (),
        port: int = 0,
    ) -> None:
        self.reply = reply
        self.faults = faults
        self.latency_s = latency_s
        self.chunk_s = chunk_s
        self.retry_after_s = retry_after_s
        self.structured = structured
        self.refused = refused
        self.models = models
        self.key = key
        self.context_tokens = context_tokens
        self.dies_after = dies_after
        self.count = count or _counter()
        self.dim = dim
        self.batch_polls = batch_polls
        self.batch_ends = batch_ends
        self.batch_loses = batch_loses
        self.lacks = lacks
        self.port = port
        self.keep = True  # remember the requests
        self.forget()
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self._ready = threading.Event()
        self._thread: threading.Thread | None = None

    def forget(self) -> None:
        """Sets all counters to zero."""
        self.requests: list[dict[str, Any]] = []
        """Decoded bodies of the chat requests, in the order of arrival."""
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        """Seconds of the monotonic clock at which the chat requests arrived."""
        self.calls = 0
        """Chat requests, failed ones included."""
        self.answered = 0
        """Chat requests that got a full answer: what a real endpoint would charge."""
        self.input_tokens = 0
        self.output_tokens = 0
        self.paths: Counter[str] = Counter()
        self.under_way = 0
        self.most_under_way = 0

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


def _counter() -> Callable[[str], int]:
    try:
        from hdlgraph.llm.tokens import count_tokens
    except ImportError:
        return quarter
    return count_tokens


def quarter(text: str) -> int:
    """Returns a rough number of tokens, for load tests."""
    return len(text) // 4 + 1


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
