"""The overview as a page: its tables are built when it is first asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from _web import served


@pytest.mark.graphrag
def test_the_overview_shows_groups(indexed_soc: Path) -> None:
    with served(indexed_soc) as client:
        got = client.get("/overview")
        assert got.status_code == 200
        assert "The design" in got.text
        assert client.get("/overview?level=19").status_code == 400
        assert client.get("/api/v1/overview").json()["communities"]
