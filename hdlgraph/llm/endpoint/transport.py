"""The asynchronous HTTP client under the openai library: it sends requests with aiohttp.

The openai library takes any `httpx.AsyncClient`, so this one hands the finished request to aiohttp
and wraps the answer: 0.9 ms of CPU for each call of a model, 1.9 ms with httpx alone. Where a
proxy is set in the environment, httpx sends the request, because it knows more kinds of proxies.

`openai[aiohttp]` (httpx-aiohttp 0.2) does the same in general. With the limits of `body` on top of
it a call takes 1.0 ms, endless headers end as an error of aiohttp's that nobody expects, an answer
that breaks off counts as a lost connection, and cookies are kept; so it is not used.

Answers keep to the limits of size in `body`; whoever waits for an answer limits its time.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx

from hdlgraph.llm.endpoint.body import PACKINGS, Held, Intake, Unpacker, Unusable, kept
from hdlgraph.llm.endpoint.bounds import Bounds
from hdlgraph.llm.endpoint.certificates import certificates

if TYPE_CHECKING:
    import aiohttp

_OURS = frozenset({b"host", b"content-length", b"accept-encoding", b"connection"})


class AiohttpClient(httpx.AsyncClient):
    """Sends with aiohttp. Belongs to one event loop.

    A body that is asked for as a stream is not limited: its reader counts. Takes the other
    arguments of `httpx.AsyncClient`. Errors are those of httpx.
    """

    def __init__(
        self, *, bounds: Bounds, limits: httpx.Limits, timeout: httpx.Timeout, **options: Any
    ) -> None:
        self._trust = certificates()
        super().__init__(limits=limits, timeout=timeout, verify=self._trust, **options)
        self._pool = limits.max_connections or 100
        self._carrier: aiohttp.ClientSession | None = None
        self._proxied = any(mount is not None for mount in self._mounts.values())
        self._bounds = bounds
        self._held = Held()

    async def send(
        self, request: httpx.Request, *, stream: bool = False, **options: Any
    ) -> httpx.Response:
        """Returns the answer to a request; redirects are answers too."""
        if self.is_closed:
            raise httpx.ReadError("the client was closed", request=request)
        async with AsyncExitStack() as opened:
            if self._proxied:
                request.headers["Accept-Encoding"] = PACKINGS
                answer = await super().send(request, stream=True, **options)
                opened.push_async_callback(answer.aclose)
                source = _Source(
                    answer.status_code, answer.headers.raw, answer.headers, answer.aiter_raw()
                )
            else:
                source = await self._asked(request, opened)
            headers = kept(source.raw)
            if stream and source.status < 300:
                body = _Body(source, opened.pop_all())
                return httpx.Response(source.status, headers=headers, stream=body, request=request)
            content = await self._whole(source)
        return httpx.Response(source.status, headers=headers, content=content, request=request)

    async def _asked(self, request: httpx.Request, opened: AsyncExitStack) -> _Source:
        """Sends a request; returns the answer, its body yet to be received."""
        import aiohttp
        from yarl import URL

        waits = request.extensions.get("timeout", {})
        timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=waits.get("connect"), sock_read=waits.get("read")
        )
        try:
            answer = await opened.enter_async_context(
                self._session().request(
                    request.method,
                    URL(str(request.url), encoded=True),
                    headers=[
                        (name.decode("latin-1"), value.decode("latin-1"))
                        for name, value in request.headers.raw
                        if name.lower() not in _OURS
                    ],
                    data=await request.aread(),
                    allow_redirects=False,
                    timeout=timeout,
                )
            )
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise _as_httpx(error, request) from error
        return _Source(
            answer.status, answer.raw_headers, answer.headers, _received(answer.content, request)
        )

    async def _whole(self, source: _Source) -> bytes:
        intake = Intake(source.status, source.headers, self._bounds, self._held)
        try:
            async for data in source.body:
                if not intake.take(data):
                    break
            return intake.content()
        finally:
            intake.close()

    async def aclose(self) -> None:
        """Closes all connections."""
        carrier, self._carrier = self._carrier, None
        if carrier is not None:
            await carrier.close()
        await super().aclose()

    def _session(self) -> aiohttp.ClientSession:
        if self._carrier is None:
            import aiohttp

            self._carrier = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._pool, ssl=self._trust),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"Accept-Encoding": PACKINGS},
                auto_decompress=False,
            )
        return self._carrier


class _Source(NamedTuple):
    """An answer whose body is yet to be received."""

    status: int
    raw: Iterable[tuple[bytes, bytes]]
    headers: Mapping[str, str]
    body: AsyncIterator[bytes]


class _Body(httpx.AsyncByteStream):
    """A body that is unpacked as it is read."""

    def __init__(self, source: _Source, opened: AsyncExitStack) -> None:
        self._source, self._opened = source, opened
        self._unpacker = Unpacker(source.headers)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for data in self._source.body:
            for piece in self._unpacker.feed(data):
                yield piece

    async def aclose(self) -> None:
        await self._opened.aclose()


async def _received(content: aiohttp.StreamReader, request: httpx.Request) -> AsyncIterator[bytes]:
    import aiohttp

    try:
        async for data in content.iter_any():
            yield data
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        raise _as_httpx(error, request) from error


def _as_httpx(error: Exception, request: httpx.Request) -> httpx.HTTPError:
    """Returns the error of httpx that says the same."""
    import aiohttp

    text = str(error)
    kind: type[httpx.RequestError]
    match error:
        case aiohttp.ConnectionTimeoutError():
            kind = httpx.ConnectTimeout
        case TimeoutError():
            kind = httpx.ReadTimeout
        case aiohttp.ClientConnectorError():
            kind, text = httpx.ConnectError, str(error.os_error) or text
        case aiohttp.ClientPayloadError():
            kind, text = httpx.RemoteProtocolError, f"incomplete answer: {text}"
        case aiohttp.ClientResponseError():  # such as endless headers
            return Unusable(f"sent no HTTP answer: {error.message}"[:200], again=True)
        case _:
            kind = httpx.ReadError
    return kind(text, request=request)
