"""How questions for relations are built: patterns, what they leave out, levels, roles of tokens."""

from __future__ import annotations

import numpy as np
import pytest

from hdlgraph.query.relations.joint.kinds import KINDS
from hdlgraph.query.relations.readings.clauses import wanted_at
from hdlgraph.query.relations.wording import roles
from hdlgraph.query.relations.wording.excluded import NOTHING, excluded
from hdlgraph.query.relations.wording.levels import levels
from hdlgraph.query.relations.wording.patterns import has, patterns
from hdlgraph.query.relations.wording.sort import SORTS, sorts


def test_patterns_keep_small_words_and_kinds_of_words_alone() -> None:
    found = patterns("Which unit in fifo_ctrl purples the greenish beat?")
    assert "which <unit> in" in found
    assert "in NAME *" in found
    assert not any("greenish" in one or "fifo" in one for one in found)
    assert has("Where is it?", ["^ where", "which"]) == [1.0, 0.0]


@pytest.mark.parametrize(
    ("question", "left_out", "kept"),
    [
        ("Apart from the timer and uart packages, which package does it import?", "uart_pkg",
         "spi_pkg"),
        ("Besides bus_pkg, which package does the core import?", "bus_pkg", "bus_types"),
        ("Which unit (not of old_dir) imports it?", "old_dir", "unit"),
    ],
)  # fmt: skip
def test_what_is_left_out_by_name(question: str, left_out: str, kept: str) -> None:
    said = excluded(question)
    assert said.share([left_out], [], test=False) > said.share([kept], [], test=False)
    assert said.share(["some"], ["old_dir"], test=False) == float("old_dir" in question)


def test_tests_are_left_out() -> None:
    said = excluded("fifo.vh: which adapters (RTL, not benches) include it?")
    assert said.share(["fifo_tb"], [], test=True) == 1.0
    assert said.share(["fifo_bridge"], [], test=False) == 0.0
    assert excluded("Which adapter includes it?") == NOTHING


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Which unit two levels above holds it?", 1),
        ("Two more levels up, where does it end?", 2),
        ("One level further down, which arbiter is there?", 1),
        ("Which unit holds it?", -1),
    ],
)
def test_levels(question: str, wanted: int) -> None:
    assert levels(question) == wanted


def test_each_token_has_a_place_before_or_behind_the_question_word() -> None:
    text = "Below the hub, which unit in the ring counts?"
    spans = [(6, 9), (10, 13), (15, 20), (29, 32), (33, 37)]
    tokens = np.zeros((5, 192), np.float32)
    told = roles.features(text, spans, tokens, [0.0] * len(KINDS))
    assert told.shape[0] == 5
    assert not np.array_equal(told[1], told[4])  # before, and behind "in"
    before, behind = (one for one in roles.places(text) if text[one.begin : one.end] in
                      ("hub", "ring"))  # fmt: skip
    assert before.distance < 0 < behind.distance
    assert before.clause == -1
    assert behind.clause == 0


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("what is enable_i of u_gate tied to?", {"value"}),
        ("u_buf: which clock does it run on?", {"value"}),
        ("What value of DEPTH does u_buf get?", {"value"}),
        ("What is the ring connected to?", {"link"}),
        ("Which file binds the checker to the arbiter?", {"file", "made"}),
        ("Where is it reset?", {"place"}),
        ("I need the block that holds the reset.", {"need"}),
        ("Is there a unit above the ring?", {"is there"}),
        ("Which value table block holds it?", set()),
        ("Which unit drives it?", set()),
    ],
)
def test_what_sort_of_thing_is_wanted(question: str, wanted: set[str]) -> None:
    assert {name for name, has in zip(SORTS, sorts(question), strict=True) if has} == wanted


@pytest.mark.parametrize(
    ("question", "behind"),
    [
        ("In which unit is it?", " unit is it?"),
        ("I need the block that stalls.", " block that stalls."),
        ("Is there a cell for it?", " cell for it?"),
        ("the ring: driven by?", None),
    ],
)
def test_what_is_wanted_stands_behind_a_question_word_or_a_request(
    question: str, behind: str | None
) -> None:
    found = wanted_at(question)
    assert (question[found[1] :] if found else None) == behind
