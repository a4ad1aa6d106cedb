"""An index folder is a stranger's data: no links in it, no folder that is not ours, one owner."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from hdlgraph.errors import HdlgraphError, IndexUnsafeError
from hdlgraph.project import Project

pytestmark = pytest.mark.warm

TREASURE = "the user's own words\n"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A file of the user outside the repository, and two folders named as generations."""
    home = tmp_path / "home"
    (home / "gen-7").mkdir(parents=True)
    (home / "gen-7" / "thesis.txt").write_text(TREASURE)
    (home / "notes.txt").write_text(TREASURE)
    return home / "notes.txt"


def build(soc: Path) -> Project:
    project = Project(soc)
    project.index(embeddings=False, graphrag="never", jobs=1)
    return project


def unharmed(victim: Path) -> bool:
    thesis = victim.parent / "gen-7" / "thesis.txt"
    return victim.read_text() == TREASURE and thesis.read_text() == TREASURE


@pytest.mark.parametrize(
    "name",
    [
        *("lock", "manifest.json", "manifest.json.new", ".gitignore", "CACHEDIR.TAG"),
        *("cache.sqlite", "cache.sqlite-wal", "answers.sqlite", "imported.jsonl", "batches.json"),
        *("written.jsonl", "graphrag", "graphrag.part", "gen-99"),
    ],
)
@pytest.mark.parametrize("made", [True, False], ids=["after an index", "before any"])
def test_a_link_in_the_index_folder_is_refused_and_not_followed(
    request: pytest.FixtureRequest, victim: Path, name: str, made: bool
) -> None:
    soc: Path = request.getfixturevalue("indexed_soc" if made else "soc")
    folder = soc / ".hdlgraph"
    folder.mkdir(exist_ok=True)
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(victim)
    with pytest.raises(IndexUnsafeError, match=f"{name}: is a link"):
        build(soc)
    assert unharmed(victim)


@pytest.mark.parametrize("name", ["lock", "cache.sqlite", ".gitignore"])
def test_a_second_name_of_a_users_file_is_refused(
    indexed_soc: Path, victim: Path, name: str
) -> None:
    (indexed_soc / ".hdlgraph" / name).unlink()
    os.link(victim, indexed_soc / ".hdlgraph" / name)
    with pytest.raises(IndexUnsafeError, match=name):
        build(indexed_soc)
    assert unharmed(victim)


def test_an_index_folder_that_is_a_link_is_refused(soc: Path, victim: Path) -> None:
    (soc / ".hdlgraph").symlink_to(victim.parent)
    with pytest.raises(IndexUnsafeError, match=r"\.hdlgraph: is a link.*--index"):
        build(soc)
    assert unharmed(victim)
    assert sorted(p.name for p in victim.parent.iterdir()) == ["gen-7", "notes.txt"]


def test_a_link_that_the_user_names_is_the_users_word(soc: Path, tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    (tmp_path / "short").symlink_to(tmp_path / "scratch")
    Project(soc, tmp_path / "short").index(embeddings=False, graphrag="never", jobs=1)
    assert (tmp_path / "scratch" / "manifest.json").is_file()


def test_a_folder_that_is_no_index_is_refused(soc: Path, victim: Path) -> None:
    with pytest.raises(IndexUnsafeError, match="not an index of hdlgraph"):
        Project(soc, victim.parent).index(embeddings=False, graphrag="never", jobs=1)
    assert unharmed(victim)


def test_a_link_inside_a_generation_is_refused(indexed_soc: Path, victim: Path) -> None:
    project = Project(indexed_soc)
    words = indexed_soc / ".hdlgraph" / "gen-1" / "lexical" / "vocab.txt"
    shutil.copyfile(words, victim.parent / "vocab.txt")
    words.unlink()
    words.symlink_to(victim.parent / "vocab.txt")
    with pytest.raises(IndexUnsafeError, match=r"vocab\.txt: is a link"):
        Project(indexed_soc).search("fifo")
    build(indexed_soc)
    assert Project(indexed_soc).search("fifo").hits
    assert project.status()["files"]


def test_pipes_in_the_index_folder_are_refused(soc: Path) -> None:
    folder = soc / ".hdlgraph"
    folder.mkdir()
    for name in ("manifest.json", "lock", "imported.jsonl"):
        os.mkfifo(folder / name)
        with pytest.raises(HdlgraphError, match=name):
            build(soc)
        (folder / name).unlink()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_folder_of_somebody_else_is_not_written(indexed_soc: Path) -> None:
    os.chown(indexed_soc / ".hdlgraph", 12345, 12345)
    with pytest.raises(IndexUnsafeError, match="belongs to user 12345"):
        build(indexed_soc)
    assert Project(indexed_soc).search("fifo").hits  # to read it is harmless


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_an_index_above_is_found_only_if_it_is_the_users(
    indexed_soc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(indexed_soc / "rtl")
    assert Project.open().root == indexed_soc
    os.chown(indexed_soc / ".hdlgraph", 12345, 12345)
    with pytest.raises(HdlgraphError, match=r"belongs to user 12345.*--index"):
        Project.open()
    assert Project.open(indexed_soc).root == indexed_soc
