"""`hdlgraph mcp --http`, asked by the official client over loopback, and by dishonest ones."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from _servers import START, environment, http_server, over_http

TOKEN = "0123456789abcdef0123456789abcdef"
FILE = "rtl/bus_arbiter.sv"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("h")


@pytest.fixture(scope="module")
def plain(soc_words: Path, place: Path) -> Iterator[str]:
    with http_server("--index", str(soc_words), env=environment(place)) as url:
        yield url


@pytest.fixture(scope="module")
def locked(soc_words: Path, place: Path) -> Iterator[str]:
    env = environment(place, HDLGRAPH_TOKEN=TOKEN)
    with http_server("--index", str(soc_words), "--host", "127.0.0.1", env=env) as url:
        yield url


def post(url: str, body: bytes, **headers: str) -> tuple[int, bytes]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    sent = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    connection.request("POST", parts.path, body, sent)
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


def call(tool: str, **given: object) -> bytes:
    params = {"name": tool, "arguments": given}
    return json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    ).encode()


def test_the_client_works_without_a_token_on_loopback(plain: str) -> None:
    with over_http(plain) as ask:
        assert len(ask.run(ask.client.list_tools).tools) == 7
        found = ask("search_files", question="round robin", limit=2)
        assert found.structured_content["files"][0]["path"] == FILE
        assert ask("read_lines", path="../../etc/passwd").is_error
        assert ask("read_lines", path=FILE, end=2).structured_content["end_line"] == 2
        card = ask.run(ask.client.read_resource, "hdlgraph://unit/bus_arbiter")
        assert FILE in card.contents[0].text


def test_the_client_works_with_the_token_alone(locked: str) -> None:
    with over_http(locked, Authorization=f"Bearer {TOKEN}") as ask:
        assert not ask("search_files", question="round robin").is_error
    for wrong in ({}, {"Authorization": f"Bearer {TOKEN}x"}):
        with pytest.raises(Exception, match=r"."), over_http(locked, **wrong) as ask:
            ask("search_files", question="round robin")
        status, body = post(locked, call("search_files", question="x"), **wrong)
        assert status == 401
        assert TOKEN.encode() not in body


def test_other_names_and_origins_are_refused(plain: str) -> None:
    body = call("search_files", question="round robin")
    assert post(plain, body)[0] == 200
    assert post(plain, body, Host="evil.example")[0] == 421
    assert post(plain, body, Origin="http://evil.example")[0] == 403
    assert post(plain, body, Origin="null")[0] == 403


def test_large_bodies_are_refused_and_large_questions_told(plain: str) -> None:
    assert post(plain, call("search_files", question="x" * 1_000_001))[0] == 413
    status, body = post(plain, call("search_files", question="x" * 900_000))
    assert status == 200
    result = json.loads(body)["result"]
    assert result["isError"] is True
    assert "at most 8000" in result["content"][0]["text"]


def test_what_is_no_message_is_refused(plain: str) -> None:
    for body in (b"", b"{", b"[]", b"\xff\xfe", b'{"jsonrpc":"2.0"}', b"[" * 100_000):
        status, answer = post(plain, body)
        assert 400 <= status < 500, body[:20]
        assert b"Traceback" not in answer
    connection = http.client.HTTPConnection(urlsplit(plain).netloc, timeout=20)
    connection.request("GET", "/etc/passwd")
    assert connection.getresponse().status == 404


def test_clients_that_leave_do_no_harm(plain: str) -> None:
    parts = urlsplit(plain)
    body = call("ask", question="who drives the grant of the round robin arbiter")
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: application/json\r\n"
        f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    for sent in (head[:40], head + body[:10], head + body):
        for _ in range(4):
            with socket.create_connection((parts.hostname, parts.port), timeout=20) as raw:
                raw.sendall(sent)
    with over_http(plain) as ask:
        assert not ask("search_files", question="round robin").is_error


def test_many_ask_at_once(plain: str) -> None:
    from concurrent.futures import ThreadPoolExecutor

    body = call("search_files", question="round robin", limit=2)
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda _: post(plain, body), range(36)))
    assert {status for status, _ in answers} == {200}
    assert len({text for _, text in answers}) == 1


def test_a_port_in_use_and_an_open_host_are_told(plain: str, soc_words: Path, place: Path) -> None:
    port = str(urlsplit(plain).port)
    start = [*START, "mcp", "--http", "--index", str(soc_words)]
    env = environment(place)
    for more, told in (
        (["--port", port], f"port {port} of 127.0.0.1: cannot be had"),
        (["--host", "0.0.0.0"], "a token is needed; set HDLGRAPH_TOKEN"),
    ):
        done = subprocess.run(
            [*start, *more], capture_output=True, text=True, env=env, timeout=60, check=False
        )
        assert done.returncode == 2
        assert told in done.stderr
        assert "Traceback" not in done.stderr


def test_no_token_is_said_or_kept(soc_words: Path, place: Path) -> None:
    command = [*START, "mcp", "--http", "--port", "0", "--index", str(soc_words)]
    server = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(place, HDLGRAPH_TOKEN=TOKEN),
    )
    url = server.stderr.readline().split()[3]
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert httpx2.post(f"{url}?question=secret", headers=headers, timeout=30).status_code >= 400
    server.terminate()
    out, err = server.communicate(timeout=30)
    assert TOKEN not in out + err
    assert "secret" not in out + err  # no log of what was asked
    for file in soc_words.rglob("*"):
        assert not file.is_file() or TOKEN.encode() not in file.read_bytes()


def test_no_stream_is_held_open_that_says_nothing(plain: str) -> None:
    parts = urlsplit(plain)
    for method, path, status in (("GET", "/mcp", 405), ("DELETE", "/mcp", 405), ("GET", "/x", 404)):
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20)
        connection.request(method, path, headers={"Accept": "text/event-stream"})
        answer = connection.getresponse()
        assert answer.status == status
        assert answer.read() == b""
        connection.close()
