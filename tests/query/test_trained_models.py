"""Trained models in a search: used where the user's settings name them and they were better."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import numpy as np
import pytest

from hdlgraph.errors import SettingsError
from hdlgraph.project import Project
from hdlgraph.query.trained.order import FIRST, INPUTS, TrainedOrder, read_order
from hdlgraph.query.trained.query_map import MATRIX
from hdlgraph.settings.records import Settings
from hdlgraph.store.trained.folder import FILES_MAP, RERANKER, SECTIONS_MAP, write_model

QUESTION = "how are requests for the bus granted in turn?"
NAME = "bge-small-en-v1.5-int8/128"


@pytest.fixture
def copied(soc_project: Project, tmp_path: Path) -> Project:
    return Project(shutil.copytree(soc_project.root, tmp_path / "soc"))


def using(project: Project, folder: Path) -> Project:
    settings = Settings()
    trained = dataclasses.replace(settings.trained, path=str(folder))
    return Project(project.root, settings=dataclasses.replace(settings, trained=trained))


def turned() -> dict[str, np.ndarray]:
    """A map that turns every question round: what was nearest becomes farthest."""
    return {MATRIX: -np.eye(384, dtype=np.float32)}


def cosines(project: Project) -> np.ndarray:
    return project.searcher().ranking(QUESTION, 1).raw["purpose"]


def test_a_map_is_used_only_where_the_settings_name_it(copied: Project) -> None:
    folder = copied.folder / "trained"
    write_model(folder, FILES_MAP, turned(), better=True, embedder=NAME)
    plain = cosines(Project(copied.root))
    mapped = cosines(using(copied, folder))
    known = plain > plain.min()  # a file without a surface counts as the farthest
    assert known.sum() > 5
    np.testing.assert_allclose(mapped[known], -plain[known], atol=1e-6)


def test_a_map_that_was_not_better_is_never_used(copied: Project, tmp_path: Path) -> None:
    write_model(tmp_path / "models", FILES_MAP, turned(), better=False, embedder=NAME)
    found = using(copied, tmp_path / "models")
    np.testing.assert_array_equal(cosines(found), cosines(copied))
    assert found.search(QUESTION).notes == copied.search(QUESTION).notes


@pytest.mark.parametrize(
    ("arrays", "embedder", "told"),
    [
        (turned(), "another/128", "trained for vectors of another/128"),
        ({MATRIX: np.eye(3, dtype=np.float32)}, NAME, "no matrix of 384 rows"),
        ({"other": np.eye(384, dtype=np.float32)}, NAME, "no matrix of 384 rows"),
    ],
)
def test_a_map_that_does_not_fit_is_left_out_with_a_note(
    copied: Project, tmp_path: Path, arrays: dict[str, np.ndarray], embedder: str, told: str
) -> None:
    write_model(tmp_path / "models", FILES_MAP, arrays, better=True, embedder=embedder)
    found = using(copied, tmp_path / "models").search(QUESTION)
    assert found.hits == copied.search(QUESTION).hits
    assert any("without trained models" in note and told in note for note in found.notes)


def weighing(part: str) -> dict[str, np.ndarray]:
    return {"weights": np.asarray([float(name == part) for name in INPUTS], np.float32)}


def test_a_reranker_orders_the_first_files(copied: Project, tmp_path: Path) -> None:
    write_model(tmp_path, RERANKER, weighing("size"), better=True, names=INPUTS)
    plain = copied.searcher().ranking(QUESTION, 1)
    found = using(copied, tmp_path).searcher().ranking(QUESTION, 1)
    sizes = plain.parts["size"][found.order[:FIRST]]
    assert found.order != plain.order
    assert sorted(found.order) == sorted(plain.order)
    assert sizes.tolist() == sorted(sizes, reverse=True)
    np.testing.assert_array_equal(found.score[found.order], plain.score[plain.order])
    named = "what does bus_arbiter do?"
    order = copied.searcher().ranking(named, 1).order
    assert using(copied, tmp_path).searcher().ranking(named, 1).order == order


def test_files_beyond_the_first_stay() -> None:
    score = np.arange(30, 0, -1).astype(np.float32)
    size = np.arange(30).astype(np.float32)
    order = list(range(30))
    before = score.copy()
    TrainedOrder(INPUTS, weighing("size")["weights"]).apply(order, score, {"size": size})
    assert order == [*range(FIRST - 1, -1, -1), *range(FIRST, 30)]
    np.testing.assert_array_equal(score[order], before)


def test_weights_of_other_inputs_are_left_out_with_a_note(copied: Project, tmp_path: Path) -> None:
    one = {"weights": np.ones(1, np.float32)}
    write_model(tmp_path, RERANKER, one, better=True, names=("fortune",))
    found = using(copied, tmp_path).search(QUESTION)
    assert any("weighs what this version has not" in note for note in found.notes)
    assert read_order("") is None


def test_a_map_for_sections(tmp_path: Path) -> None:
    root = tmp_path / "design"
    (root / "doc").mkdir(parents=True)
    (root / "doc" / "a.md").write_text(
        "# Pump\n\n## Start\n\nPress the green button.\n\n## Stop\n\nPress the red one.\n"
    )
    plain = Project(root)
    plain.index(graphrag="never", jobs=1, documents=True)
    models = tmp_path / "models"
    name = "bge-small-en-v1.5-int8/256"
    write_model(models, SECTIONS_MAP, turned(), better=True, embedder=name)
    question = "how is it brought to an end?"
    before, after = plain.passages(question), using(plain, models).passages(question)
    assert before[0].title != after[0].title
    write_model(models, SECTIONS_MAP, turned(), better=True, embedder="another")
    found = using(plain, models).search(question, kind="doc")
    assert [one.score for one in found.passages] == [one.score for one in before]
    assert any("without a trained map" in note for note in found.notes)


def test_a_repository_cannot_name_models(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text("hdlgraph:\n  trained:\n    path: .hdlgraph/trained\n")
    with pytest.raises(SettingsError, match="not for a repository to set"):
        Settings.load(path, found=True)
    assert Settings.load(path).trained.path == ".hdlgraph/trained"
