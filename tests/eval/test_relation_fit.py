"""The fit of the model of relations: labels, sets, and the network."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hdlgraph.eval.fit import network
from hdlgraph.eval.fit.network import Listed, Recipe, mean_of, train
from hdlgraph.eval.fit.relation_questions import NONE, folds, label_of, read
from hdlgraph.eval.sets.questions import read_questions
from hdlgraph.query.network import Network
from hdlgraph.query.relations.joint.kinds import KINDS

DATA = Path(network.__file__).parents[1] / "data" / "relations"


def test_every_written_question_has_a_kind() -> None:
    examples = []
    for path in sorted((DATA / "written").glob("*.jsonl")):
        assert {one.corpus for one in read_questions(path)} == {path.stem}
        examples += list(read(path, path.stem))
        for line in path.read_text("utf-8").splitlines():
            assert json.loads(line)["argument_by"] in ("name", "part", "description")
    assert len(examples) > 1000
    assert {one.label for one in examples} == set(KINDS)
    parts = folds(examples)
    assert sorted(corpus for part in parts for corpus in part) == sorted(
        {one.corpus for one in examples}
    )


def test_other_questions_ask_for_no_relation() -> None:
    for path in sorted((DATA / "others").glob("*.jsonl")):
        assert read_questions(path)
        assert {one.label for one in read(path, path.stem)} == {NONE}


@pytest.mark.parametrize(
    ("kind", "evidence", "label"),
    [
        ("instantiates-child", "rtl/top.sv:3", "child"),
        ("contained", "rtl/top.sv:3", "child"),
        ("contained", "rtl/part.sv:3", "parent"),
        ("tested", "dv/tb.sv:3", "tested"),
        ("state", "seen in the case statement", NONE),
        ("functional", "rtl/top.sv:3", NONE),
    ],
)
def test_labels(kind: str, evidence: str, label: str) -> None:
    asked = {"kind": kind, "evidence": evidence, "relevant": ["rtl/part.sv"]}
    assert label_of(asked) == label


def test_the_network_learns_what_the_right_rows_have(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("BATCH", 16), ("WARM", 5)):
        monkeypatch.setattr(network, name, value)
    recipe = Recipe(plain=10.0, epochs=20, dropped=0.0)
    random = np.random.default_rng(3)
    questions = []
    for _ in range(120):
        values = random.random((6, 4)).astype(np.float32)
        right = np.arange(6) == int(np.argmax(values[:, 1]))
        questions.append(Listed(values, right, np.ones(6, bool), 1.0))
    found = train(questions, recipe)
    again = train(questions, recipe)
    assert all(np.array_equal(a, b) for a, b in zip(found, again, strict=True))
    hits = [one.right[int(np.argmax(found.scores(one.values)))] for one in questions]
    assert np.mean(hits) > 0.6  # it starts with the first number alone: 1 in 6


def test_the_mean_of_networks_is_one_network() -> None:
    random = np.random.default_rng(5)
    shapes = ((4,), (4,), (4,), (4, 3), (3,), (3,))
    mean, deviation = random.random(4), random.random(4) + 1
    some = [Network(*(random.standard_normal(shape) for shape in shapes))._replace(
        mean=mean, deviation=deviation) for _ in range(2)]  # fmt: skip
    values = random.random((7, 4)).astype(np.float32)
    expected = np.mean([one.scores(values) for one in some], axis=0)
    assert np.allclose(mean_of(some).scores(values), expected, atol=1e-5)
