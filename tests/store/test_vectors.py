"""The vector stores: the same vectors, the same nearest rows, and the choice between them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hdlgraph import Project
from hdlgraph.errors import IndexDamagedError
from hdlgraph.settings.records import EmbeddingSettings, Settings
from hdlgraph.store.vectors import ann, indexed, lance
from hdlgraph.store.vectors.choose import LINE, WRITERS, chosen, find_store
from hdlgraph.store.vectors.probing import FILE

QUESTION = "which block sends bytes over a serial line?"


def some(count: int, dim: int = 12) -> tuple[np.ndarray, np.ndarray]:
    vectors = np.random.default_rng(3).normal(size=(count, dim)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors, (np.arange(count) % 3).astype(np.uint8)


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_a_store_gives_back_its_vectors_and_their_cosines(name: str, tmp_path: Path) -> None:
    vectors, groups = some(60)
    WRITERS[name](tmp_path, vectors, groups)
    store = find_store(tmp_path)
    assert store is not None
    assert store.name == name
    assert np.array_equal(store.rows(), vectors)
    wanted = vectors @ vectors[7]
    assert np.allclose(store.similarity(vectors[7]), wanted, atol=1e-6)


def test_lancedb_looks_at_the_nearest_of_each_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lance, "NEAREST", 5)
    vectors, groups = some(90)
    lance.write(tmp_path, vectors, groups)
    found = lance.Lance(tmp_path).similarity(vectors[7])
    wanted = vectors @ vectors[7]
    for group in range(3):
        rows = np.flatnonzero(groups == group)
        nearest = rows[np.argsort(-wanted[rows])[:5]]
        assert set(rows[~np.isnan(found[rows])]) == set(nearest)


def clustered(count: int, dim: int = 24) -> np.ndarray:
    """Vectors in groups, as those of texts are."""
    chance = np.random.default_rng(5)
    centres = chance.normal(size=(40, dim))
    vectors = centres[chance.integers(0, 40, count)] + 0.4 * chance.normal(size=(count, dim))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def test_a_large_table_is_searched_by_its_index_with_exact_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ann, "LEAST", 2000)
    monkeypatch.setattr(ann, "FETCHED", (60, 250, 1000))
    monkeypatch.setattr(indexed, "RANKED", 300)
    vectors = clustered(3000, 48)
    lance.write(tmp_path, vectors, (np.arange(3000) % 2).astype(np.uint8))
    store = find_store(tmp_path)
    assert store is not None
    assert store.probing is not None
    assert store.probing.fetched in (250, 1000)
    assert ann.WANTED <= store.probing.recall <= 1
    question = ann.between(vectors, 7)[3]
    wanted = vectors @ question
    found = store.nearest(question, 50)
    assert len(np.intersect1d(found, ann.exact(vectors, question))) >= 47
    assert list(found) == list(store.nearest(question, 50))
    assert list(wanted[found]) == sorted(wanted[found], reverse=True)
    cosines = store.similarity(question)
    rows = np.flatnonzero(~np.isnan(cosines))
    assert len(rows) == 300
    assert np.allclose(cosines[rows], wanted[rows], atol=1e-6)
    again = find_store(tmp_path)
    assert again is not None
    assert np.array_equal(again.similarity(question), cosines, equal_nan=True)
    assert np.array_equal(again.rows(), vectors)
    np.save(tmp_path / "vectors.npy", vectors[:100])
    shorter = find_store(tmp_path)
    assert shorter is not None
    with pytest.raises(IndexDamagedError, match="does not go with"):
        shorter.similarity(question)


@pytest.mark.parametrize(
    "said", [b"", b"{}", b'{"cells": 9, "fetched": -1, "recall": 1, "top": 50, "asked": 9}']
)
def test_a_damaged_note_on_the_index_is_told(tmp_path: Path, said: bytes) -> None:
    vectors, groups = some(60)
    lance.write(tmp_path, vectors, groups)
    (tmp_path / FILE).write_bytes(said)
    with pytest.raises(IndexDamagedError, match=r"vectors\.json.*--fresh"):
        find_store(tmp_path)


def test_the_number_of_vectors_chooses_unless_the_settings_do() -> None:
    assert chosen("auto", LINE - 1) == "arrays"
    assert chosen("auto", LINE) == "lancedb"
    assert chosen("lancedb", 1) == "lancedb"
    assert chosen("arrays", LINE) == "arrays"


def test_a_table_that_names_data_elsewhere_is_not_opened(tmp_path: Path) -> None:
    """LanceDB would read from there, or connect to it, without asking."""
    import lancedb

    vectors, groups = some(60)
    for name in ("home", "index"):
        (tmp_path / name).mkdir()
    lance.write(tmp_path / "home", vectors, groups)
    elsewhere = tmp_path / "home" / lance.FOLDER / f"{lance.TABLE}.lance"
    shallow = lancedb.connect(str(tmp_path / "index" / lance.FOLDER))
    assert shallow.clone_table(lance.TABLE, str(elsewhere)).count_rows() == 60
    with pytest.raises(IndexDamagedError, match="outside of the index"):
        lance.Lance(tmp_path / "index").similarity(vectors[7])
    with pytest.raises(IndexDamagedError, match="outside of the index"):
        lance.Lance(tmp_path / "index").rows()


@pytest.mark.parametrize("content", [b"", b"LANC", b"\xff" * 40, bytes(36) + b"LANC"])
def test_a_damaged_manifest_is_told(tmp_path: Path, content: bytes) -> None:
    vectors, groups = some(60)
    lance.write(tmp_path, vectors, groups)
    (manifest,) = tmp_path.rglob("*.manifest")
    manifest.write_bytes(content)
    with pytest.raises(IndexDamagedError, match="cannot be used"):
        lance.Lance(tmp_path).rows()


def test_a_folder_without_vectors_has_no_store(tmp_path: Path) -> None:
    assert find_store(tmp_path) is None


def test_the_report_of_an_index_tells_the_recall(
    soc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ann, "LEAST", 10)
    settings = Settings(embedding=EmbeddingSettings(store="lancedb", token_vectors=False))
    project = Project(soc, tmp_path / "index", settings=settings)
    for _ in range(2):  # made, then found
        notes = project.index(jobs=1, graphrag="never").notes
        (said,) = (note for note in notes if note.startswith("vectors: "))
        assert said.endswith("of each of 64 texts")
        assert "found 100.0% of the 50 nearest" in said or "found 99." in said
    assert project.search(QUESTION).hits


def test_search_ranks_alike_with_either_store(soc: Path, tmp_path: Path) -> None:
    found = []
    for name in sorted(WRITERS):
        settings = Settings(embedding=EmbeddingSettings(store=name, token_vectors=False))
        project = Project(soc, tmp_path / name, settings=settings)
        project.index(jobs=1, graphrag="never")
        hits = project.search(QUESTION).hits
        found.append([(hit.path, round(hit.score, 4)) for hit in hits])
    assert found[0] == found[1]
    assert list((tmp_path / "lancedb").glob(f"gen-*/surfaces/{lance.FOLDER}"))
