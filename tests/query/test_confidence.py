"""Confidence: its signs on a real search, the notice, and the calibration's own arithmetic."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import numpy as np
import pytest

from hdlgraph.eval.fit.calibrate import crossed, main, off_topic, shortened, topic_model
from hdlgraph.eval.fit.calibration_report import by_kind, constants, refused, share_below, table
from hdlgraph.eval.fit.confidence_model import Case, calibration_error, fit
from hdlgraph.project import Project
from hdlgraph.query.result.confidence import (
    LIMIT,
    NAMED,
    NEAR,
    NETWORK_COEFFICIENTS,
    NETWORK_SIGNS,
    SIGNS,
    SMALL,
    WORD_NAMED,
    WORD_SIGNS,
    confidence,
    signs,
)
from hdlgraph.query.result.topic import MARGIN, TOPIC_SIGNS, WORD_TOPIC_SIGNS
from hdlgraph.query.result.weak import weakness
from hdlgraph.words import question_terms


def test_a_search_tells_its_confidence(soc_project: Project) -> None:
    sure = soc_project.search("round robin between hosts")
    lost = soc_project.search("what is the best recipe for chocolate cake with walnuts")
    assert 0.0 <= lost.confidence < LIMIT < sure.confidence <= 1.0
    assert sure.to_dict()["confidence"] == sure.confidence
    assert not any(note.startswith("nothing found fits well") for note in sure.notes)
    assert any(note.startswith("nothing found fits well") for note in lost.notes)


def test_what_cannot_be_told_is_none_and_never_weak(soc_project: Project) -> None:
    empty = soc_project.search("what is it?")
    assert empty.confidence is None
    assert weakness(empty) == ""
    named = soc_project.search("sync_fifo")
    assert named.confidence == NAMED
    nothing = soc_project.search("round robin", candidates=())
    assert nothing.confidence is None
    assert weakness(nothing) == "no file matches"


@pytest.mark.parametrize("name", ["timer", "uart", "Which file has the timer?"])
def test_the_name_of_a_unit_alone_is_sure(indexed_soc: Path, name: str) -> None:
    found = Project(indexed_soc).search(name)
    word = name.rstrip("?").split()[-1]
    assert found.confidence in (NAMED, WORD_NAMED)
    assert any(word in hit.path for hit in found.hits[:5])


@pytest.mark.parametrize("words", [True, False])
def test_a_question_in_another_script_is_weak_unless_it_names_something(
    soc_project: Project, indexed_soc: Path, words: bool
) -> None:
    project = Project(indexed_soc) if words else soc_project
    for text in ("哪个模块检测缺失的停止位？", "какой модуль считает такты"):
        found = project.search(text)
        assert found.confidence == 0.0
        assert "script that this index has no words of" in weakness(found)
    assert weakness(project.search("sync_fifo 的深度是多少？")) == ""
    assert weakness(project.search("UART 接收器在哪里？")) == ""
    assert weakness(project.search("où est détecté le bit de stop manquant?")) != (
        weakness(project.search("哪个模块检测缺失的停止位？"))
    )


def test_parts_do_not_change_the_confidence(soc_project: Project) -> None:
    searcher = soc_project.searcher()
    question = "What holds bytes in order until they are read, and which block drives the pins?"
    with_, without = searcher.search(question), searcher.search(question, aspects=False)
    assert with_.confidence == without.confidence


def test_signs_are_finite_and_of_the_documented_kind(soc_project: Project) -> None:
    searcher = soc_project.searcher()
    ranking = searcher.ranking("how are bytes sent over a serial line", hops=1)
    found = signs(ranking)
    assert set(found) == {*NETWORK_SIGNS, *TOPIC_SIGNS, "files"}
    assert all(math.isfinite(value) for value in found.values())
    for share in ("covered", "unknown", "strange", "margin", "lead"):
        assert 0.0 <= found[share] <= 1.0
    assert found["margin"] <= found["lead"]


def test_without_vectors_words_alone_tell(indexed_soc: Path) -> None:
    project = Project(indexed_soc)
    searcher = project.searcher()
    found = signs(searcher.ranking("round robin between hosts", 1))
    assert set(found) == {*WORD_SIGNS, *WORD_TOPIC_SIGNS, "files"}


def test_a_terse_question_with_a_near_passage_is_not_weak() -> None:
    nothing = dict.fromkeys((*SIGNS, *TOPIC_SIGNS), 0.0) | {"files": 500.0}
    lost = nothing | {"unknown": 1.0, "strange": 1.0, "terms": math.log1p(2)}
    assert confidence(lost) < LIMIT
    assert confidence(lost | {"near": NEAR}) >= LIMIT


def test_an_index_smaller_than_those_of_the_fit_refuses_only_what_it_has_no_words_of() -> None:
    few = dict.fromkeys(WORD_SIGNS + WORD_TOPIC_SIGNS, 0.0) | {"strange": 1.0}
    assert confidence(few | {"files": float(SMALL), "covered": 0.3}) < LIMIT
    assert confidence(few | {"files": SMALL - 1.0, "covered": 0.3}) >= LIMIT
    assert confidence(few | {"files": SMALL - 1.0}) < LIMIT


def test_what_the_network_is_sure_of_counts() -> None:
    found = dict.fromkeys((*SIGNS, *TOPIC_SIGNS), 0.5) | {"files": 500.0, "strange": 0.0}
    unsure, sure = ({**found, "network": odds} for odds in (-2.0, 4.0))
    assert confidence(unsure) < confidence(sure)
    assert set(NETWORK_COEFFICIENTS) == set(NETWORK_SIGNS)


def test_the_sign_of_the_network_is_the_odds_of_the_first_five(soc_project: Project) -> None:
    ranking = soc_project.searcher().ranking("how are bytes sent over a serial line", hops=1)
    assert ranking.network is not None
    assert list(ranking.network) == sorted(ranking.network, reverse=True)
    for values, odds in (([0.0] * 10, 1.0), ([9.0] * 5 + [-90.0] * 5, 1001.0), ([3.0], 1001.0)):
        ranking.network = np.asarray(values)
        assert signs(ranking)["network"] == pytest.approx(math.log(odds), abs=0.01)


def test_calibrate_prints_constants_for_each_way_of_searching(
    soc_project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {
        "which block sends bytes over the serial line?": "uart_tx.sv",
        "which block receives bytes and checks the stop bit?": "uart_rx.sv",
        "what counts ticks and raises an interrupt": "timer.v",
        "grants between hosts in turn": "bus_arbiter.sv",
        "how does reset come into the clock domain": "reset_sync.v",
        "where are bytes kept in order until they are read": "sync_fifo.sv",
        "the top that wires all blocks": "soc_top.sv",
        "sync_fifo": "sync_fifo.sv",
    }
    known = {path.rsplit("/", 1)[-1]: path for path in soc_project.searcher().lexicon.paths}
    rows = [
        {"id": str(n), "corpus": "soc", "question": text, "kind": "natural",
         "relevant": [known[name]]}
        for n, (text, name) in enumerate(asked.items())
    ]  # fmt: skip
    questions = tmp_path / "soc.jsonl"
    questions.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    index = str(soc_project.folder)
    assert main([str(questions), index, "--judge", str(questions), index]) == 0
    told = capsys.readouterr().out
    for line in ("NETWORK_BIAS = ", "\nBIAS = ", "WORD_BIAS = ", "TOPIC_BIAS = ", "natural: "):
        assert line in told
    assert main([str(tmp_path / "none.jsonl"), index]) == 2
    assert "none.jsonl" in capsys.readouterr().err


def test_off_topic_questions_are_many_and_once_each() -> None:
    questions = [question for question, _ in off_topic()]
    assert len(questions) == len(set(questions)) >= 120
    assert {kind for _, kind in off_topic()} == {
        "off-topic everyday",
        "off-topic hardware",
        "off-topic software",
    }


def case(x: float, found: bool, fold: int = 0, origin: str = "a") -> Case:
    return Case(origin, "natural", fold, {"x": x}, found)


def test_the_fit_finds_the_side_of_the_line() -> None:
    cases = [case(x / 10, x > 5, x % 2, "ab"[x % 3 == 0]) for x in range(11)] * 5
    model = fit(cases, ("x",))
    assert model.of(case(1.0, True)) > 0.9
    assert model.of(case(0.0, False)) < 0.1
    assert fit(cases, ("x",)) == model
    scored = crossed(cases, ("x",))
    assert len(scored) == len(cases)
    assert all((p > 0.5) == one.found for one, p in scored if abs(one.signs["x"] - 0.55) > 0.1)


def test_no_whole_question_on_the_topic_is_refused() -> None:
    def of(kind: str, x: float) -> Case:
        return Case("a", kind, 0, {"x": x}, False)

    asked = [of("natural", x) for x in (2.0, 0.3, 0.9)]
    away = [of("off-topic everyday", x) for x in (0.0, -1.0, 0.1, 0.5)]
    cases = [*asked, *away, of("cut short", 0.2)]
    topic = topic_model(cases, ("x",))
    assert min(map(topic.log_odds, asked)) == pytest.approx(MARGIN, abs=0.01)
    told = dict(row.split(": ") for row in refused([*asked, *away], topic))
    assert told["natural"] == "0 of 3, 0.000"
    assert told["off-topic everyday"] in ("3 of 4, 0.750", "2 of 4, 0.500", "1 of 4, 0.250")


def test_a_shortened_question_is_a_piece_of_it() -> None:
    question = "which of the two queues is drained while the arbiter still holds its last grant?"
    pieces = {shortened(question, random.Random(seed)) for seed in range(9)}
    assert len(pieces) > 3
    assert all(piece in question and 3 <= len(question_terms(piece)) <= 6 for piece in pieces)
    assert shortened("round robin?", random.Random(1)) == "round robin?"


def test_figures_by_hand() -> None:
    scored = [
        (case(0, False), 0.1),
        (case(0, True), 0.9),
        (case(0, True), 0.9),
        (case(0, False), 0.9),
    ]
    # Bins of .2: {.1}: |.1 - 0|; {.9 .9 .9}: |2.7 - 2|; over 4 cases.
    assert calibration_error(scored) == pytest.approx((0.1 + 0.7) / 4)
    assert calibration_error([]) == 0.0
    assert share_below(scored, 0.5) == 0.25
    rows = list(table(scored, [(case(0, False), 0.3)], 0.5))
    assert "0.500     0.750              0.667              1.000  <- LIMIT" in rows


def test_scores_of_kinds_by_hand() -> None:
    scored = [(case(0, True), 0.5), (case(0, False), 0.5), (case(0, True), 1.0)]
    assert list(by_kind(scored)) == [
        "natural: 3, right 0.667, confidence 0.667, Brier 0.1667",
        "all: 3, right 0.667, confidence 0.667, Brier 0.1667",
    ]


def test_constants_are_printed_as_the_module_holds_them() -> None:
    model = fit([case(x / 10, x > 5) for x in range(11)], ("x",))
    scope: dict = {}
    exec("\n".join((*constants(model), *constants(model, "WORD_"))), scope)
    assert scope["COEFFICIENTS"] == scope["WORD_COEFFICIENTS"] == {"x": model.weights[0]}
    assert scope["BIAS"] == scope["WORD_BIAS"] == model.bias
