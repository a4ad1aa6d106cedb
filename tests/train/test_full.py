"""Fine-tuning of all weights: of a model of two layers, on the little system."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from _jargon import ASKED, write_pairs

from hdlgraph.errors import UsageError, WeightsMissingError
from hdlgraph.index.embed.embedder import load_embedder, weights_folder
from hdlgraph.index.embed.onnx import open_tokenizer
from hdlgraph.project import Project
from hdlgraph.settings.records import EmbeddingSettings, Settings
from hdlgraph.train.full.model_folder import base_settings

pytest.importorskip("jax", reason="the extra `train` is not installed")
pytest.importorskip("onnx", reason="the extra `train` is not installed")

from _tiny_bert import HEADS, D, write_tiny_bert

from hdlgraph.train.full.encoder import Shape, encode, stacked, unstacked
from hdlgraph.train.full.fit import FullRecipe, Learner, Line, batches
from hdlgraph.train.full.material import tokens_of
from hdlgraph.train.full.onnx_weights import OnnxWeights
from hdlgraph.train.full.sentences import Sentences
from hdlgraph.train.run import FULL, train_model

QUESTIONS = [question for asked in ASKED.values() for question in asked]
DESIGN = Path(__file__).parent.parent / "designs" / "soc"


def tiny_settings(folder: Path) -> EmbeddingSettings:
    return replace(EmbeddingSettings(), provider="onnx", path=str(folder), dim=D, query_prefix="")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Path]:
    folder = tmp_path_factory.mktemp("tiny")
    return {int8: write_tiny_bert(folder / f"m{int8:d}", QUESTIONS, int8) for int8 in (False, True)}


def vectors(arrays: dict[str, np.ndarray], folder: Path, heads: int, texts: list[str]) -> Any:
    tokens = tokens_of(texts, open_tokenizer(folder / "tokenizer.json"), 24)
    return np.asarray(encode(stacked(arrays), tokens.ids, tokens.mask, Shape(heads)))


@pytest.mark.parametrize("int8", [False, True])
def test_the_forward_pass_is_that_of_onnxruntime(tiny: dict[bool, Path], int8: bool) -> None:
    ours = vectors(OnnxWeights(tiny[int8] / "model.onnx").arrays(), tiny[int8], HEADS, QUESTIONS)
    theirs = load_embedder(tiny_settings(tiny[int8])).embed(QUESTIONS)
    # int8 rounds what goes into each product as well: the weights alone are the same.
    assert (ours * theirs).sum(axis=1).min() > (0.999 if int8 else 0.99999)


def test_the_forward_pass_is_that_of_the_embedded_model() -> None:
    folder = weights_folder()
    ours = vectors(OnnxWeights(folder / "model.onnx").arrays(), folder, 12, QUESTIONS[:3])
    theirs = load_embedder(EmbeddingSettings()).embed(QUESTIONS[:3])
    assert (ours * theirs).sum(axis=1).min() > 0.995


@pytest.mark.parametrize("int8", [False, True])
def test_weights_go_back_as_they_came(tiny: dict[bool, Path], tmp_path: Path, int8: bool) -> None:
    model = OnnxWeights(tiny[int8] / "model.onnx")
    former = model.arrays()
    assert len(former) == 3 + 2 + 2 * 16
    same = model.write(unstacked(stacked(former)))
    assert len(same) <= (tiny[int8] / "model.onnx").stat().st_size + 64
    changed = shutil.copytree(tiny[int8], tmp_path / "m")
    (changed / "model.onnx").write_bytes(same)
    rows = [load_embedder(tiny_settings(f)).embed(QUESTIONS) for f in (tiny[int8], changed)]
    np.testing.assert_allclose(rows[0], rows[1], atol=1e-3)
    other = {name: array * 1.5 for name, array in former.items()}
    (changed / "model.onnx").write_bytes(model.write(other))
    found = OnnxWeights(changed / "model.onnx").arrays()
    for name, array in other.items():
        np.testing.assert_allclose(found[name], array, atol=np.abs(array).max() / 100)


@pytest.fixture(scope="module")
def learner(tiny: dict[bool, Path]) -> Learner:
    """One for all tests, as to compile takes seconds."""
    recipe = FullRecipe(batch=6, rate=3e-3, epochs=4, tokens=24)
    model = Sentences(tiny_settings(tiny[True]), recipe)
    return Learner(model.tokens(QUESTIONS, frozenset()), model, recipe)


def test_it_learns_and_the_same_seed_gives_the_same_bytes(
    tiny: dict[bool, Path], learner: Learner
) -> None:
    folder = tiny[True]
    # Each question is answered by the other one of its file; texts 2 n and 2 n + 1 belong together.
    count = len(QUESTIONS)
    lines = [
        Line(n, (n ^ 1,), tuple(m for m in range(count) if m // 2 != n // 2), frozenset((n, n ^ 1)))
        for n in range(count)
    ]
    found = []
    for _ in range(2):
        model = OnnxWeights(folder / "model.onnx")
        weights, ran = learner.learn(stacked(model.arrays()), lines, lines)
        assert ran["loss_aside"][-1] < 0.8 * ran["loss_aside"][0]
        assert ran["epochs"] > 0
        found.append(model.write(unstacked(weights)))
    assert found[0] == found[1]


def test_it_ends_where_what_was_kept_aside_gains_nothing(
    tiny: dict[bool, Path], learner: Learner
) -> None:
    first = Line(0, (1,), (2, 4), frozenset((0, 1)))
    against = Line(0, (2,), (1,), frozenset((0, 2)))
    model = OnnxWeights(tiny[False] / "model.onnx")
    before = model.arrays()
    weights, ran = learner.learn(stacked(before), [first] * 6, [against] * 6)
    assert (ran["epochs"], ran["steps"], len(ran["loss_aside"])) == (0, 1, 2)
    for name, array in unstacked(weights).items():
        assert np.array_equal(array, before[name])


def test_batches_are_of_one_size() -> None:
    assert batches(np.arange(5), 2) == [[0, 1], [2, 3], [4, 0]]
    assert batches(np.arange(2), 5) == [[0, 1, 0, 1, 0]]


@pytest.fixture(scope="module")
def indexed(tiny: dict[bool, Path], tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = shutil.copytree(DESIGN, tmp_path_factory.mktemp("indexed") / "soc")
    project = Project(root, settings=replace(Settings(), embedding=tiny_settings(tiny[True])))
    project.index(graphrag="never", jobs=1)
    return project


def test_a_model_is_judged_written_and_indexed_with(indexed: Project, tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.jsonl", prefix="")
    before = indexed.search(QUESTIONS[0])
    report = train_model(indexed, FULL, pairs, tmp_path / "out", 0)
    (model,) = report.models
    assert (model.kind, [one.name for one in model.compared]) == (
        "embedder",
        ["vectors alone", "whole search"],
    )
    folder = tmp_path / "out" / model.file
    told = json.loads((folder / "embedder.json").read_text())
    pairs_used = told["made"]["pairs"]
    assert sum(pairs_used.values()) == len(QUESTIONS)
    assert pairs_used["held_out"] == len(model.compared[0].before)
    assert told["better"] is model.better is False  # of six questions none can tell
    assert str(tmp_path) not in json.dumps(told)
    assert "not better: written, and never used" in report.to_text()
    assert indexed.search(QUESTIONS[0]).hits == before.hits
    changed = replace(indexed.settings, embedding=tiny_settings(folder))
    with pytest.raises(UsageError, match="judged no better than the one it was trained from"):
        load_embedder(changed)
    (folder / "embedder.json").write_text(json.dumps({**told, "better": True}))
    other = Project(shutil.copytree(indexed.root, tmp_path / "soc"), settings=changed)
    notes = other.search(QUESTIONS[0]).notes
    assert any("made by another model" in note and "index again" in note for note in notes)
    other.index(graphrag="never", jobs=1)
    again = other.search(QUESTIONS[0])
    assert not [note for note in again.notes if "model" in note]
    assert other.manifest().embedder == load_embedder(changed).name
    (folder / "model.onnx").write_bytes(b"another")
    with pytest.raises(WeightsMissingError, match="sha256"):
        load_embedder(changed)


def test_models_of_another_kind_are_named(indexed: Project, tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.jsonl", prefix="")
    folder = Path(indexed.settings.embedding.path)
    other = shutil.copytree(folder, tmp_path / "other")
    config = other / "config.json"
    config.write_text(json.dumps({"num_attention_heads": 4}))
    own = replace(indexed.settings.embedding, path=str(other))
    project = Project(indexed.root, settings=replace(indexed.settings, embedding=own))
    with pytest.raises(UsageError, match="its layers are not those of BERT"):
        train_model(project, FULL, pairs, tmp_path / "out", 0)
    config.write_text("{}")
    with pytest.raises(UsageError, match=r"config.json: num_attention_heads cannot be read"):
        train_model(project, FULL, pairs, tmp_path / "out", 0)
    (other / "model.onnx").write_bytes(b"none")
    with pytest.raises(UsageError, match="is no ONNX model"):
        OnnxWeights(other / "model.onnx")
    few = tmp_path / "few.jsonl"
    few.write_text('{"query": "who?", "positive": "rtl/uart.sv"}\n')
    with pytest.raises(UsageError, match=r"nothing to train: 1 pairs .*20 needed"):
        train_model(indexed, FULL, few, tmp_path / "out", 0)
    assert not (tmp_path / "out").exists()


def test_an_endpoint_cannot_be_fine_tuned() -> None:
    with pytest.raises(UsageError, match=r"embedding\.provider is openai"):
        base_settings(replace(EmbeddingSettings(), provider="openai"))
