"""Who uses the page: sessions, the token against forged forms, and headers of every answer."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import urlencode

if TYPE_CHECKING:
    from hdlgraph.serve.http.address import Address
    from hdlgraph.serve.http.guard import App, Message, Receive, Scope, Send

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with no-referrer the origin of a form would be "null"
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
"""Headers of every answer: nothing runs or loads but our own files, and no other page shows it."""
OPEN = ("/login", "/static/")
"""What may be had without a session where a token is needed."""
LONG = 30 * 24 * 3600
"""Seconds that a session lasts at most; it ends with the server too."""


class Sessions:
    """Makes and checks cookies and the tokens of forms.

    Args:
        address: of the server; its token is what a login takes.
    """

    def __init__(self, address: Address) -> None:
        self._secret = secrets.token_bytes(32)
        self._token = address.token
        self.cookie = f"hdlgraph-{address.port}" if address.port else "hdlgraph"

    @property
    def locked(self) -> bool:
        """Whether a token is needed."""
        return bool(self._token)

    def admits(self, scope: Scope) -> bool:
        """Returns whether a request without the token passes: it has a session, or gets a login."""
        path = scope.get("path", "")
        if path.startswith(OPEN) or self.known(scope):
            return True
        if scope.get("method") == "GET" and not path.startswith("/api/"):
            scope["hdlgraph.login"] = True
            return True
        return False

    def opens(self, token: str) -> bool:
        """Returns whether a token is that of the server."""
        return hmac.compare_digest(token.strip().encode("utf-8", "replace"), self._token.encode())

    def begin(self) -> str:
        """Returns the value of a new session's cookie."""
        name = secrets.token_urlsafe(18)
        return f"{name}.{self._sign('session', name)}"

    def known(self, scope: Scope) -> str:
        """Returns the name of a request's session, "" where it has none of ours."""
        for header, value in scope["headers"]:
            if header == b"cookie":
                jar: SimpleCookie = SimpleCookie()
                try:
                    jar.load(value.decode("latin-1"))
                except CookieError:
                    continue
                if self.cookie in jar:
                    return self.name(jar[self.cookie].value)
        return ""

    def name(self, cookie: str) -> str:
        """Returns the name of the session in a cookie's value, "" where we did not make it."""
        name, _, sign = cookie.partition(".")
        good = hmac.compare_digest(sign.encode(), self._sign("session", name).encode())
        return name if name and good else ""

    def form_token(self, session: str) -> str:
        """Returns what every form of a session's pages has to send."""
        return self._sign("form", session)

    def own_form(self, session: str, token: str) -> bool:
        """Returns whether a form came from a page of the session."""
        known = self._sign("form", session).encode()
        return bool(session) and hmac.compare_digest(token.encode("utf-8", "replace"), known)

    def set_cookie(self, value: str) -> str:
        """Returns the header that sets a session's cookie."""
        return f"{self.cookie}={value}; HttpOnly; SameSite=Strict; Path=/; Max-Age={LONG}"

    def _sign(self, what: str, text: str) -> str:
        key = f"{what}:{text}".encode("utf-8", "replace")
        return hmac.new(self._secret, key, hashlib.sha256).hexdigest()


class Secured:
    """An ASGI application with safe headers on every answer, and a session for every page.

    Args:
        app: the application.
        sessions: cookies.
    """

    def __init__(self, app: App, sessions: Sessions) -> None:
        self._app = app
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        session = self._sessions.known(scope)
        cookie = ""
        if not session and not self._sessions.locked:
            cookie = self._sessions.begin()
            session = self._sessions.name(cookie)
        scope["hdlgraph.session"] = session

        async def secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", ())]
                headers += [(k.encode(), v.encode()) for k, v in HEADERS.items()]
                kind = dict(headers).get(b"content-type", b"")
                if cookie and kind.startswith(b"text/html"):
                    headers.append((b"set-cookie", self._sessions.set_cookie(cookie).encode()))
                message = {**message, "headers": headers}
            await send(message)

        if scope.get("hdlgraph.login"):
            await _to_login(scope, secured)
            return
        await self._app(scope, receive, secured)


async def _to_login(scope: Scope, send: Send) -> None:
    query = scope.get("query_string", b"").decode("latin-1")
    wanted = scope.get("path", "/") + (f"?{query}" if query else "")
    target = f"/login?{urlencode({'to': wanted})}"
    headers = [(b"location", target.encode("latin-1")), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": 303, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
