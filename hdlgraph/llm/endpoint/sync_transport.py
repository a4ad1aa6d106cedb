"""The synchronous HTTP client under the openai library: httpx's, with limits of size and time.

httpx limits the seconds between two bytes, so a server that sends one byte now and then would keep
a caller for ever. Here a clock runs down while a request waits, headers included.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import httpcore
import httpx

from hdlgraph.errors import ErrorKind
from hdlgraph.llm.endpoint.body import PACKINGS, Intake, Unpacker, Unusable, kept
from hdlgraph.llm.endpoint.bounds import Bounds, too_slow


class Clock:
    """The seconds that are left for an answer; runs while the answer is waited for and read."""

    def __init__(self) -> None:
        self._left = 0.0
        self._since: float | None = None

    def wind(self, seconds: float) -> None:
        """Sets the clock."""
        self._left, self._since = seconds, None

    @property
    def left(self) -> float:
        """Returns the seconds that are left."""
        gone = time.monotonic() - self._since if self._since is not None else 0.0
        return self._left - gone

    def __enter__(self) -> None:
        self._since = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self._left, self._since = self.left, None

    def most(self, timeout: float | None) -> float:
        """Returns the seconds that the next operation may take."""
        left = self.left
        if left <= 0:
            raise httpcore.ReadTimeout("the time for the whole answer is over")
        return left if timeout is None else min(timeout, left)


class _Stream(httpcore.NetworkStream):
    """A connection that keeps to the clock."""

    def __init__(self, inner: httpcore.NetworkStream, clock: Clock) -> None:
        self._inner, self._clock = inner, clock

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._clock.most(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._clock.most(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(self, *args: Any, **options: Any) -> httpcore.NetworkStream:
        return _Stream(self._inner.start_tls(*args, **options), self._clock)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class _Backend(httpcore.NetworkBackend):
    """Opens connections that keep to the clock."""

    def __init__(self, inner: httpcore.NetworkBackend, clock: Clock) -> None:
        self._inner, self._clock = inner, clock

    def connect_tcp(self, *args: Any, **options: Any) -> httpcore.NetworkStream:
        return _Stream(self._inner.connect_tcp(*args, **options), self._clock)

    def connect_unix_socket(self, *args: Any, **options: Any) -> httpcore.NetworkStream:
        return _Stream(self._inner.connect_unix_socket(*args, **options), self._clock)

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


class _Body(httpx.SyncByteStream):
    """A body that is unpacked as it is read."""

    def __init__(self, response: httpx.Response, clock: Clock, bounds: Bounds) -> None:
        self._response, self._clock, self._bounds = response, clock, bounds
        self._unpacker = Unpacker(response.headers)

    def __iter__(self) -> Iterator[bytes]:
        received = self._response.iter_raw()
        try:
            while True:
                with self._clock:  # stands still while the reader is at work
                    data = next(received, None)
                if data is None:
                    return
                yield from self._unpacker.feed(data)
        except httpx.TimeoutException as error:
            raise _meant(error, self._clock, self._bounds) from error

    def close(self) -> None:
        self._response.close()


class BoundedClient(httpx.Client):
    """Sends one request at a time; each answer keeps to the bounds.

    A body that is asked for as a stream is limited in time only: its reader counts. Takes the
    other arguments of `httpx.Client`.
    """

    def __init__(self, *, bounds: Bounds, **options: Any) -> None:
        super().__init__(**options)
        self._bounds = bounds
        self._clock = Clock()
        for transport in (self._transport, *self._mounts.values()):
            if isinstance(transport, httpx.HTTPTransport):
                pool = transport._pool  # httpx has no argument for it, httpcore has
                pool._network_backend = _Backend(pool._network_backend, self._clock)

    def send(self, request: httpx.Request, *, stream: bool = False, **more: Any) -> httpx.Response:
        """Returns the answer to a request, whole unless it is wanted as a stream."""
        self._clock.wind(self._bounds.seconds)
        request.headers["Accept-Encoding"] = PACKINGS
        try:
            with self._clock:
                response = super().send(request, stream=True, **more)
                try:
                    return self._received(response, stream)
                except BaseException:
                    response.close()
                    raise
        except httpx.TimeoutException as error:
            raise _meant(error, self._clock, self._bounds) from error

    def _received(self, response: httpx.Response, stream: bool) -> httpx.Response:
        status, request = response.status_code, response.request
        headers = kept(response.headers.raw)
        if stream and status < 300:
            body = _Body(response, self._clock, self._bounds)
            return httpx.Response(status, headers=headers, stream=body, request=request)
        intake = Intake(status, response.headers, self._bounds)
        for data in response.iter_raw():
            if not intake.take(data):
                break
        response.close()
        content = intake.content()
        return httpx.Response(status, headers=headers, content=content, request=request)


def _meant(error: httpx.TimeoutException, clock: Clock, bounds: Bounds) -> httpx.TransportError:
    """Returns the error of a whole answer that took too long, or the error itself."""
    if clock.left > 0.01 or isinstance(error, httpx.ConnectTimeout):
        return error
    return Unusable(too_slow(bounds.seconds, bounds.hint), ErrorKind.TIMEOUT)
