"""What a thing is after reset: by its branch, through a cell, or chosen before a register."""

from __future__ import annotations

import pytest
from _texts import indexed, rows

from hdlgraph.project import Project

FILES = {
    "fetch.sv": """module fetch (input clk, reset, stall, input [7:0] target, output [7:0] pcF);
  logic [7:0] PCNext, PCF, PCD;
  choose #(8) pcmux (target, START_ADDRESS[7:0], reset, PCNext);
  hold #(8) pcreg (clk, ~stall | reset, PCNext, PCF);
  clear #(8) dreg (clk, reset, PCF, PCD);
  assign pcF = PCF;
endmodule
""",
    "cells.sv": """module choose #(parameter W = 1) (input [W-1:0] a, b, input s, output [W-1:0] y);
  assign y = s ? b : a;
endmodule
module hold #(parameter W = 1) (input clk, en, input [W-1:0] d, output logic [W-1:0] q);
  always_ff @(posedge clk) if (en) q <= d;
endmodule
module clear #(parameter W = 1) (input clk, rst, input [W-1:0] d, output logic [W-1:0] q);
  always_ff @(posedge clk) if (rst) q <= '0; else q <= d;
endmodule
""",
    "config.vh": "localparam logic [7:0] START_ADDRESS = 8'h80;\n",
    "beat.sv": """// The beat counter counts the beats of a bus.
module beat (input clk_i, rst_ni, input go_i, output logic [3:0] last_o);
  logic [3:0] beat_counter_q, beat_counter_d;
  assign beat_counter_d = go_i ? beat_counter_q + 4'd1 : beat_counter_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) beat_counter_q <= 4'd9;
    else beat_counter_q <= beat_counter_d;
  assign last_o = beat_counter_q;
endmodule
""",
    "pick.sv": """module pick (input clk, input rst, input [3:0] d, output logic [3:0] level);
  logic [3:0] level_n;
  assign level_n = rst ? 4'd6 : d;
  always_ff @(posedge clk) level <= level_n;
endmodule
""",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return indexed(tmp_path_factory.mktemp("reset"), FILES)


def test_a_value_that_a_reset_chooses_before_a_register(project: Project) -> None:
    assert rows(project, "what is the reset value of PCF in fetch?") == [
        "fetch.PCF has no reset of its own; it takes its value from:",
        "    4|   hold #(8) pcreg (clk, ~stall | reset, PCNext, PCF);",
        "[fetch.sv:4]",
        "PCNext, before it, is made of START_ADDRESS and of the reset `reset`:",
        "    3|   choose #(8) pcmux (target, START_ADDRESS[7:0], reset, PCNext);",
        "[fetch.sv:3]",
        "- START_ADDRESS is declared with a value:",
        "    1| localparam logic [7:0] START_ADDRESS = 8'h80;",
        "[config.vh:1]",
    ]


def test_the_same_in_an_assignment(project: Project) -> None:
    found = rows(project, "what is the reset value of level in pick?")
    assert "level_n, before it, is made of 4'd6 and of the reset `rst`:" in found
    assert "[pick.sv:3]" in found


@pytest.mark.parametrize(
    "question",
    [
        "what happens to the program counter on reset?",
        "what value has the program counter after reset?",
        "what does the program counter start with after reset?",
    ],
)
def test_a_register_in_words_by_its_short_form(project: Project, question: str) -> None:
    found = rows(project, question)
    assert found[0] == "fetch.PCF has no reset of its own; it takes its value from:"
    assert "[config.vh:1]" in found
    assert any(row.startswith("clear.q resets to '0") for row in found)


def test_a_register_in_words_by_its_name(project: Project) -> None:
    found = rows(project, "what happens to the beat counter on reset?")
    assert found[0].startswith("beat.beat_counter_q resets to 4'd9 if !rst_ni")
    assert "    6|     if (!rst_ni) beat_counter_q <= 4'd9;" in found


def test_what_no_signal_is_called_gets_another_answer(project: Project) -> None:
    assert not [row for row in rows(project, "what happens to the moon on reset?")
                if " resets to " in row and row.startswith("moon")]  # fmt: skip
