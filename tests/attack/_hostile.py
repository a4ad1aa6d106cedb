"""A hostile server on loopback that answers in raw bytes, and the list of what it does."""

from __future__ import annotations

import json
import socket
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache

OK = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"
JSON = OK + b"Content-Type: application/json\r\n"
SSE = OK + b"Content-Type: text/event-stream\r\n"
BLOCK = 1 << 16
ZEROS = 1 << 24  # bytes that one repeated block of a bomb unpacks to
DRIP_S = 0.02

Answer = Callable[[], Iterator[bytes]]


def for_ever(*head: bytes, block: bytes) -> Answer:
    """Returns an answer that repeats a block after its head, with no end."""

    def answer() -> Iterator[bytes]:
        yield b"".join(head)
        many = block * max(1, BLOCK // len(block))
        while True:
            yield many

    return answer


def dripping(head: bytes, drop: bytes) -> Answer:
    """Returns an answer that sends one byte now and then after its head."""

    def answer() -> Iterator[bytes]:
        yield head
        while True:
            for n in range(len(drop)):
                yield drop[n : n + 1]
                time.sleep(DRIP_S)

    return answer


def once(head: bytes, body: Callable[[], bytes]) -> Answer:
    """Returns an answer with a whole body."""

    def answer() -> Iterator[bytes]:
        content = body()
        yield head + b"Content-Length: %d\r\n\r\n" % len(content) + content

    return answer


@lru_cache
def bomb(window: int) -> tuple[bytes, bytes]:
    """Returns the beginning of a packed body of zeros and a block that may follow for ever."""
    packer = zlib.compressobj(9, zlib.DEFLATED, window)
    first = packer.compress(bytes(ZEROS)) + packer.flush(zlib.Z_FULL_FLUSH)
    return first, packer.compress(bytes(ZEROS)) + packer.flush(zlib.Z_FULL_FLUSH)


def packed(head: bytes, name: bytes, window: int) -> Answer:
    """Returns an endless body of zeros, packed a thousand to one."""

    def answer() -> Iterator[bytes]:
        first, block = bomb(window)
        yield head + b"Content-Encoding: " + name + b"\r\n\r\n" + first
        while True:
            yield block

    return answer


def failed(status: bytes, *headers: bytes, body: Callable[[], bytes] = lambda: b"{}") -> Answer:
    """Returns an answer with an error status."""
    lines = b"".join(header + b"\r\n" for header in headers)
    return once(b"HTTP/1.1 " + status + b"\r\nConnection: close\r\n" + lines, body)


def chat(content: str, **more: object) -> Callable[[], bytes]:
    """Returns the body of a chat completion."""
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "delta": message, "finish_reason": "stop"}
    return lambda: json.dumps({"model": "m", "choices": [choice], **more}).encode()


def event(body: Callable[[], bytes]) -> Callable[[], bytes]:
    """Returns a stream of one event."""
    return lambda: b"data: " + body() + b"\n\ndata: [DONE]\n\n"


_TEXT = b'{"choices":[{"message":{"content":"'
_PIECE = b'data: {"choices":[{"delta":{"content":"word "}}]}\n\n'
_DEEP = b"[" * 200_000
_MANY = 10_000_000

