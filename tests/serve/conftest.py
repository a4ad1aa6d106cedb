"""Pages that several tests use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from _web import served
from starlette.testclient import TestClient


@pytest.fixture(autouse=True)
def _own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps conversations and judgements of tests out of the user's folder."""
    monkeypatch.setenv("HDLGRAPH_DATA", str(tmp_path / "data"))


@pytest.fixture
def page(soc_words: Path) -> Iterator[TestClient]:
    """A client of the little system's page."""
    with served(soc_words) as client:
        yield client
