"""The guard before each front end over HTTP: who may ask, from where, and how much."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from hdlgraph.serve.http.address import Address

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

BODY_BYTES = 1_000_000
"""The most bytes of a request's body."""
BODY_SECONDS = 30.0
"""The longest time that a body may take to arrive."""
DROPPED_BYTES, DROPPED_SECONDS = 4_000_000, 2.0
"""How much of a body that is too large is read, and for how long, before it is answered: a client
that is still sending when the connection closes does not see the answer."""
HEADER_BYTES, HEADERS, PATH_BYTES = 32_000, 100, 8_000
"""The most bytes of all headers, headers, and bytes of a path with its query."""


class Refused(Exception):
    """A request that is answered with a status and a sentence, and goes no further."""

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class Guard:
    """An ASGI application that lets through to another what an honest client of it would send.

    Refused are: a Host header of another name (a web page can point a name of its own at this
    machine: DNS rebinding), an Origin of another site, requests without the token, bodies,
    headers and paths that are too large, and web sockets. A body is read whole before the
    application is called.

    Args:
        app: the application.
        address: names and token, see `Address`.
        admits: called with the scope of a request without a valid token, where one is needed;
            True lets it through: a session cookie, or the page where the token is entered.
        body_bytes: the most bytes of a body.
    """

    def __init__(
        self,
        app: App,
        address: Address,
        admits: Callable[[Scope], bool] | None = None,
        body_bytes: int = BODY_BYTES,
    ) -> None:
        self._app = app
        self._names = address.names
        self._token = address.token.encode()
        self._admits = admits
        self._body_bytes = body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or has the application answer it."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":  # the start and the end of the server
            await self._app(scope, receive, send)
            return
        try:
            headers = _sizes_checked(scope)
            self._check_origin(headers)
            self._check_token(scope, headers)
            body = await self._body(headers, receive)
        except Refused as refused:
            if refused.status == 413:
                await _dropped(receive)
            await _answer(send, refused)
            return
        if body is not None:
            await self._app(scope, _again(body, receive), send)

    def _check_origin(self, headers: dict[str, list[str]]) -> None:
        """Refuses what a page of another site had the browser send."""
        hosts = headers.get("host", [])
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            raise Refused(421, "this server does not answer to the name in the Host header")
        for origin in headers.get("origin", []):
            if origin.partition("://")[2].lower() != hosts[0].lower():
                raise Refused(403, "requests from pages of another origin are refused")
        # Browsers leave Origin out of plain GETs; following a link is the one thing that another
        # site may do, as its page does not see the answer.
        site = (headers.get("sec-fetch-site") or ["none"])[0]
        mode = (headers.get("sec-fetch-mode") or ["navigate"])[0]
        target = (headers.get("sec-fetch-dest") or ["document"])[0]
        if site not in ("none", "same-origin") and (mode, target) != ("navigate", "document"):
            raise Refused(403, "requests from pages of another site are refused")

    def _is_ours(self, host: str) -> bool:
        try:
            parts = urlsplit(f"//{host}")
            name = (parts.hostname or "").rstrip(".")
            if parts.netloc != host or "@" in host or (parts.port or 1) < 1:
                return False
        except ValueError:
            return False
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True  # digits are no name that a DNS server could point elsewhere

    def _check_token(self, scope: Scope, headers: dict[str, list[str]]) -> None:
        if not self._token:
            return
        given = headers.get("authorization", [""])
        kind, _, token = given[0].partition(" ")
        known = hmac.compare_digest(token.strip().encode("utf-8", "replace"), self._token)
        if len(given) == 1 and kind.lower() == "bearer" and known:
            return
        if self._admits is None or not self._admits(scope):
            raise Refused(
                401,
                "a token is needed: send it as `Authorization: Bearer TOKEN`",
                www_authenticate="Bearer",
            )

    async def _body(self, headers: dict[str, list[str]], receive: Receive) -> bytes | None:
        """Returns the body of a request, None when the client has left."""
        told = headers.get("content-length", ["0"])[0]
        if not told.isdecimal() or int(told[:20]) > self._body_bytes:
            raise self._too_large()
        try:
            async with asyncio.timeout(BODY_SECONDS):
                return await self._received(receive)
        except TimeoutError:
            raise Refused(408, "the request did not arrive in time", connection="close") from None

    async def _received(self, receive: Receive) -> bytes | None:
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            body += message.get("body", b"")
            if len(body) > self._body_bytes:
                raise self._too_large()
            if not message.get("more_body", False):
                return bytes(body)

    def _too_large(self) -> Refused:
        return Refused(
            413, f"a request may have at most {self._body_bytes} bytes", connection="close"
        )


async def _dropped(receive: Receive) -> None:
    """Reads what a client still sends, up to a bound, and forgets it."""
    left = DROPPED_BYTES
    try:
        async with asyncio.timeout(DROPPED_SECONDS):
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if message["type"] == "http.disconnect" or not message.get("more_body", False):
                    return
    except TimeoutError:
        return


def _sizes_checked(scope: Scope) -> dict[str, list[str]]:
    """Returns the values of each header by its name in lower case."""
    given = scope["headers"]
    if len(scope.get("raw_path") or b"") + len(scope.get("query_string", b"")) > PATH_BYTES:
        raise Refused(414, f"a path with its query may have at most {PATH_BYTES} bytes")
    if len(given) > HEADERS or sum(len(name) + len(value) for name, value in given) > HEADER_BYTES:
        raise Refused(431, f"headers may be {HEADERS} of together {HEADER_BYTES} bytes")
    found: dict[str, list[str]] = {}
    for name, value in given:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _again(body: bytes, receive: Receive) -> Receive:
    """Returns a `receive` that yields a body that was read already, then what comes after it."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def received() -> Message:
        return waiting.pop() if waiting else await receive()

    return received


async def _answer(send: Send, refused: Refused) -> None:
    body = json.dumps({"schema": 1, "error": str(refused)}).encode()
    headers = {
        "content-type": "application/json",
        "content-length": str(len(body)),
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        **refused.headers,
    }
    lines = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": refused.status, "headers": lines})
    await send({"type": "http.response.body", "body": body})