BODIES: dict[str, Answer] = {
    "endless body": for_ever(JSON, b"\r\n", _TEXT, block=b"a"),
    "endless blanks": for_ever(JSON, b"\r\n", block=b" "),
    "endless chunks": for_ever(
        JSON, b"Transfer-Encoding: chunked\r\n\r\n", block=b"10\r\n" + b"a" * 16 + b"\r\n"
    ),
    "endless error": for_ever(b"HTTP/1.1 400 Bad\r\n\r\n", block=b"why "),
    "gzip bomb": packed(JSON, b"gzip", 31),
    "deflate bomb": packed(JSON, b"deflate", 15),
    "gzip twice": packed(JSON, b"gzip, gzip", 31),
    "brotli": for_ever(JSON, b"Content-Encoding: br\r\n\r\n", block=b"\x8b\x02\x80"),
    "gzip bomb, error": packed(b"HTTP/1.1 400 Bad\r\n", b"gzip", 31),
    "gzip bomb, stream": packed(SSE, b"gzip", 31),
    "endless headers": for_ever(OK, block=b"X-More: and more\r\n"),
    "endless header": for_ever(OK, b"X-More: ", block=b"x"),
    "endless status line": for_ever(b"HTTP/1.1 200 ", block=b"OK"),
    "endless 100 Continue": for_ever(block=b"HTTP/1.1 100 Continue\r\n\r\n"),
    "no HTTP": for_ever(block=b"\x00\xff"),
    "endless line": for_ever(SSE, b"\r\ndata: ", block=b"a"),
    "endless lines of an event": for_ever(SSE, b"\r\n", block=b"data: a\n"),
    "endless comments": for_ever(SSE, b"\r\n", block=b": still here\n\n"),
    "endless pieces": for_ever(SSE, b"\r\n", block=_PIECE),
    "endless empty choices": for_ever(SSE, b"\r\n", block=b'data: {"choices":[]}\n\n'),
    "deep JSON": once(JSON, lambda: _DEEP),
    "deep JSON in an event": once(SSE, lambda: b"data: " + _DEEP + b"\n\n"),
    "deep JSON, error": failed(b"500 No", body=lambda: b'{"error":' * 900 + b"1" + b"}" * 900),
    "deep JSON, refused": failed(b"400 No", body=lambda: b'{"error":{"code":' + _DEEP),
    "tiny choices": once(JSON, lambda: b'{"choices":[' + b"{}," * _MANY + b"{}]}"),
    "tiny choices in 1 MB": once(JSON, lambda: b'{"choices":[' + b"{}," * 300_000 + b"{}]}"),
    "tiny tool calls": once(
        JSON,
        lambda: b'{"choices":[{"message":{"tool_calls":[' + b'{"a":1},' * 900_000 + b"1]}}]}",
    ),
    "tiny choices in an event": once(
        SSE, lambda: b'data: {"choices":[' + b"{}," * 300_000 + b"{}]}\n\n"
    ),
    "long text": once(JSON, chat("word " * 500_000)),
    "codec of Python's": failed(b"400 No", b"Content-Type: text/plain; charset=zlib"),
}
"""Answers that are too much; each must end as an error of the endpoint."""

DRIPS: dict[str, Answer] = {
    "dripping body": dripping(JSON + b"Content-Length: 100000\r\n\r\n", b" "),
    "dripping headers": dripping(OK, b"X: y\r\n"),
    "dripping status line": dripping(b"HTTP/1.1 200 ", b"O"),
    "dripping comments": dripping(SSE + b"\r\n", b": still here\n\n"),
    "dripping pieces": dripping(SSE + b"\r\n", _PIECE),
}
"""Answers that never end and are never silent for long."""

PAUSES: dict[str, Answer] = {
    name: failed(b"503 Later", b"Retry-After: " + value)
    for name, value in {
        "pause of days": b"864000",
        "pause of ages": b"9" * 40,
        "pause until 2999": b"Fri, 01 Jan 2999 00:00:00 GMT",
    }.items()
}
"""Servers that ask for a longer pause than a run waits."""


class Hostile:
    """A server whose every answer is the same; `answer` may be set while it runs.

    The list of models and the questions about them (GET, /api/) get `listing`, or the same.
    """

    def __init__(self, answer: Answer, listing: Answer | None = None) -> None:
        self.answer, self.listing = answer, listing
        self.asked: Counter[str] = Counter()
        self._closing = False
        self._open: set[socket.socket] = set()

    def __enter__(self) -> Hostile:
        self._server = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.base_url = f"http://127.0.0.1:{self._server.getsockname()[1]}/v1"
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing = True
        self._server.close()
        for one in list(self._open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while not self._closing:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            self._open.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            file = connection.makefile("rb")
            method, path, _ = file.readline().decode("latin-1").split(" ")
            size = 0
            while (line := file.readline().strip()) != b"":
                name, _, value = line.partition(b":")
                size = int(value) if name.lower() == b"content-length" else size
            file.read(size)
            self.asked[path] += 1
            listing = self.listing if method == "GET" or "/api/" in path else None
            for part in (listing or self.answer)():
                if self._closing:
                    break
                connection.sendall(part)
        self._open.discard(connection)
