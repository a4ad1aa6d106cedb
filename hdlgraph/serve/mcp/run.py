"""Runs the server of the Model Context Protocol over stdio or HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from hdlgraph.serve.warm.kept import Kept

if TYPE_CHECKING:
    from hdlgraph.serve.http.address import Address
    from hdlgraph.serve.http.guard import App, Receive, Scope, Send

PATH = "/mcp"
"""Where the endpoint is, over HTTP."""


def run_stdio(kept: Mapping[str, Kept]) -> None:
    """Answers on stdin and stdout until stdin ends.

    The library points the descriptor of stdout at stderr meanwhile, so that nothing but the
    protocol comes out there, whatever a library prints.
    """
    import asyncio

    from mcp.server.stdio import stdio_server

    from hdlgraph.serve.mcp.server import server_of

    async def serve() -> None:
        server = server_of(kept)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    asyncio.run(serve())


def run_http(kept: Mapping[str, Kept], address: Address) -> None:
    """Answers over HTTP until Ctrl-C; each request stands for itself, no session is kept.

    Raises:
        UsageError: see `hdlgraph.serve.http.address.bind`.
    """
    from mcp.server.transport_security import TransportSecuritySettings

    from hdlgraph.serve.http.address import bind
    from hdlgraph.serve.http.guard import BODY_BYTES
    from hdlgraph.serve.http.listen import listen
    from hdlgraph.serve.mcp.server import server_of

    opened, bound = bind(address)
    app = server_of(kept).streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        max_request_body_size=BODY_BYTES,
        # Names and origins are checked by our own guard, which knows the names that were given.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    listen(_only_post(app), opened, bound, path=PATH)


def _only_post(app: App) -> App:
    """Returns the application without the endless stream of a GET.

    It would carry what a server says of its own accord. This one says nothing, and each stream
    would hold one of the connections that a server has.
    """

    async def answered(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] == "POST":
            await app(scope, receive, send)
            return
        status = 405 if scope["path"] == PATH else 404
        headers = [(b"allow", b"POST"), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    return answered
