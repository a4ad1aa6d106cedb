"""Weights fit how a question is worded."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from hdlgraph.errors import WeightsMissingError
from hdlgraph.project import Project
from hdlgraph.query import weighing
from hdlgraph.query.question.wording import SIGNS, signs
from hdlgraph.query.search import Searcher
from hdlgraph.query.weighing import FIELDS, HIGHEST, factors, fitted, weighed
from hdlgraph.query.weights import PARTS, WRITTEN, Weights


def told(text: str, *, verification: bool = False) -> dict[str, float]:
    return dict(zip(SIGNS, signs(text, verification, False, 300).tolist(), strict=True))


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("which block grants the bus in turn?", "asks"),
        ("bus_req_t", "names alone"),
        ("ping pong buffer", "short"),
        ("UVM_ERROR @ 1200: scoreboard mismatch", "message"),
        ("expected 0x3f and got 12", "numbers"),
        ('it prints "queue overrun" and stops', "quoted"),
        ("please widen queue_depth by one", "has names"),
        ("tb.u_top: not driven", "colon"),
    ],
)
def test_each_wording_has_its_sign(text: str, sign: str) -> None:
    assert told(text)[sign] > 0
    assert told("grants turn by turn")[sign] <= 0 or sign == "short"


def test_signs_are_bounded_however_long_a_question_is() -> None:
    text = "axi_xbar: error at 0x12 [3 ns]. " * 5000
    assert all(abs(value) <= 2 for value in told(text).values())
    assert told("")["always"] == 1


def test_fields_are_those_of_parts() -> None:
    assert set(FIELDS) <= set(PARTS)
    assert {name for names in FIELDS.values() for name in names} <= set(asdict(Weights()))


def test_without_what_was_learnt_weights_stay() -> None:
    assert factors(np.zeros((2, len(SIGNS))), np.ones((1, len(SIGNS)))).tolist() == [[1.0, 1.0]]
    huge = factors(np.full((1, len(SIGNS)), 100.0), np.ones((1, len(SIGNS))))
    assert huge.tolist() == [[np.exp(HIGHEST)]]


def test_a_weight_that_is_0_stays_0_and_none_changes_its_sign() -> None:
    for weights in (Weights(), WRITTEN):
        before = asdict(weights)
        after = asdict(weighed(weights, signs("where is fifo_depth set?", False, False, 40)))
        assert {name: np.sign(value) for name, value in before.items()} == {
            name: np.sign(value) for name, value in after.items()
        }
        assert before != after


def test_words_of_the_file_weigh_more_for_a_name_than_for_a_description() -> None:
    name = weighed(Weights(), signs("axi_xbar_intf", False, False, 300))
    described = weighed(Weights(), signs(
        "which block keeps one host from starving the others?", False, False, 300))  # fmt: skip
    assert name.verbatim / name.token_vectors > described.verbatim / described.token_vectors


def test_given_weights_are_taken_as_they_are(soc_words: Path) -> None:
    known = Project(soc_words).searcher()
    given = Searcher(known.index, Weights(text=2.0))
    question = known.analyse("bus_req_t")
    assert given.weights_for(question, None) == Weights(text=2.0)
    assert known.weights_for(question, None) != known.weights(None)


def test_numbers_of_another_version_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = {"parts": ["text"], "signs": ["always"], "numbers": [[0.0]]}
    (tmp_path / "weighing.json").write_text(json.dumps(found))
    monkeypatch.setattr(weighing, "files", lambda _: tmp_path)
    fitted.cache_clear()
    try:
        with pytest.raises(WeightsMissingError, match=r"weighing\.json: of another version"):
            fitted()
    finally:
        fitted.cache_clear()
