"""What answers without a model say of states, names, parts of a question, and users."""

from __future__ import annotations

import pytest

from hdlgraph.eval.answers.forms import Lines, states_fact
from hdlgraph.eval.answers.run import Check
from hdlgraph.project import Project
from hdlgraph.query.answer.comments import plain_sentence
from hdlgraph.query.answer.passages.sides import side_first
from hdlgraph.query.question.abbreviations import asked_forms, meanings
from hdlgraph.results import Answer

PACKAGE = """package pump_pkg;
  typedef enum logic [1:0] {Rest, Fill, Drain, Fault} pump_state_e;
  // litres that the tank holds, a power of two
  localparam int unsigned TANK_DEPTH = 16;
`ifdef BIG_TANK
  localparam int unsigned TANK_MARGIN = 4;
`else
  localparam int unsigned TANK_MARGIN = 2;
`endif
endpackage
"""
CONTROL = """// Author: Jo Doe <jo@example.org>  Date: 01.02.2020
// Description: Controls the pump of the water tank.
module pump_ctrl (
  input  logic clk_i, rst_ni, start_i, full_i, empty_i, stop_i, leak_i,
  output logic motor_o, valve_o, alarm_o
);
  import pump_pkg::*;
  pump_pkg::pump_state_e state_d, state_q;
  logic [3:0] level_q;
  always_comb begin
    state_d = state_q;
    motor_o = 1'b0;
    valve_o = 1'b0;
    alarm_o = 1'b0;
    unique case (state_q)
      pump_pkg::Rest: if (start_i) state_d = pump_pkg::Fill;
      pump_pkg::Fill: begin
        motor_o = 1'b1;
        if (full_i) begin
          valve_o = 1'b1;
          state_d = pump_pkg::Drain;
        end
      end
      pump_pkg::Drain: begin
        valve_o = 1'b1;
        state_d = empty_i ? (start_i ? pump_pkg::Fill : pump_pkg::Rest) : pump_pkg::Drain;
      end
      default: alarm_o = 1'b1;
    endcase
    // a leak stops the pump in any state
    if (leak_i) begin
      state_d = pump_pkg::Fault;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) state_q <= pump_pkg::Rest;
    else state_q <= state_d;
endmodule
"""
SEQUENCER = """// Lights the lamps of the crossing one after another.
module lamp_seq (
  input  wire clk, rst, tick,
  input  wire [3:0] dim_strobe, /* ignored */
  output reg red, green
);
  localparam S_RED = 2'd0, S_GREEN = 2'd1, S_DARK = 2'd2;
  reg [1:0] lamp;
  always @(posedge clk) begin
    if (rst) begin lamp <= S_RED; red <= 1'b0; end
    else case (lamp)
      S_RED: begin red <= 1'b1; if (tick) lamp <= S_GREEN; end
      S_GREEN: begin red <= 1'b0; green <= 1'b1; if (tick) lamp <= S_DARK; end
      S_DARK: begin green <= 1'b0; lamp <= S_RED; end
    endcase
  end
endmodule
"""
PLANT = """// The whole plant.
module plant #(parameter int PUMPS = 2) (input logic clk_i, rst_ni,
  output logic [PUMPS-1:0] motor_o);
  logic [pump_pkg::TANK_DEPTH-1:0] level;
  for (genvar i = 0; i < PUMPS; i++) begin : g_pump
    pump_ctrl u_ctrl (.clk_i, .rst_ni, .start_i(level[0]), .full_i(1'b0), .empty_i(1'b0),
      .stop_i(1'b0), .leak_i(1'b0), .motor_o(motor_o[i]), .valve_o(), .alarm_o());
  end
endmodule
module city_top (input logic clk_i, rst_ni);
  logic [1:0] motor;
  plant u_plant (.clk_i, .rst_ni, .motor_o(motor));
  lamp_seq u_lamps (.clk(clk_i), .rst(!rst_ni), .tick(1'b1), .dim_strobe(4'd0), .red(), .green());
endmodule
"""


@pytest.fixture(scope="module")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("plant")
    texts = {
        "pump_pkg.sv": PACKAGE,
        "pump_ctrl.sv": CONTROL,
        "lamp_seq.v": SEQUENCER,
        "plant.sv": PLANT,
    }
    for name, text in texts.items():
        (root / name).write_text(text)
    project = Project(root)
    project.index(embeddings=False, graphrag="never", jobs=1)
    return project


