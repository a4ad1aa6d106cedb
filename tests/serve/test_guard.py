"""The guard before the doors over HTTP: tokens, names, origins and sizes, over a real socket."""

from __future__ import annotations

import http.client
import json
import os
import socket
import threading
from contextlib import suppress

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.serve.http import address as addresses
from hdlgraph.serve.http.address import TOKEN, Address, address_of, bind, is_loopback
from hdlgraph.serve.http.guard import BODY_BYTES
from hdlgraph.serve.http.listen import listen

SECRET = "a token of 26 characters.."


async def echo(scope, receive, send) -> None:
    if scope["type"] != "http":
        return
    body = (await receive())["body"]
    told = json.dumps({"path": scope["path"], "bytes": len(body)}).encode()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": told})


def started(address: Address, admits=None, app=echo) -> Address:
    opened, bound = bind(address)
    run = threading.Thread(
        target=listen,
        args=(app, opened, bound),
        kwargs={"admits": admits},
        daemon=True,
        name="stub guarded",
    )
    run.start()
    return bound


@pytest.fixture(scope="module")
def plain() -> Address:
    return started(address_of())


@pytest.fixture(scope="module")
def locked() -> Address:
    address = Address("127.0.0.1", 0, address_of().names | {"rtl.example"}, SECRET)
    return started(address, lambda scope: scope["path"] == "/login")


def ask(at: Address, method="GET", path="/x", body=b"", **headers: str) -> tuple[int, dict]:
    connection = http.client.HTTPConnection("127.0.0.1", at.port, timeout=20)
    connection.putrequest(method, path, skip_host="Host" in headers)
    sent = {"Content-Length": str(len(body)), **headers} if body else headers
    for name, value in sent.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    with suppress(ConnectionError):  # it was refused before it was sent whole
        connection.send(body)
    answer = connection.getresponse()
    found = answer.status, json.loads(answer.read())
    connection.close()
    return found


def test_a_plain_request_comes_through_whole(plain: Address) -> None:
    assert ask(plain, "POST", body=b"x" * BODY_BYTES) == (200, {"path": "/x", "bytes": BODY_BYTES})


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "LOCALHOST:{port}", "[::1]:{port}", "192.168.7.7:80"]
)
def test_own_names_and_digits_are_answered(plain: Address, host: str) -> None:
    assert ask(plain, Host=host.format(port=plain.port))[0] == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "", "localhost/x"),
        *("::1", "rtl.example", "localhost:0x50"),
    ],
)
def test_another_name_is_refused(plain: Address, host: str) -> None:
    assert ask(plain, Host=host)[0] == 421


def test_two_names_are_refused(plain: Address) -> None:
    with socket.create_connection(("127.0.0.1", plain.port), timeout=20) as raw:
        raw.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n")
        assert raw.recv(100).startswith((b"HTTP/1.1 400", b"HTTP/1.1 421"))


def test_a_name_that_was_given_is_answered(locked: Address) -> None:
    bearer = f"Bearer {SECRET}"
    assert ask(locked, Host="RTL.example:8443", Authorization=bearer)[0] == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:1", "x"])
def test_pages_of_other_origins_are_refused(plain: Address, origin: str) -> None:
    assert ask(plain, Origin=origin)[0] == 403


def test_pages_of_the_server_itself_are_answered(plain: Address) -> None:
    own = f"localhost:{plain.port}"
    assert ask(plain, Host=own, Origin=f"http://{own}")[0] == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_link_from_another_site_is_followed_and_nothing_else(plain: Address, site: str) -> None:
    link = {"Sec_Fetch_Site": site, "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    assert ask(plain, **link)[0] == 200
    assert ask(plain, **{**link, "Sec_Fetch_Dest": "iframe"})[0] == 403
    assert ask(plain, **{**link, "Sec_Fetch_Mode": "no-cors"})[0] == 403


def test_only_the_token_opens(locked: Address) -> None:
    assert ask(locked, Authorization=f"Bearer {SECRET}")[0] == 200
    assert ask(locked, Authorization=f"bearer  {SECRET}")[0] == 200
    for wrong in ("", SECRET, "Bearer", f"Bearer {SECRET}x", f"Basic {SECRET}", "Bearer \xff"):
        status, told = ask(locked, Authorization=wrong)
        assert status == 401, wrong
        assert SECRET not in told["error"]


def test_a_door_may_let_requests_in_by_its_own_rule(locked: Address) -> None:
    assert ask(locked, path="/login")[0] == 200
    assert ask(locked, path="/login/")[0] == 401


def test_a_body_that_is_too_large_is_refused(plain: Address) -> None:
    assert ask(plain, "POST", body=b"x" * (BODY_BYTES + 1))[0] == 413
    assert ask(plain, "POST", Content_Length="9" * 19)[0] == 413


def test_a_body_in_pieces_that_is_too_large_is_refused(plain: Address) -> None:
    with socket.create_connection(("127.0.0.1", plain.port), timeout=20) as raw:
        head = b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        piece = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        with suppress(ConnectionError):
            raw.sendall(head + piece * 20)
        assert raw.recv(100).startswith(b"HTTP/1.1 413")


def test_headers_and_paths_have_limits(plain: Address) -> None:
    assert ask(plain, path="/" + "a" * 9_000)[0] == 414
    assert ask(plain, X="a" * 33_000)[0] == 431
    assert ask(plain, **{f"X{n}": "1" for n in range(120)})[0] == 431


def test_a_client_that_leaves_in_its_body_is_no_trouble(plain: Address) -> None:
    with socket.create_connection(("127.0.0.1", plain.port), timeout=20) as raw:
        raw.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\nhalf")
    assert ask(plain)[0] == 200


def test_a_port_in_use_is_told_with_what_to_do(plain: Address) -> None:
    with pytest.raises(UsageError, match=rf"port {plain.port} .*--port, 0 takes a free one"):
        bind(address_of(port=plain.port))
    with pytest.raises(UsageError, match="is no port"):
        bind(address_of(port=70_000))
    with pytest.raises(UsageError, match=r"--host no\.such\.host\.invalid: is not known"):
        bind(Address("no.such.host.invalid", 0, frozenset()))


def test_loopback_needs_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    assert address_of().token == ""
    assert address_of(["::1"]).url == "http://[::1]:0"
    assert is_loopback("127.9.9.9")
    assert not is_loopback("localhost.evil.example")


def test_any_other_host_needs_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    with pytest.raises(UsageError, match=f"a token is needed; set {TOKEN}"):
        address_of(["0.0.0.0"])
    monkeypatch.setenv(TOKEN, "short")
    with pytest.raises(UsageError, match="at least 16"):
        address_of(["0.0.0.0"])
    monkeypatch.setenv(TOKEN, SECRET)
    assert address_of(["0.0.0.0", "rtl.example"]).token == SECRET
    assert TOKEN not in os.environ  # no child process has it


def test_a_new_token_is_shown_once_on_a_terminal(monkeypatch, capsys) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    monkeypatch.setattr(addresses.sys.stderr, "isatty", lambda: True, raising=False)
    one, two = address_of(["0.0.0.0"]), address_of(["0.0.0.0"])
    assert one.made
    assert len(one.token) >= 43
    assert one.token != two.token
    at = started(Address("127.0.0.1", 0, one.names, one.token, made=True))
    assert ask(at)[0] == 401  # by now it has been shown
    out, err = capsys.readouterr()
    assert err.count(one.token) == 1
    assert out == ""
