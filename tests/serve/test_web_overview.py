"""The overview as a page: its tables are built when it is first asked for."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from _browser import axe, browser, missing, running, until, violations
from _web import served

pytestmark = pytest.mark.graphrag


@pytest.fixture(scope="module")
def root(soc_overview: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the little system with its overview."""
    return Path(shutil.copytree(soc_overview, tmp_path_factory.mktemp("overview") / "soc"))


def test_the_overview_shows_groups(root: Path) -> None:
    with served(root) as client:
        got = client.get("/overview")
        assert got.status_code == 200
        assert "The design" in got.text
        assert client.get("/overview?level=19").status_code == 400
        assert client.get("/api/v1/overview").json()["communities"]


@pytest.mark.browser
@pytest.mark.skipif(bool(missing()), reason=missing() or "a browser is here")
def test_a_group_is_chosen_on_the_map(root: Path) -> None:
    with running(root) as address, browser() as tab:
        tab.get(f"{address}/overview")
        until(tab, "document.querySelector('#map').dataset.drawn")
        assert not axe() or violations(tab, axe()) == []
        tab.execute_script(
            "document.querySelector('.spot')"
            ".dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))"
        )
        assert "files" in until(tab, "document.querySelector('#about .dim')?.innerText")
        assert until(tab, "location.hash.startsWith('#map-')")
        said = [one for one in tab.get_log("browser") if one["level"] != "INFO"]
        assert said == []
