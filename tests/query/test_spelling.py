"""Misspelt names: searched as the index spells them, only where one name is clearly meant."""

from __future__ import annotations

import pytest
from _texts import indexed

from hdlgraph.project import Project
from hdlgraph.query.lexicon import Lexicon
from hdlgraph.query.question.spelling import MOST_NAMES, misspelt, respelt
from hdlgraph.query.result.confidence import NAMED, WORD_NAMED

UNITS = """module credit_counter(input clk_i, output logic grant_ready_q, data_q0, data_q1);
assign grant_ready_q = clk_i; assign tl_a_valid_o = 1; assign debug_module = 0;
endmodule
"""
OTHER = """module dataWidener(input request_left, request_lift, fifoReadPointer);
endmodule
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("misspelt")
    return indexed(root, {"credit_counter.sv": UNITS, "widener.sv": OTHER})


@pytest.fixture(scope="module")
def lexicon(project: Project) -> Lexicon:
    return project.searcher().lexicon


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("credit_couter", "credit_counter"),
        ("Credit_Conuter", "credit_counter"),
        ("grant_raedy_q", "grant_ready_q"),
        ("fifoReadPionter", "fiforeadpointer"),
    ],
)
def test_a_name_with_a_slip_is_known(lexicon: Lexicon, name: str, meant: str) -> None:
    assert misspelt(f"where is {name} set?", lexicon) == {name: meant}


@pytest.mark.parametrize(
    ("name", "whole"),
    [("grant_rea", "grant_ready_q"), ("READPOINTER", "fiforeadpointer"), ("READPOINTRE", None)],
)
def test_a_part_of_a_name_is_known(lexicon: Lexicon, name: str, whole: str | None) -> None:
    assert misspelt(f"after reset {name} is wrong", lexicon).get(name) == whole


@pytest.mark.parametrize(
    "name",
    [
        "credit_counter",  # as it is
        "data_q7",  # another number is another thing
        "tl_d_valid_o",  # a letter that is a word of its own
        "debug_mode",  # a word of its own
        "request_loft",  # near to two
        "couter",  # an everyday word, as far as one can tell
        "REQUESTS",  # one in capitals, of which the index has the stem
        "top.credit_couter.x",  # a path
        "`CREDIT_COUTER",
    ],
)
def test_other_names_stay_as_they_are(lexicon: Lexicon, name: str) -> None:
    assert misspelt(f"where is {name} set?", lexicon) == {}


def test_the_question_is_searched_as_meant_and_a_note_says_so(project: Project) -> None:
    found = project.search("credit_couter")
    assert found.hits[0].path == "credit_counter.sv"
    assert "credit_couter stands nowhere: searched as credit_counter" in found.notes
    assert found.confidence not in (NAMED, WORD_NAMED)
    exact = project.search("credit_counter")
    assert not any("stands nowhere" in note for note in exact.notes)


def test_words_of_a_name_with_capitals_stay() -> None:
    names = {"fifoReadPionter": "fiforeadpointer", "a_nmae": "a_name"}
    text = respelt("fifoReadPionter, a_nmae and a_nmae_q", names)
    assert text == "fifoReadPionter fiforeadpointer, a_name and a_nmae_q"


def test_of_many_unknown_names_only_the_first_are_looked_up(lexicon: Lexicon) -> None:
    unknown = " ".join(f"strange_{number}_thing" for number in range(MOST_NAMES - 1))
    assert misspelt(f"{unknown} credit_couter", lexicon) == {"credit_couter": "credit_counter"}
    assert misspelt(f"{unknown} another_thing credit_couter", lexicon) == {}
