"""Pages that several tests use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _web import served
from starlette.testclient import TestClient

if TYPE_CHECKING:
    from _slack import Slack


@pytest.fixture(autouse=True)
def _own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps conversations and judgements of tests out of the user's folder."""
    monkeypatch.setenv("HDLGRAPH_DATA", str(tmp_path / "data"))


@pytest.fixture
def page(soc_words: Path) -> Iterator[TestClient]:
    """A client of the little system's page."""
    with served(soc_words) as client:
        yield client


@pytest.fixture
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes the proxy of the machine out of the environment."""
    for name in ("HTTPS_PROXY", "https_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def slack(no_keys: None, no_proxy: None) -> Iterator[Slack]:
    """A stand-in for Slack."""
    from _slack import Slack

    with Slack() as server:
        yield server