def asked(project: Project, question: str) -> str:
    answer: Answer = project.ask(question)
    assert [claim for claim in Check(project).claims(answer) if claim.wrong] == [], answer.text
    return answer.text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "which states does pump_ctrl have?",
            [
                "Rest, Fill, Drain",
                "Rest -> Fill when start_i",
                "Drain -> Fill when empty_i && start_i",
                "Drain -> Rest when empty_i && !start_i",
                "motor_o = 1'b1;",
                "if (full_i) begin",
                "Set outside the states:",
                "state_d = pump_pkg::Fault;",
            ],
        ),
        (
            "which phases do the crossing lamps step through?",
            [
                "S_RED -> S_GREEN when tick",
                "S_GREEN: begin red <= 1'b0; green <= 1'b1; if (tick) lamp <= S_DARK",
            ],
        ),
        (
            "when does the pump_ctrl state machine leave state Drain?",
            ["|   pump_pkg::Drain: begin", "|     valve_o = 1'b1;"],
        ),
        (
            "TANK_DEPTH and TANK_MARGIN: what are their values, does BIG_TANK change them?",
            ["TANK_DEPTH = 16", "`ifdef BIG_TANK", "TANK_MARGIN = 4", "TANK_MARGIN = 2"],
        ),
        (
            "who instantiates pump_ctrl, how often, and what is in city_top?",
            [
                "- plant instantiates pump_ctrl as u_ctrl [plant.sv:6]",
                "once for each of: g_pump: for i = 0; i < PUMPS",
                "- city_top instantiates lamp_seq as u_lamps",
            ],
        ),
        (
            "lamp_seq: which outputs does it have, does it honour the dim strobe?",
            ["/* ignored */"],
        ),
        ("where is TANK_DEPTHS set?", ["Named nowhere in the code of this index: TANK_DEPTHS."]),
    ],
)
def test_the_answer_has_each_thing_asked_for(
    plant: Project, question: str, said: list[str]
) -> None:
    text = asked(plant, question)
    assert [one for one in said if one not in text] == [], text


def test_a_part_without_any_line_is_said_to_have_none(plant: Project) -> None:
    text = asked(plant, "which states does pump_ctrl have, and how does it encrypt passwords?")
    assert "No line of these files has a word of: how does it encrypt passwords." in text
    assert "encrypt" not in asked(plant, "which states does pump_ctrl have?")


def test_who_wrote_a_file_is_not_quoted(plant: Project) -> None:
    assert "Jo Doe" not in asked(plant, "what controls the pump of the water tank?")
    assert plain_sentence("Author: Jo, Zurich Date: 1.2.2020 Description: Counts the beats.") == (
        "Counts the beats."
    )
    assert plain_sentence("Author: Jo Doe, Zurich") == ""


def test_meanings_are_told_of_the_word_that_is_asked_alone(plant: Project) -> None:
    words = plant.dictionary()
    assert asked_forms("APB")
    assert meanings("what does APB mean?", words)
    assert meanings("what do the irq bits of the APB timer mean?", words) == []


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        ("In Fill: a = 1'b1; b <= c when d", True),
        ("In Fill: a = 1'b0", False),
        ("In Drain: a = 1'b1", False),
        ("In Fill: b <= c when e", False),
        ("In Fill: a = 1'b", False),
        ("In Fill: b <= c when op is `OP_ADD", True),
        ("In Fill: b <= c when op is `OP_SUB", False),
    ],
)
def test_a_fact_on_a_state_must_stand_on_its_lines(said: str, holds: bool) -> None:
    code = (
        "Fill: begin",
        "  a   = 1'b1; // e",
        "  if (d) b <= c;",
        "  case (op)",
        "  `OP_ADD:",
        "end",
    )
    assert states_fact(said, Lines("x.sv", 1, 6, code)) is holds


def test_the_side_that_is_named_comes_first() -> None:
    worths = {"rtl/mem_unit.sv": 1.0, "rtl/mem_regs.sv": 1.0, "dv/icache_tb.sv": 1.0}
    worth = {**worths, "rtl/core_icache.sv": 0.8}.__getitem__

    def first(paths: list[str], *said: str) -> str:
        return side_first(paths, said, lambda path: path, worth)[0]

    paths = ["rtl/mem_unit.sv", "dv/icache_tb.sv", "rtl/core_icache.sv"]
    assert first(paths, "instruction", "fault") == "rtl/core_icache.sv"
    assert first(paths, "fault") == "rtl/mem_unit.sv"
    assert first(paths, "mem_unit", "instruction") == "rtl/mem_unit.sv"
    assert first(paths, "instruction", "tx") == "rtl/mem_unit.sv"
    registers = ["rtl/mem_regs.sv", *paths[1:]]
    assert first(registers, "instruction", "fault") == "rtl/mem_regs.sv"
