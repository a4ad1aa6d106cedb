"""The command `serve`: one process shows the page and answers, another index comes, it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hdlgraph.serve.cli.main import run

AT = re.compile(r"listening at (http://127\.0\.0\.1:\d+)/")


@contextmanager
def serving(root: Path, *options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Yields address and process of `hdlgraph serve`."""
    command = [sys.executable, "-P", "-m", "hdlgraph.serve.start", "serve", "--port", "0"]
    child = subprocess.Popen(
        [*command, "--index", str(root), *options], stderr=subprocess.PIPE, text=True
    )
    try:
        assert child.stderr is not None
        said = child.stderr.readline()
        found = AT.search(said)
        assert found, said + (child.stderr.read() if child.poll() else "")
        yield found[1], child
    finally:
        child.kill()
        child.wait()


def fetch(address: str) -> str:
    with urllib.request.urlopen(address, timeout=20) as answer:
        return str(answer.read().decode())


def test_two_servers_show_one_index_and_end(soc_words: Path) -> None:
    with serving(soc_words) as (one, first), serving(soc_words) as (two, _):
        assert one != two
        for address in (one, two):
            assert "uart_rx.sv" in fetch(f"{address}/search?q=uart+receiver")
        command = [sys.executable, "-P", "-m", "hdlgraph.serve.start", "search", "uart receiver"]
        told = subprocess.run(
            [*command, "--index", str(soc_words)], capture_output=True, text=True, check=True
        )
        assert "uart_rx.sv" in told.stdout  # by the server that came first
        first.send_signal(signal.SIGINT)
        assert first.wait(10) == 0
        assert "uart_rx.sv" in fetch(f"{two}/search?q=uart+receiver")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--host", "0.0.0.0"], "HDLGRAPH_TOKEN"),
        (["--port", "70000"], "port"),
        (["--index", "/nowhere/at/all"], "hdlgraph index"),
    ],
)
def test_wrong_use_is_told(
    soc_words: Path, options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    os.environ.pop("HDLGRAPH_TOKEN", None)
    index = [] if "--index" in options else ["--index", str(soc_words)]
    assert run(["serve", *index, *options]) == 2
    assert words in capsys.readouterr().err


def test_a_port_in_use_is_told_before_the_index_is_read(
    indexed_soc: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (indexed_soc / ".hdlgraph").rglob("*.npy"):
        path.write_bytes(b"")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert run(["serve", "--index", str(indexed_soc), "--port", port]) == 2
    assert "choose another --port" in capsys.readouterr().err


def test_a_port_in_use_is_told(soc_words: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(soc_words) as (address, _):
        port = address.rpartition(":")[2]
        assert run(["serve", "--index", str(soc_words), "--port", port]) == 2
        assert "choose another --port" in capsys.readouterr().err
