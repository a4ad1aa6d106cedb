"""Which questions are about the whole of a design, and the answers they get."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.model.community import Community, Connection, Statement, TopUnit
from hdlgraph.query.overview.answer import broad_answer
from hdlgraph.query.overview.broad import is_broad
from hdlgraph.query.overview.overview import overview_of, part_of

SETS = Path(__file__).parents[2] / "eval" / "data"
WHOLE = (
    "How is this chip organised?",
    "which subsystems are there and how do they talk?",
    "How is the whole design structured?",
    "Give me an overview",
    "give me an overview of this repository",
    "What are the main blocks?",
    "what's in this repo?",
    "Describe the architecture of this SoC.",
    "What is the overall architecture?",
    "which main blocks does the chip have, and what does each do?",
    "overview",
    "how do the subsystems communicate with each other?",
    "explain this codebase, please",
    "tell me what this repository is about",
    "What subsystems make up the chip?",
    "how does the design hang together?",
    "how does this design fit together?",
    "describe the architecture",
    "what is the top and what is below it?",
    "what is the top module and what does it instantiate?",
)
PART = (
    "How is the register file organised?",
    "which blocks drive the clock?",
    "which modules instantiate the fifo?",
    "How does the design handle reset?",
    "what does the uart do?",
    "how do the fifos talk to the arbiter?",
    "What is the architecture of the branch predictor?",
    "which blocks are in the crossbar?",
    "what is the system reset for?",
    "What do they do?",
    "overview of the aes core",
    "how is this chip organised and where is the reset synchroniser?",
    "what does the system bus contain?",
    "what is the top module?",
    "what is the top of the fifo and what is below it?",
    "describe the architecture of the branch predictor",
    "how does the arbiter work?",
    "",
)


@pytest.mark.parametrize("question", WHOLE)
def test_a_question_about_the_whole_is_told(question):
    assert is_broad(question)


@pytest.mark.parametrize("question", PART)
def test_a_question_about_a_part_is_none(question):
    assert not is_broad(question)


def test_no_question_of_any_set_is_taken_for_one_about_the_whole():
    asked = [
        question
        for file in sorted(SETS.rglob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
        if (question := json.loads(line).get("question"))
    ]
    assert len(asked) > 500
    assert [question for question in asked if is_broad(question)] == []


def community(number: int, title: str, *, parent: int = -1, level: int = 0, **more) -> Community:
    values = {"files": 3, "units": 3, "roles": {"rtl": 3}, "purpose": "", **more}
    return Community(community=number, level=level, parent=parent, title=title, **values)


def test_the_answer_names_parts_purposes_and_what_joins_them():
    driven = Statement("a.q drives b.d by q", "rtl/top.sv", 9)
    parts = [
        community(
            0,
            "left",
            files=5,
            purpose="Sends words.",
            top_units=(TopUnit("module", "a", "rtl/a.sv", 2),),
            connections=(Connection(1, "right", {"drives": 1}, (driven,)),),
        ),
        community(1, "right", purpose="Takes words."),
        community(2, "bench", roles={"testbench": 9}, files=9),
        community(3, "cells", roles={"vendored": 8, "rtl": 1}, files=9),
    ]
    files = {"rtl/a.sv": "\nmodule a;\n", "rtl/top.sv": "\n" * 8 + "  b u_b (.d(q), .e(q));\n"}
    answer = broad_answer(
        "how?", overview_of(parts, 0, root="r", files=26), lambda p: files.get(p, "")
    )
    assert answer.text.splitlines() == [
        "26 files in 4 groups that belong together.",
        "",
        "The design:",
        "- left: Sends words.",
        "    module a [rtl/a.sv:2]",
        "    with right:",
        "      a.q drives b.d by q [rtl/top.sv:9]",
        "- right: Takes words.",
        "",
        "Taken from elsewhere:",
        "- cells",
        "",
        "Its tests:",
        "- bench",
    ]
    assert [(one.path, one.line) for one in answer.citations] == [
        ("rtl/a.sv", 2),
        ("rtl/top.sv", 9),
    ]


def test_what_no_longer_stands_there_is_said_without_a_citation():
    part = community(0, "left", top_units=(TopUnit("module", "a", "rtl/a.sv", 2),))
    answer = broad_answer("how?", overview_of([part], 0, root="r", files=1), lambda p: "\n// a\n")
    assert "    module a" in answer.text.splitlines()
    assert answer.citations == ()


def test_an_answer_shows_no_control_characters():
    part = community(0, "a\x1b[2J\u202e", purpose="one\ntwo")
    text = broad_answer("how?", overview_of([part], 0, root="r", files=1), lambda p: "").text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert r"- a\x1b[2J\u202e: one\ntwo" in text


@pytest.mark.parametrize(
    ("roles", "part"),
    [
        ({"rtl": 3, "generated": 2, "formal": 1, "testbench": 38}, "design"),
        ({"generated": 1, "testbench": 36}, "tests"),
        ({"vendored": 8, "rtl": 1}, "vendored"),
        ({"vendored": 8, "rtl": 3}, "design"),
        ({"formal": 4, "testbench": 5}, "tests"),
    ],
)
def test_a_small_block_beside_its_many_tests_is_part_of_the_design(roles, part):
    assert part_of(community(0, "block", roles=roles, files=sum(roles.values()))) == part


def test_children_follow_their_parents_and_a_circle_ends():
    parts = [
        community(0, "small"),
        community(1, "large", files=9),
        community(2, "part", parent=1, level=1),
        community(8, "x", parent=9, level=1),
        community(9, "y", parent=8, level=1),
        community(-1, "self", parent=-1),
    ]
    found = overview_of(parts, 1, root="r", files=12)
    assert [one.title for one in found.communities] == ["large", "part", "self", "small"]


@pytest.mark.parametrize("level", [-1, 2])
def test_a_level_that_is_not_there(level):
    parts = [community(0, "a"), community(1, "b", parent=0, level=1)]
    with pytest.raises(UsageError, match=f"level {level}: this overview has levels 0 to 1"):
        overview_of(parts, level, root="r", files=3)
