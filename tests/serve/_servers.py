"""What tests of the servers share: clients of the official library, and servers as processes."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import httpx2
from anyio.from_thread import start_blocking_portal
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

START = [sys.executable, "-P", "-m", "hdlgraph.serve.start"]
Ask = Callable[..., Any]


@cache
def short_folder(folder: Path) -> Path:
    """Returns a private folder, one for each of the test's: a socket's path has 100 bytes at most.

    A test's own folder may be longer than that.
    """
    made = tempfile.mkdtemp(prefix="hg-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(made)


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Returns the environment of a server whose sockets lie in a folder of the test's own."""
    runtime = short_folder(folder)
    left_out = ("HDLGRAPH_TOKEN", "HDLGRAPH_SETTINGS", "HDLGRAPH_DEBUG", "HDLGRAPH_ALONE")
    own = {name: value for name, value in os.environ.items() if name not in left_out}
    return {**own, "XDG_RUNTIME_DIR": str(runtime), **more}


class Session:
    """A client of a server, to be asked without `await`."""

    def __init__(self, portal: Any, client: Client) -> None:
        self._portal = portal
        self.client = client

    def __call__(self, tool: str, /, **given: object) -> Any:
        return self.run(self.client.call_tool, tool, given)

    def run(self, work: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        return self._portal.call(partial(work, *arguments, **named))


@contextmanager
def session(transport: Any) -> Iterator[Session]:
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(transport, read_timeout_seconds=60)) as client,
    ):
        yield Session(portal, client)


@contextmanager
def over_stdio(*arguments: str, env: dict[str, str], errlog: Path) -> Iterator[Session]:
    parameters = StdioServerParameters(
        command=START[0], args=[*START[1:], "mcp", *arguments], env=env
    )
    with errlog.open("w") as log, session(stdio_client(parameters, errlog=log)) as opened:
        yield opened


@contextmanager
def http_server(*arguments: str, env: dict[str, str]) -> Iterator[str]:
    """Yields the address of `hdlgraph mcp --http` at a free port."""
    command = [*START, "mcp", "--http", "--port", "0", *arguments]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env)
    try:
        said = server.stderr.readline()
        found = re.search(r"listening at (http://\S+)", said)
        assert found, said + server.stderr.read()
        yield found[1]
    finally:
        server.terminate()
        server.wait(20)
        server.stderr.close()


@contextmanager
def over_http(url: str, **headers: str) -> Iterator[Session]:
    client = httpx2.AsyncClient(headers=headers, timeout=60)
    with session(streamable_http_client(url, http_client=client)) as opened:
        yield opened
