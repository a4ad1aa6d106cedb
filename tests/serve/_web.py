"""A page of the little system for tests: its application, guarded as `serve` guards it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from starlette.testclient import TestClient

from hdlgraph.project.resident import Resident
from hdlgraph.serve.http.address import LOOPBACK, Address
from hdlgraph.serve.http.guard import Guard
from hdlgraph.serve.web.app import application
from hdlgraph.serve.web.site import Site
from hdlgraph.settings.records import Settings

HOST = "http://127.0.0.1:8650"
TOKEN = "a-token-of-thirty-two-characters"


@contextmanager
def served(root: Path, token: str = "", settings: Settings | None = None) -> Iterator[TestClient]:
    """Yields a client of a repository's page; it follows no redirect."""
    address = Address("127.0.0.1", 8650, frozenset(LOOPBACK), token)
    site = Site(Resident(root, settings=settings), address)
    app = Guard(application(site), address, site.sessions.admits)
    with TestClient(app, base_url=HOST, follow_redirects=False) as client:  # type: ignore[arg-type]
        client.site = site  # type: ignore[attr-defined]
        yield client
    site.close()


def form_token(client: TestClient) -> str:
    """Returns the token that forms of the client's session send."""
    found = re.search(r'name="csrf" content="(\w+)"', client.get("/help").text)
    assert found
    return found[1]
