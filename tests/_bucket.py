"""An S3 server on loopback (moto's), and one that answers what a test wants."""

from __future__ import annotations

import importlib.util
import itertools
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

KEY, SECRET = "AKIDTESTTESTTEST", "sEcReT-of-the-tests-0123456789"
NEEDED = ("obstore", "moto", "flask", "flask_cors")
VARIABLES = (
    *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION"),
    *("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT", "AWS_ALLOW_HTTP"),
    *("AWS_EC2_METADATA_DISABLED", "AWS_SKIP_SIGNATURE", "AWS_ROLE_ARN", "AWS_PROFILE"),
    *("AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_DEFAULT_REGION", "AWS_METADATA_ENDPOINT"),
    *("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"),
    *("HDLGRAPH_SHARED_SECONDS", "HDLGRAPH_CHECKOUT", "HTTP_PROXY", "http_proxy"),
)


def environment(endpoint: str) -> dict[str, str]:
    """Returns what the environment of a user of a server says."""
    return {
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": endpoint,
    }


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def s3_server(log: Path) -> Iterator[str]:
    """Runs moto's S3 server; yields its address."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)}: not installed; `make test` installs it")
    endpoint = f"http://127.0.0.1:{free_port()}"
    own = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    with log.open("wb") as stream:
        server = subprocess.Popen(
            [sys.executable, "-P", "-m", "moto.server", "-p", endpoint.rpartition(":")[2]],
            stdout=stream,
            stderr=stream,
            env=own,
        )
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{endpoint}/moto-api/", timeout=5).close()
                break
            except OSError:
                assert server.poll() is None, log.read_text()
                time.sleep(0.05)
        yield endpoint
    finally:
        server.kill()
        server.wait()


def make_bucket(endpoint: str, name: str) -> None:
    """Makes a bucket."""
    asked = urllib.request.Request(f"{endpoint}/{name}", method="PUT")
    asked.add_header("Authorization", "AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/s3/aws4")
    urllib.request.urlopen(asked, timeout=10).close()


class Answering:
    """A server that gives one answer to everything, and keeps what it was asked for.

    `asked` has the paths, `told` the names of the headers that came with them.
    """

    def __init__(
        self,
        status: int,
        body: str = "",
        wait_s: float = 0.0,
        headers: dict[str, str] | None = None,
    ) -> None:
        self.asked: list[str] = []
        self.told: list[set[str]] = []
        self.headers = {} if headers is None else headers
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                outer.asked.append(f"{self.command} {self.path}")
                outer.told.append({name.lower() for name in self.headers})
                time.sleep(wait_s)
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                for name, value in outer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body.encode())

            do_GET = do_PUT = do_HEAD = do_POST = _answer

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, name="stub s3")

    def __enter__(self) -> Answering:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def refusal(code: str) -> str:
    """Returns the text of an error as S3 writes it."""
    return f'<?xml version="1.0"?><Error><Code>{code}</Code><Message>no</Message></Error>'


_names = itertools.count()


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own, and an environment that knows no server."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HDLGRAPH_SHARED_SECONDS", "0")
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def s3_endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an S3 server on loopback."""
    with s3_server(tmp_path_factory.mktemp("s3") / "log") as endpoint:
        yield endpoint


@pytest.fixture
def s3_address(s3_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an index in a bucket of its own; the environment has the credentials."""
    bucket = f"bucket-{next(_names)}"
    make_bucket(s3_endpoint, bucket)
    for name, value in environment(s3_endpoint).items():
        monkeypatch.setenv(name, value)
    return f"s3://{bucket}/team/soc"
