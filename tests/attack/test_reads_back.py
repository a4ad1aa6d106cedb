"""What is read back after indexing stays inside the repository, whatever the index says."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from hdlgraph.errors import UsageError
from hdlgraph.project import Project
from hdlgraph.store.checksums import checksums_of
from hdlgraph.store.manifest import read_manifest, write_manifest

pytestmark = pytest.mark.warm

SECRET = "wire top_secret_recipe; // the secret recipe of the timer\n"
QUESTION = "which timer counts down?"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file of the user outside the repository."""
    file = tmp_path / "home" / "recipe.sv"
    file.parent.mkdir()
    file.write_text(SECRET * 60)
    return file


def indexed(soc: Path, index: Path | None = None) -> Project:
    project = Project(soc, index)
    project.index(embeddings=False, graphrag="never", jobs=1)
    return project


def said(project: Project) -> str:
    answer = project.ask(QUESTION)
    return str(answer.to_dict()) + str(answer.text)


def test_a_source_replaced_by_a_link_out_of_the_root_is_not_shown(
    indexed_soc: Path, secret: Path
) -> None:
    project = Project(indexed_soc)
    for file in sorted(indexed_soc.rglob("*.v")):
        file.unlink()
        file.symlink_to(secret)
    assert "secret" not in said(Project(indexed_soc))
    assert project.root == indexed_soc


def test_a_source_replaced_by_a_pipe_does_not_hang(indexed_soc: Path) -> None:
    for file in sorted(indexed_soc.rglob("*.v")):
        file.unlink()
        os.mkfifo(file)
    assert said(Project(indexed_soc))


@pytest.mark.parametrize("path", ["{}", "../home/recipe.sv", "rtl/../../home/recipe.sv"])
def test_paths_of_a_crafted_index_do_not_lead_out(
    indexed_soc: Path, secret: Path, path: str
) -> None:
    path = path.format(secret)
    folder = indexed_soc / ".hdlgraph"
    craft(folder, lambda text: text.replace("rtl/timer.v", path))
    found = Project(indexed_soc)
    assert path in {hit.path for hit in found.search(QUESTION).hits}
    assert "secret" not in said(found)


def test_an_index_from_elsewhere_cannot_choose_what_is_read(
    soc: Path, secret: Path, tmp_path: Path
) -> None:
    """An index outside its repository names the root itself: only what it knows is quoted."""
    index = tmp_path / "index"
    indexed(soc, index)
    assert "timer" in said(Project.open(index))
    home = secret.parent
    (home / "rtl").mkdir()
    (home / "rtl" / "timer.v").write_text(SECRET * 60)
    manifest = read_manifest(index)
    write_manifest(index, msgspec.structs.replace(manifest, root=str(home)))
    assert "secret" not in said(Project.open(index))


def craft(folder: Path, change) -> None:
    """Rewrites paths.json of the valid generation as a stranger would, checksums included."""
    manifest = read_manifest(folder)
    generation = folder / f"gen-{manifest.generation}"
    file = generation / "lexical" / "paths.json"
    file.write_text(change(file.read_text()))
    sums = checksums_of(generation)
    write_manifest(folder, msgspec.structs.replace(manifest, checksums=sums))


def test_a_filelist_of_a_crafted_manifest_is_not_read_out(indexed_soc: Path, secret: Path) -> None:
    manifest = read_manifest(indexed_soc / ".hdlgraph")
    for name in (str(secret), "/dev/zero"):
        write_manifest(indexed_soc / ".hdlgraph", msgspec.structs.replace(manifest, filelist=name))
        try:
            told = str(Project(indexed_soc).status())
        except UsageError as error:
            told = str(error)
        assert "secret" not in told
