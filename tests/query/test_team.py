"""A team's own short forms act on a search at once, and a missing file of them is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from hdlgraph.errors import SettingsError
from hdlgraph.knowledge.short_forms import ShortForm
from hdlgraph.project import Project
from hdlgraph.query.question.team import TeamWords
from hdlgraph.serve.cli.main import run

SETTINGS = "hdlgraph:\n  search:\n    abbreviations: team.txt\n"


@pytest.fixture
def named(indexed_soc: Path) -> Path:
    """The little system, whose settings name a file of short forms."""
    (indexed_soc / "settings.yaml").write_text(SETTINGS)
    return indexed_soc


def test_a_short_form_finds_what_it_stands_for(named: Path) -> None:
    team = named / "team.txt"
    team.write_text("# ours\nZQX = round robin arbiter: who comes next\n")
    project = Project(named)
    hits = project.search("ZQX").hits
    assert hits[0].path == "rtl/bus_arbiter.sv"
    assert any(one.kind == "lexical" for one in hits[0].evidence)
    team.write_text("ZQX = heartbeat timer\nZQX = uart receiver\n")
    assert {hit.path for hit in project.search("where is the ZQX").hits[:3]} >= {"rtl/timer.v"}


def test_a_long_form_finds_the_short_one(named: Path) -> None:
    (named / "team.txt").write_text("uart = walrus cupboard\n")
    paths = [hit.path for hit in Project(named).search("walrus cupboard").hits]
    assert "rtl/uart.sv" in paths[:3]


@pytest.mark.parametrize("command", ["search", "ask"])
def test_a_missing_file_is_an_error_that_names_it(
    named: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([command, "uart", "--index", str(named)]) == 2
    error = capsys.readouterr().err
    assert f"{named / 'team.txt'}: no such file" in error
    assert "hdlgraph.search.abbreviations" in error


def test_one_outside_of_the_repository_is_refused(named: Path) -> None:
    (named.parent / "team.txt").write_text("ZQX = arbiter\n")
    (named / "settings.yaml").write_text(SETTINGS.replace("team.txt", "../team.txt"))
    with pytest.raises(SettingsError, match="must lie inside the repository"):
        Project(named).search("ZQX")


def test_words_go_both_ways() -> None:
    words = TeamWords([ShortForm("QWL", "quad wide loader")])
    assert words.terms("who stalls the QWL?") == {"qwl": ("quad", "wide", "loader")}
    assert words.terms("who stalls the quad wide loaders") == {"loader": ("qwl",)}
    assert words.terms("who stalls") == {}
    assert words.spelt_out("the QWL") == "the QWL (quad wide loader)"
    assert words.spelt_out("the loader") == "the loader"
