"""Which file an answer begins with, and that no lines without a word are quoted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from _texts import units

from hdlgraph.project import Project
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.answer.order import in_order
from hdlgraph.query.answer.passages.view import FileView
from hdlgraph.words import terms

WRAPPER = """module drain_unit(input logic clk);
  drain_core u_core(.clk(clk));
endmodule
"""
CORE = """module buffer_core(input logic clk, input logic full, input logic idle, output logic go);
  // the write buffer is drained when the bus is idle or the buffer is full
  assign go = idle | full;
endmodule
"""
WANTED = {term: (n, 3.0) for n, term in enumerate(terms("drained write buffer idle full"))}
BOXED = """/****************************************
 * Copyright (C) 2020, Somebody Else
 * All rights reserved.
 *
 * Redistribution and use in source and binary forms are permitted.
 *
 * 1. Redistributions of source code must retain the above copyright notice.
 *
 * 2. Redistributions in binary form must reproduce the above copyright notice.
 *
 * THIS SOFTWARE IS PROVIDED BY THE AUTHORS "AS IS" WITHOUT WARRANTY.
 *
 * @brief Counts the credits of the link.
 * @description
 *  A credit is taken for each packet of the link.
 ****************************************/
module credits(input logic clk, input logic give, output logic [3:0] left);
  //######################################
  // Credit counter
  //######################################
  //
  always_ff @(posedge clk)
    if (give) left <= left + 1;
endmodule
"""
PAIR = """module pair_a #(parameter int WIDE = 8)(input logic clk, output logic q);
  // saturate the sample before the rounding stage of the filter
  assign q = clk;
endmodule
module pair_b #(parameter int WIDE = 4)(input logic clk, output logic q);
  assign q = ~clk;
endmodule
"""


def ordered(scores: dict[str, float]) -> list[str]:
    views = [
        FileView(path, {"wrapper.sv": WRAPPER, "core.sv": CORE}[path], WANTED) for path in scores
    ]
    return [view.path for view in in_order(views, (), (), verification=False, scores=scores)]


def test_of_two_about_as_good_the_file_whose_lines_say_it_comes_first() -> None:
    assert ordered({"wrapper.sv": 1.0, "core.sv": 0.8})[0] == "core.sv"


def test_a_file_far_better_in_the_ranking_stays_first() -> None:
    assert ordered({"wrapper.sv": 1.0, "core.sv": 0.2})[0] == "wrapper.sv"


def test_no_line_without_a_word_is_quoted_of_a_comment(tmp_path: Path) -> None:
    text = units(tmp_path, credits=BOXED).ask("how does the link count credits?").text
    assert "A credit is taken for each packet" in text
    assert [row for row in text.split("\n") if re.fullmatch(r"\s*\d+\|[\W_]*", row)] == []


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return units(tmp_path_factory.mktemp("pair"), pair=PAIR)


def test_a_direct_answer_that_leaves_much_open_is_followed_by_lines(pair: Project) -> None:
    asked = "pair_a instead of pair_b: when does it saturate the sample before rounding?"
    text = pair.ask(asked).text
    assert "saturate the sample before the rounding stage" in text


def test_a_direct_answer_to_all_of_a_question_stands_alone(pair: Project) -> None:
    text = pair.ask("what is the difference between pair_a and pair_b?").text
    assert "WIDE" in text
    assert "Most likely" not in text


CASES = """module chooser #(parameter string CORE = "fast")(input logic clk, output logic q);
  case (CORE)
  "fast": begin : core
    fast_core #(
      .WIDE(3)
    ) u_fast(.clk, .q);
  end
  endcase
endmodule
module fast_core #(parameter int WIDE = 1)(input logic clk, output logic q);
  assign q = clk;
endmodule
"""


def test_an_instance_is_not_taken_for_the_unit_that_it_is() -> None:
    page = FactPage(lambda _: CASES)
    said = "- chooser instantiates fast_core as u_fast"
    assert page.fact(said, ("fast_core", "u_fast"), "chooser.sv", 4)
    assert page.text == f"{said} [chooser.sv:4-6]"


ARBITER = """// N:1 arbiter module
//
// Verilog parameter
//   N:           Number of request ports
//   DataPort:    Set to 1 to enable the data port. Otherwise that port will be ignored.
//
// See also: arbiter_tree
module arbiter_flat #(parameter int N = 8, parameter bit DataPort = 1)(
  input logic [N-1:0] req, input logic ready, output logic [N-1:0] winner);
  assign winner = req & {N{ready}};
endmodule
"""


def test_a_unit_is_not_described_by_half_a_thought(tmp_path: Path) -> None:
    text = units(tmp_path, arbiter_flat=ARBITER).ask("how does arbiter_flat hold the winner?").text
    assert "winner = req" in text
    assert "Described as: Otherwise" not in text
