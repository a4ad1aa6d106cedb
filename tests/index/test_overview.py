"""The overview of an indexed design: built when asked for, kept, brought up to date, refused."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
from pathlib import Path

import pytest

from hdlgraph.errors import (
    IndexDamagedError,
    IndexLockedError,
    IndexMissingError,
    IndexUnsafeError,
    UsageError,
)
from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run
from hdlgraph.settings.records import Settings
from hdlgraph.store.communities import TABLE, read_communities
from hdlgraph.store.lock import index_lock
from hdlgraph.store.manifest import read_manifest

DESIGN = Path(__file__).parents[1] / "designs" / "soc"
GOLDEN = Path(__file__).parents[1] / "golden" / "overview_soc.txt"
BROAD = "How is this chip organised?"


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Path:
    """An indexed design whose overview nobody has asked for."""
    root = shutil.copytree(DESIGN, tmp_path_factory.mktemp("plain") / "soc")
    Project(root).index(embeddings=False, jobs=1)
    return root


@pytest.fixture(scope="module")
def built(soc_overview, tmp_path_factory) -> Path:
    """An indexed design with its overview."""
    place = tmp_path_factory.mktemp("built") / "soc"
    return shutil.copytree(soc_overview, place, copy_function=shutil.copy2)


@pytest.fixture
def own(built, tmp_path) -> Path:
    """A copy of that to be changed."""
    return shutil.copytree(built, tmp_path / "soc", copy_function=shutil.copy2)


def state(root: Path) -> dict:
    return read_manifest(root / ".hdlgraph").graphrag


def test_an_index_run_builds_no_tables(plain):
    assert state(plain)["state"] == "absent"
    assert not (plain / ".hdlgraph" / "graphrag").exists()
    assert Project(plain).status()["graphrag"] == "absent (`hdlgraph overview` builds them)"


def test_the_page_for_people(built, capsys):
    assert run(["overview", "--index", str(built), "--level", "0"]) == 0
    shown = capsys.readouterr()
    assert shown.out == GOLDEN.read_text(encoding="utf-8")


def test_every_place_of_the_page_says_what_is_claimed(built, capsys):
    """Each `a drives b`, `a instantiates b`, `a includes b` names something of its line."""
    run(["overview", "--index", str(built), "--json"])
    data = json.loads(capsys.readouterr().out)
    assert data["schema"] == 1
    said = [s for c in data["communities"] for k in c["connections"] for s in k["examples"]]
    assert said
    for one in said:
        line = (built / one["path"]).read_text(encoding="utf-8").splitlines()[one["line"] - 1]
        names = set(re.findall(r"\w+", one["text"]))
        assert names & set(re.findall(r"\w+", line)), (one, line)
    for community in data["communities"]:
        for unit in community["top_units"]:
            line = (built / unit["path"]).read_text(encoding="utf-8").splitlines()
            assert unit["name"] in line[unit["line"] - 1]


def test_all_files_are_members_of_one_community_of_a_level(built):
    found = Project(built).overview()
    members = [path for one in found.communities for path in one.members]
    assert len(members) == len(set(members))
    assert len(members) + found.outside == found.files
    assert sum(one.files for one in found.communities) == len(members)
    assert found.outside == 0


def test_a_second_call_builds_nothing(built):
    told: list[str] = []
    Project(built).overview(progress=lambda stage, done, total: told.append(stage))
    assert told == []
    assert not (built / ".hdlgraph" / "graphrag" / "output" / "lancedb").exists()
    assert state(built)["vectors"] == 0


def test_a_question_about_the_whole_is_answered_by_the_overview(built):
    told: list[str] = []
    answer = Project(built).ask(BROAD, on_text=told.append)
    assert "".join(told) == answer.text
    assert "The design:" in answer.text
    assert "[rtl/soc_top.sv:2]" in answer.text
    assert ("rtl/soc_top.sv", 2) in {(one.path, one.line) for one in answer.citations}
    assert any("overview of the whole design" in note for note in answer.result.notes)


def test_another_question_is_not(built):
    answer = Project(built).ask("Where are words buffered?")
    assert answer.result.hits
    assert "The design:" not in answer.text


def test_a_changed_design_makes_it_stale_and_the_next_call_brings_it_up_to_date(own):
    (own / "rtl" / "watchdog.sv").write_text(
        "// Resets the chip when nobody feeds it.\nmodule watchdog(input clk);\nendmodule\n"
    )
    Project(own).index(embeddings=False, jobs=1)
    assert state(own)["state"] == "stale"
    assert Project(own).status()["graphrag"].startswith("stale, 1 changed files behind (`hdlgraph")
    found = Project(own).overview()
    assert "rtl/watchdog.sv" in {path for one in found.communities for path in one.members}
    assert state(own)["state"] == "fresh"


def test_a_level_that_is_not_there(built):
    with pytest.raises(UsageError, match="level 9: this overview has levels 0 to "):
        Project(built).overview(9)


def test_settings_may_forbid_the_tables(plain):
    settings = Settings()
    never = dataclasses.replace(settings.graphrag, enabled="never")
    project = Project(plain, settings=dataclasses.replace(settings, graphrag=never))
    with pytest.raises(UsageError, match=r"graphrag\.enabled is never"):
        project.overview()
    answer = project.ask(BROAD)
    assert any("answered from the hierarchy" in note for note in answer.result.notes)
    assert "The top is module soc_top" in answer.text


def test_without_an_index(tmp_path):
    with pytest.raises(IndexMissingError, match="create it with"):
        Project(tmp_path).overview()
    assert not (tmp_path / ".hdlgraph").exists()


def test_while_another_run_writes(plain):
    with index_lock(plain / ".hdlgraph"), pytest.raises(IndexLockedError, match="is writing it"):
        Project(plain).overview()


def test_a_folder_of_somebody_else_gives_one_message(plain, tmp_path, capsys):
    root = shutil.copytree(plain, tmp_path / "soc", copy_function=shutil.copy2)
    folder = root / ".hdlgraph"
    if os.geteuid() == 0:
        os.chown(folder, 12345, -1)
    else:
        folder.chmod(0o555)
    before = sorted(path.name for path in folder.iterdir())
    try:
        assert run(["overview", "--index", str(root)]) == 2
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 1
        assert "its overview is not up to date" in lines[0]
        assert "have its owner run `hdlgraph overview`" in lines[0]
        assert sorted(path.name for path in folder.iterdir()) == before
        assert Project(root).ask(BROAD).result.notes
        with pytest.raises(IndexUnsafeError):
            Project(root).overview()
    finally:
        folder.chmod(0o755)


def test_a_table_that_is_none_of_ours(own):
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = own / ".hdlgraph" / "graphrag"
    for content in ('{"community": 1}', "[]", '{"community": "x"}', None):
        pq.write_table(pa.table({"full_content_json": [content]}), folder / TABLE)
        with pytest.raises(IndexDamagedError, match="holds no reports of hdlgraph"):
            read_communities(folder)
