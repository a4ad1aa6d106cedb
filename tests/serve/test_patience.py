"""Clients that are slow or silent on purpose do not keep others from being answered."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest
from test_guard import ask, started

from hdlgraph.serve.http import patience
from hdlgraph.serve.http.address import Address, address_of
from hdlgraph.serve.http.patience import CLIENTS

HEAD = b"POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n"
LARGE = 40_000_000


async def large(scope, receive, send) -> None:
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * LARGE})


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "LOOK", 0.1)


@pytest.fixture
def at() -> Address:
    return started(address_of())


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


def connect(stack: ExitStack, at: Address, sent: bytes = b"") -> socket.socket:
    raw = stack.enter_context(socket.create_connection(("127.0.0.1", at.port), timeout=10))
    raw.sendall(sent)
    return raw


def rest(raw: socket.socket) -> int:
    """Returns how many bytes come until the other end closes the connection."""
    got = 0
    with suppress(ConnectionError):
        while part := raw.recv(4_000_000):
            got += len(part)
    return got


@pytest.mark.parametrize("sent", [b"", HEAD[:30], HEAD + b"ab"])
def test_many_that_send_no_whole_request_block_nobody(at: Address, stack, sent: bytes) -> None:
    for _ in range(CLIENTS + 30):
        connect(stack, at, sent)
    assert ask(at, "POST", body=b"hello")[0] == 200


def test_a_head_that_does_not_come_is_not_waited_for(at: Address, stack, monkeypatch) -> None:
    monkeypatch.setattr(patience, "HEAD_SECONDS", 0.5)
    silent, slow, late = connect(stack, at), connect(stack, at), connect(stack, at, HEAD + b"hello")
    assert late.recv(15).startswith(b"HTTP/1.1 200")
    ended = False
    for byte in HEAD[:40]:  # a byte now and then keeps nothing open
        try:
            slow.sendall(bytes([byte]))
        except ConnectionError:
            ended = True
            break
        time.sleep(0.1)
    assert ended
    assert rest(silent) == 0


def test_a_request_in_hand_is_not_late(at: Address, stack, monkeypatch) -> None:
    monkeypatch.setattr(patience, "HEAD_SECONDS", 0.3)
    slow = connect(stack, at, HEAD)
    time.sleep(0.8)  # the body has a limit of its own
    slow.sendall(b"hello")
    assert slow.recv(15).startswith(b"HTTP/1.1 200")


def test_who_does_not_read_is_dropped_and_who_reads_slowly_is_not(stack, monkeypatch) -> None:
    monkeypatch.setattr(patience, "STALLED_SECONDS", 0.6)
    at = started(address_of(), app=large)
    deaf, slow = (connect(stack, at, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") for _ in "ab")
    got = 0
    for _ in range(10):
        time.sleep(0.1)
        got += len(slow.recv(1_000_000))
    while got < LARGE:
        got += len(slow.recv(4_000_000))
    assert rest(deaf) < LARGE
