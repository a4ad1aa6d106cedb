"""Reset values in answers: of generate blocks, of patterns, of members, with the reset's edge."""

from __future__ import annotations

import pytest
from _texts import indexed

from hdlgraph.project import Project

DESIGN = """\
module store #(parameter KIND = "small", parameter int DEPTH = 8) (
  input logic clk, input logic arst_n, input logic rst, input logic push, output logic full
);
  typedef struct packed {logic on; logic [1:0] level; logic [3:0] rest;} mode_t;
  mode_t mode_q, mode_n;
  case (KIND)
    "small": begin : genSmall
      logic signed [7:0] Credit;
      always_ff @(posedge clk) begin
        if (rst) Credit <= -DEPTH;
        else if (push) Credit <= Credit + 1;
      end
    end : genSmall
    "huge": begin : genHuge
      logic signed [7:0] Credit;
      always_ff @(posedge clk) begin
        if (rst) Credit <= -DEPTH - 2;
        else if (push) Credit <= Credit + 2;
      end
    end : genHuge
  endcase
  always_ff @(posedge clk, negedge arst_n) begin
    if (!arst_n) begin
      mode_q <= '{
        on: 1'b1,  // at once
        level: 2'd2,
        default: '0
      };
    end else begin
      mode_q <= '{
        on: mode_n.on,
        level: 2'd1,
        rest: 4'd3
      };
    end
  end
  assign full = mode_q.on;
endmodule
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("store")
    return indexed(root, {"store.sv": DESIGN})


def heads(project: Project, question: str) -> list[str]:
    answer = project.ask(question)
    assert answer.citations
    return [row for row in answer.text.splitlines() if " resets to " in row]


SMALL = """store.genSmall.Credit resets to -DEPTH if case (KIND) "small" && rst, @(posedge clk):"""
HUGE = """store.genHuge.Credit resets to -DEPTH - 2 if case (KIND) "huge" && rst, @(posedge clk):"""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what is the reset value of Credit in store?", [SMALL, HUGE]),
        ("what is the reset value of Credit?", [SMALL, HUGE]),
        ("what is the reset value of Credit in the huge store?", [HUGE, SMALL]),
        ("what is the reset value of store.genHuge.Credit?", [HUGE]),
        ("what is the reset value of genHuge.Credit?", [HUGE]),
    ],
)
def test_registers_of_one_name_in_generate_blocks_are_told_apart(
    store: Project, question: str, expected: list[str]
) -> None:
    assert heads(store, question) == expected


def test_what_else_sets_a_register_of_a_generate_block_is_that_blocks(store: Project) -> None:
    text = store.ask("what is the reset value of store.genHuge.Credit?").text
    assert "Credit + 2" in text
    assert "Credit + 1" not in text


WHOLE = "'{ on: 1'b1, level: 2'd2, default: '0 }"
UNDER = " if !arst_n, @(posedge clk or negedge arst_n):"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what is the reset value of mode_q?", f"store.mode_q resets to {WHOLE}{UNDER}"),
        ("what is the reset value of mode?", f"store.mode_q resets to {WHOLE}{UNDER}"),
        ("what is the reset value of mode_q.level?", f"store.mode_q.level resets to 2'd2{UNDER}"),
        ("what is the reset value of mode_q.rest?", f"store.mode_q.rest resets to '0{UNDER}"),
    ],
)
def test_a_pattern_over_several_lines_is_shown_whole(
    store: Project, question: str, expected: str
) -> None:
    assert heads(store, question) == [expected]
    text = store.ask(question).text
    assert "level: 2'd2," in text
    assert "level: 2'd1," in text  # of what sets it otherwise


def test_an_answer_of_the_engines_that_cites_nothing_is_none(store: Project) -> None:
    from hdlgraph.query.answer.direct.begin import direct

    def add(page, *_) -> bool:
        page.add("Otherwise:")
        return True

    question = "what is the reset value of mode_q?"
    found = store.search(question)
    assert direct(question, store, found, store.sources(), (add,)) is None
