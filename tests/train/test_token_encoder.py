"""Fine-tuning of the encoder of token vectors: of a model of two layers, on the little system."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from _jargon import ASKED, write_pairs

from hdlgraph.errors import UsageError, WeightsMissingError
from hdlgraph.index.embed.token_vectors import FINE_TUNED, load_token_encoder
from hdlgraph.project import Project
from hdlgraph.query.features.token_vectors import Passages
from hdlgraph.settings.records import EmbeddingSettings, Settings, render_settings
from hdlgraph.store.token_vectors import StoredTokenVectors, write_token_vectors

pytest.importorskip("jax", reason="the extra `train` is not installed")
pytest.importorskip("onnx", reason="the extra `train` is not installed")

from _tiny_bert import D, write_tiny_bert
from _tiny_tokens import write_tiny_encoder

from hdlgraph.train.full.__main__ import main
from hdlgraph.train.full.fit import Learner, Line
from hdlgraph.train.full.token_by_token import TokenByToken, TokenRecipe
from hdlgraph.train.run import train_model

QUESTIONS = [question for asked in ASKED.values() for question in asked]
DESIGN = Path(__file__).parent.parent / "designs" / "soc"
SMALL = TokenRecipe(batch=6, rate=3e-3, epochs=4, tokens=24, asked=24, checks=1)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> EmbeddingSettings:
    folder = tmp_path_factory.mktemp("tiny")
    own = write_tiny_bert(folder / "sentences", QUESTIONS, int8=True)
    tokens = write_tiny_encoder(folder / "tokens", QUESTIONS)
    embedding = replace(EmbeddingSettings(), provider="onnx", path=str(own), dim=D, query_prefix="")
    return replace(embedding, token_path=str(tokens), threads=1)


@pytest.mark.parametrize("embedded", [False, True])
def test_nearness_is_that_of_the_search(
    settings: EmbeddingSettings, tmp_path: Path, embedded: bool
) -> None:
    settings = EmbeddingSettings() if embedded else settings
    model = TokenByToken(settings, replace(SMALL, tokens=48, asked=48))
    asked, texts = QUESTIONS[:3], QUESTIONS[3:9]
    tokens = model.tokens([*asked, *texts], {0, 1, 2})
    ours = np.asarray(model.near(model.weights(), tokens.ids, tokens.mask, 3))
    encoder = load_token_encoder(settings)
    write_token_vectors(tmp_path, encoder.passages(texts), encoder.dim)
    passages = Passages(StoredTokenVectors(tmp_path), np.arange(6))
    for row, question in enumerate(asked):
        rows = encoder.question(question)
        score, _ = passages.score(rows, np.arange(6))
        np.testing.assert_allclose(ours[row], score / len(rows), atol=0.01)


def lines() -> list[Line]:
    # Each question is answered by the other one of its file; texts 2 n and 2 n + 1 belong together.
    count = len(QUESTIONS)
    return [
        Line(n, (n ^ 1,), tuple(m for m in range(count) if m // 2 != n // 2), frozenset((n, n ^ 1)))
        for n in range(count)
    ]


@pytest.mark.parametrize("last", [0, 1])
def test_it_learns_and_the_same_seed_gives_the_same_bytes(
    settings: EmbeddingSettings, tmp_path: Path, last: int
) -> None:
    found = []
    for name in ("a", "b"):
        model = TokenByToken(settings, replace(SMALL, last=last))
        tokens = model.tokens(QUESTIONS, frozenset(range(0, len(QUESTIONS), 2)))
        learner, before = Learner(tokens, model, model.recipe), model.weights()
        weights, ran = learner.learn(before, lines(), lines())
        assert ran["loss_aside"][-1] < 0.9 * ran["loss_aside"][0]
        folder = model.write(tmp_path / name, weights)
        found.append([(folder / file).read_bytes() for file in ("model.onnx", "projection.npy")])
        assert not np.array_equal(weights["projection"], before["projection"])
        changed = [
            bool((weights["layers"]["output.dense.bias"][n] != row).any())
            for n, row in enumerate(before["layers"]["output.dense.bias"])
        ]
        assert changed == [not last, True]
    assert found[0] == found[1]


@pytest.fixture(scope="module")
def indexed(settings: EmbeddingSettings, tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = shutil.copytree(DESIGN, tmp_path_factory.mktemp("indexed") / "soc")
    project = Project(root, settings=replace(Settings(), embedding=settings))
    project.index(graphrag="never", jobs=1)
    return project


def test_a_model_is_judged_written_and_indexed_with(indexed: Project, tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.jsonl", prefix="")
    before = indexed.search(QUESTIONS[0])
    assert not before.notes
    report = train_model(indexed, "token-encoder", pairs, tmp_path / "out", 0)
    (model,) = report.models
    assert [one.name for one in model.compared] == ["token vectors alone", "whole search"]
    folder = tmp_path / "out" / model.file
    told = json.loads((folder / FINE_TUNED).read_text())
    assert told["better"] is model.better is False  # of six questions none can tell
    assert told["made"]["pairs"]["held_out"] == len(model.compared[0].before)
    assert str(tmp_path) not in json.dumps(told)
    assert "used where" not in report.to_text()
    changed = replace(indexed.settings.embedding, token_path=str(folder))
    with pytest.raises(UsageError, match=r"embedding\.token_path .* was judged no better"):
        load_token_encoder(changed)
    (folder / FINE_TUNED).write_text(json.dumps({**told, "better": True}))
    own = replace(indexed.settings, embedding=changed)
    other = Project(shutil.copytree(indexed.root, tmp_path / "soc"), settings=own)
    notes = other.search(QUESTIONS[0]).notes
    assert any("without token vectors" in note and "index again" in note for note in notes)
    other.index(graphrag="never", jobs=1)
    again = other.search(QUESTIONS[0])
    assert not again.notes
    made = other.searcher().index.surfaces.models.token_vectors
    assert made == load_token_encoder(changed).name != told["base"]["name"]
    (folder / "projection.npy").write_bytes(b"another")
    with pytest.raises(WeightsMissingError, match="sha256"):
        load_token_encoder(changed)


def test_other_repositories_judge(
    indexed: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = write_pairs(tmp_path / "pairs.jsonl", prefix="")
    given = f"{indexed.folder}={pairs}"
    out, file = tmp_path / "out", tmp_path / "settings.yaml"
    file.write_text(render_settings(indexed.settings))
    words = ["--out", str(out), "--tokens", "--epochs", "1", "--settings", str(file)]
    assert main([given, "--judge", given, *words]) == 0
    assert "token-encoder" in capsys.readouterr().out
    (folder,) = out.iterdir()
    made = json.loads((folder / FINE_TUNED).read_text())["made"]
    assert made["pairs"]["held_out"] == len(QUESTIONS)
    assert made["pairs"]["learnt"] + made["pairs"]["aside"] == len(QUESTIONS)
    assert made["judged_on"][0]["from"] == "pairs.jsonl"


def test_a_folder_that_was_not_written_by_training_is_not_used(tmp_path: Path) -> None:
    with pytest.raises(WeightsMissingError, match=r"it has no token-encoder\.json"):
        load_token_encoder(replace(EmbeddingSettings(), token_path=str(tmp_path)))
