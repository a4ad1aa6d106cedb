"""The cross-encoder for the first files: of a model of two layers, on the little system."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from _jargon import ASKED

from hdlgraph.errors import UsageError, WeightsMissingError
from hdlgraph.eval.fit import listwise
from hdlgraph.eval.fit.network import Recipe
from hdlgraph.eval.sets.questions import read_questions
from hdlgraph.index.embed.onnx import open_tokenizer
from hdlgraph.project import Project
from hdlgraph.query.listwise.inputs import NAMES
from hdlgraph.train.cross.cards import QUESTION_TOKENS, Pieces, Rows, cards_of, feed, pieces, rows
from hdlgraph.train.cross.material import Listed, collect, lines_of, texts_of
from hdlgraph.train.cross.orders import best_weight, moved, rank_of, summed, widened

pytest.importorskip("jax", reason="the extra `train` is not installed")
pytest.importorskip("onnx", reason="the extra `train` is not installed")

from _tiny_bert import D, write_tiny_bert

from hdlgraph.train.cross import __main__ as command
from hdlgraph.train.cross.fit import CrossLearner, CrossRecipe, Line, scores
from hdlgraph.train.cross.graph import first_layers
from hdlgraph.train.cross.model import CrossEncoder, write_cross_encoder, write_judged
from hdlgraph.train.cross.start import OUT, open_start
from hdlgraph.train.full.encoder import Shape, encode, stacked

PREFIX = "how is it done: "
"""Without it many of them ask for a relation, which edges answer."""
QUESTIONS = [PREFIX + question for asked in ASKED.values() for question in asked]
TOKENS = 32


def scores_of(weights: Any, pairs: Rows, shape: Shape) -> np.ndarray:
    return np.asarray(scores(weights, (pairs.ids, pairs.kinds, pairs.mask), shape))


def write_questions(path: Path, corpus: str = "soc") -> Path:
    lines = [
        {"id": f"{file}-{at}", "corpus": corpus, "question": PREFIX + question, "kind": "natural",
         "relevant": [file], "equivalent": [], "evidence": "its text"}
        for file, questions in ASKED.items() for at, question in enumerate(questions)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    return path


@pytest.fixture(scope="module")
def index(soc_project: Project) -> Path:
    return soc_project.searcher().index.folder.parent.parent


@pytest.fixture(scope="module")
def listed(index: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Listed]:
    questions = write_questions(tmp_path_factory.mktemp("asked") / "questions.jsonl")
    return collect(index, read_questions(questions))


def test_a_card_says_path_purpose_and_behaviour(soc_project: Project) -> None:
    view = soc_project.searcher().index
    card = cards_of(view)[list(view.lexicon.paths).index("rtl/bus_arbiter.sv")]
    assert card.startswith("rtl bus arbiter. ")
    assert view.surfaces is not None
    own = [
        one for one in view.surfaces.texts if view.lexicon.paths[one.file].endswith("arbiter.sv")
    ]
    assert {one.kind: one.text in card for one in own} == {
        "head": False, "purpose": True, "behaviour": True,
    }  # fmt: skip


def test_pairs_are_cut_where_the_card_is_long() -> None:
    known = Pieces((np.arange(10, 13), np.arange(20, 90), np.arange(100, 200)), 1, 2)
    found = rows(known, [(0, 1), (1, 2)], 12)
    assert found.ids.tolist() == [
        [1, 10, 11, 12, 2, *range(20, 26), 2],
        [1, *range(20, 31)],
    ]  # a question that fills the row leaves no place for a card
    assert found.kinds[0].tolist() == [0] * 5 + [1] * 7
    long = rows(known, [(1, 2), (0, 0)], 100)
    assert long.ids[0, 1 : 1 + QUESTION_TOKENS].tolist() == list(range(20, 20 + QUESTION_TOKENS))
    assert long.mask.sum(axis=1).tolist() == [100, 9]
    assert feed(long, 1)["input_ids"].tolist() == [[1, 10, 11, 12, 2, 10, 11, 12, 2]]


def test_questions_are_listed_with_the_cards_of_the_first_files(listed: list[Listed]) -> None:
    assert len(listed) == len(QUESTIONS)
    for one in listed:
        assert one.asked.values.shape == (len(one.files), len(NAMES))
        assert len(one.cards) == min(20, len(one.files))
        right = [card in one.right_cards for card in one.cards]
        assert right == one.asked.right[: len(right)].tolist()
    lines = lines_of(listed, texts_of(listed))
    assert not any(set(line.right) & set(line.wrong) for line in lines)
    assert {line.question for line in lines} == {texts_of(listed)[q] for q in QUESTIONS}


def test_scores_move_the_first_files_only() -> None:
    values, near = np.asarray([3.0, 2.0, 1.0, 0.5]), np.asarray([0.0, 1.0, 9.0], np.float32)
    assert moved(values, near, 0.0, 3).tolist() == [0, 1, 2, 3]
    assert moved(values, near, 1.0, 2).tolist() == [0, 1, 2, 3]
    assert moved(values, near, 1.0, 3).tolist() == [2, 0, 1, 3]
    assert moved(values, near, 1.0, 4).tolist() == [2, 0, 1, 3]  # the last one has no score


def test_the_weight_is_the_one_that_brings_right_files_first(listed: list[Listed]) -> None:
    values = [one.asked.values[:, 0].astype(np.float64) for one in listed]
    perfect = [one.asked.right.astype(np.float32)[:20] for one in listed]
    weight = best_weight(listed, values, perfect, 20)
    assert weight > 0
    assert (summed(listed, values, perfect, 100.0, 20) == 1).all()
    against = [-score for score in perfect]
    assert best_weight(listed, values, against, 20) == 0.0
    apart = replace(
        listed[0].asked, right=np.asarray([False, True]), ignored=np.asarray([True, False])
    )
    assert rank_of(apart, np.asarray([0, 1])) == 1
    assert rank_of(replace(apart, right=np.zeros(2, bool), rank=7), np.asarray([1, 0])) == 7


def test_the_network_sees_score_distance_and_place(listed: list[Listed]) -> None:
    near = np.asarray([0.5, 2.0], np.float32)
    found = widened(listed[0], near).values[:, len(NAMES) :]
    assert found.shape == (len(listed[0].files), 3)
    np.testing.assert_allclose(found[0], [0.5, -1.5, 1 / (1 + 1 / 3)], rtol=1e-6)
    np.testing.assert_allclose(found[1], [2.0, 0.0, 1.0])
    assert (found[2:, 0] == 0.5).all()  # no score is better than the lowest


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory, listed: list[Listed]) -> dict[bool, Path]:
    folder = tmp_path_factory.mktemp("tiny")
    texts = list(texts_of(listed))
    return {int8: write_tiny_bert(folder / f"m{int8:d}", texts, int8) for int8 in (False, True)}


@pytest.mark.parametrize("int8", [False, True])
@pytest.mark.parametrize("layers", [1, 2])
def test_what_is_written_scores_as_the_training_does(
    tiny: dict[bool, Path], tmp_path: Path, int8: bool, layers: int
) -> None:
    start = open_start(str(tiny[int8]))
    weights = start.weights(layers, 1)
    assert not weights["learnt"]["head"][OUT].any()  # no head of its own: all scores are 0
    weights["learnt"]["head"][OUT] = np.random.default_rng(3).normal(size=D).astype(np.float32)
    folder = write_cross_encoder(tmp_path, start, weights)
    write_judged(folder, TOKENS, {})
    known = pieces(QUESTIONS, open_tokenizer(start.tokenizer), TOKENS)
    pairs = rows(known, [(0, n) for n in range(len(QUESTIONS))], TOKENS)
    ours = scores_of(weights, pairs, start.shape)
    theirs = CrossEncoder(folder).scores(QUESTIONS[0], QUESTIONS)
    # int8 rounds what goes into each product as well: the weights alone are the same.
    np.testing.assert_allclose(ours, theirs, atol=0.3 if int8 else 1e-4)
    assert np.corrcoef(ours, theirs)[0, 1] > (0.98 if int8 else 0.99999)
    fewer = (folder / "model.onnx").stat().st_size
    assert fewer < (tiny[int8] / "model.onnx").stat().st_size + 8 * D * D
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(WeightsMissingError, match=r"tokenizer\.json has another sha256"):
        CrossEncoder(folder)


def test_the_first_token_is_that_of_the_whole_pass(tiny: dict[bool, Path]) -> None:
    start = open_start(str(tiny[False]))
    weights = start.weights(2, 1)
    weights["learnt"]["head"]["dense.weight"] *= 1e-3  # where tanh is a line
    known = pieces(QUESTIONS, open_tokenizer(start.tokenizer), TOKENS)
    pairs = rows(known, [(0, n) for n in range(len(QUESTIONS))], TOKENS)
    whole = stacked(start.former.arrays())
    tables = weights["fixed"]["tables"]
    tables["token_type_embeddings"] = tables["token_type_embeddings"][[0, 0]]
    expected = np.asarray(encode(whole, pairs.ids, pairs.mask, start.shape))
    found = np.empty_like(expected)
    for at in range(D):
        weights["learnt"]["head"][OUT] = np.eye(D, dtype=np.float32)[at]
        found[:, at] = scores_of(weights, pairs, start.shape)
    found /= np.linalg.norm(found, axis=1, keepdims=True)  # as `encode` does
    np.testing.assert_allclose(found, expected, atol=1e-3)


def test_it_learns_and_the_same_seed_gives_the_same_bytes(
    tiny: dict[bool, Path], listed: list[Listed], tmp_path: Path
) -> None:
    start = open_start(str(tiny[True]))
    number = texts_of(listed)
    known = pieces(list(number), open_tokenizer(start.tokenizer), TOKENS)
    recipe = CrossRecipe(layers=1, last=1, tokens=TOKENS, rate=1e-2, batch=4, hard=3, epochs=4)
    # Right are the cards of one folder, which can be told by their first word.
    cards = sorted({card for one in listed for card in one.cards})
    right = tuple(number[card] for card in cards if card.startswith("dv "))
    wrong = tuple(number[card] for card in cards if card.startswith("rtl "))
    lines = [Line(number[question], right, wrong) for question in QUESTIONS]
    learner = CrossLearner(known, start.shape, recipe)
    folders = []
    for _ in range(2):
        start = open_start(str(tiny[True]))  # to write a model changes what it was made of
        weights = start.weights(1, 1)
        learnt, ran = learner.learn(weights, lines, lines)
        assert ran["loss_aside"][0] == round(float(np.log(4)), 4)  # it knew nothing
        assert ran["loss_aside"][-1] < 0.5 * ran["loss_aside"][0]
        folders.append(write_cross_encoder(tmp_path, start, {**weights, "learnt": learnt}))
    assert folders[0] == folders[1]
    for layers, last in ((3, 1), (2, 3), (1, 0)):
        with pytest.raises(UsageError, match="keep 1 to 2 and learn no more"):
            start.weights(layers, last)
    with pytest.raises(UsageError, match="no layer 3"):
        first_layers(
            (tiny[True] / "model.onnx").read_bytes(), 3, start.weights(1, 1)["learnt"]["head"]
        )


def test_the_trial_is_one_command(
    tiny: dict[bool, Path], index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(
        listwise, "RECIPE", Recipe(plain=4.0, hidden=2, epochs=1, linear=1.0, starts=1)
    )
    questions = write_questions(tmp_path / "questions.jsonl")
    given = [f"{shutil.copytree(index, tmp_path / name)}={questions}" for name in "abc"]
    options = ["--out", str(tmp_path / "out"), "--start", str(tiny[True]), "--layers", "1"]
    options += [
        "--tokens",
        "32",
        "--rate",
        "0.01",
        "--hard",
        "2",
        "--batch",
        "4",
        "--last",
        "1",
        "--questions",
        "30",
    ]
    named = [given[0], "--fit", given[1], *options, "--scored", "20", "--judge", given[2]]
    assert command.main(named) == 0
    told = capsys.readouterr().out
    count = len(QUESTIONS)
    for way in ("sum", "network", "network of the scored", "network that sees the score"):
        assert f"[{way}]\nc                           {count}  @1 @5 @20" in told
    assert "network that sees the score against network of the scored: @1" in told
    folders = sorted((tmp_path / "out").iterdir())
    assert len(folders) == 1
    about = [json.loads((folder / "cross-encoder.json").read_text()) for folder in folders]
    assert {one["better"] for one in about} == {False}
    assert str(tmp_path) not in json.dumps(about)
    assert sorted(sum(one["made"]["questions"].values()) for one in about) == [count]
    assert CrossEncoder(folders[0]).tokens == 32
    with pytest.raises(SystemExit):
        command.main([*given, *options])
    assert command.main([*named, "--questions", "6"]) == 2
    assert "nothing to train: " in capsys.readouterr().err  # of six questions
    assert command.main([*named, given[0]]) == 2
    assert "an index is named twice" in capsys.readouterr().err


def test_too_few_questions_are_told(
    tiny: dict[bool, Path], listed: list[Listed], tmp_path: Path
) -> None:
    from hdlgraph.train.cross.trial import learn

    with pytest.raises(UsageError, match=r"nothing to train: \d questions"):
        learn(listed[:6], tmp_path / "out", CrossRecipe(start=str(tiny[True])), {})
    assert not (tmp_path / "out").exists()
