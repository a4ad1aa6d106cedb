"""What an answer adds from the design graph: ends, values, definitions, ports, resets."""

from __future__ import annotations

from pathlib import Path

import pytest

from hdlgraph.eval.answers.forms import Lines, states_fact
from hdlgraph.eval.answers.run import Check
from hdlgraph.project import Project
from hdlgraph.query.answer.facts.page import quoted, without
from hdlgraph.query.question.relation import asks_ends, asks_users

PACKAGE = """package mill_pkg;
  // half-turns after which a stone is stopped
  localparam int unsigned STONE_TIMEOUT = 3000;
  // what the miller asks of a stone
  typedef struct packed {
    logic       grind;
    logic [7:0] speed; // turns a minute
  } stone_req_t;
  typedef struct packed {
    int unsigned BinEntries;
    int unsigned SackDepth;
  } mill_cfg_t;
  localparam mill_cfg_t MillDefault = '{
    BinEntries: 48,
    SackDepth: 3
  };
  function automatic void check_cfg(mill_cfg_t Cfg);
    assert(Cfg.SackDepth > 0);
  endfunction
endpackage
"""
BIN = """// Holds grain between two floors.
module grain_bin #(
  parameter int unsigned ENTRIES = 1024, // how much grain the bin holds
  parameter STYLE = "auto"
) (
  input  logic clk_i,
  input  logic rst_ni,
  output logic [1:0] level_o
);
  localparam STYLE_EFF =
    ENTRIES < 5 ? "tray" :
    STYLE != "auto" ? STYLE :
    ENTRIES < 65 ? "box" : "silo";
  initial begin
    if (ENTRIES < 2) $error("a bin holds two grains at least");
  end
  if (STYLE_EFF == "tray") begin : g_tray
    assign level_o = 2'd0;
  end else if (STYLE_EFF == "box") begin : g_box
    assign level_o = 2'd1;
  end else begin : g_silo
    assign level_o = 2'd2;
  end
endmodule
"""
STONE = """// Grinds grain.
module stone #(
  parameter int unsigned ID = 0
) (
  // clock and reset
  input  logic clk_i,
  input  logic nreset,

  // orders of the miller
  input  mill_pkg::stone_req_t order_i,
  output logic                 order_ready_o,

  // to the sacks
  output logic [7:0] flour_o,
  output logic       flour_valid_o,
  output logic       hot_o
);
  logic [15:0] turns;
  logic load_first;
  always @(posedge clk_i or negedge nreset)
    if (~nreset)
      turns <= 16'd7;
    else
      turns <= turns + (order_i.grind & flour_valid_o);
  always @(posedge clk_i or negedge nreset)
    if (~nreset) begin
      load_first <= 1'b1;
      flour_o    <= order_i.speed;
    end else begin
      load_first <= 1'b0;
      if (load_first) flour_o <= 8'h40;
    end
  assign hot_o = turns == mill_pkg::STONE_TIMEOUT;
endmodule
"""
FLOOR = """// The grinding floor.
module mill_floor (input logic clk_i, input logic nreset, output logic [7:0] flour_o);
  import mill_pkg::*;
  stone_req_t order;
  // The coarse stone breaks the husks.
  stone #(.ID(1)) u_coarse (
    .clk_i, .nreset,
    .order_i      (order),
    .order_ready_o(),
    .flour_o      (flour_o),
    .flour_valid_o(),
    .hot_o        ()
  );
  grain_bin #(.ENTRIES(MillDefault.BinEntries), .STYLE("box")) u_bin (
    .clk_i, .rst_ni(nreset), .level_o());
endmodule
"""
LOFT = """// The loft.
module mill_loft (input logic clk_i, input logic nreset);
  logic too_hot, stop_bell;
  // The fine stone makes the flour.
  stone #(.ID(2)) u_fine (
    .clk_i, .nreset, .order_i('0), .order_ready_o(), .flour_o(), .flour_valid_o(),
    .hot_o(too_hot));
  assign stop_bell = too_hot;
  mill_floor u_floor (.clk_i, .nreset, .flour_o());
endmodule
"""


GATE = """// The water gate and the wire to it.
interface gate_if (input logic clk_i);
  logic       lift;   // lifts the gate
  logic [3:0] height; // hands above the sill
  modport keeper (output lift, input height);
  modport gate   (input lift, output height);
endinterface
module water_gate #(
  parameter int unsigned FALL = 3
) (
  input logic clk_i,
  gate_if.gate wire_i
);
  assign wire_i.height = wire_i.lift ? FALL : '0;
endmodule
module gate_house #(parameter int unsigned FALL = 7) (input logic clk_i);
  gate_if u_wire (.clk_i);
  water_gate #(.FALL(FALL)) u_gate (.clk_i, .wire_i(u_wire));
endmodule
"""
CLAPPER = """// The clapper of the mill.
module clapper (input logic clk_i, rst, tick_i, output logic [3:0] spr_a, spr_b);
  always @(posedge clk_i)
    if (rst) spr_a <= 0;
    else if (tick_i) spr_a <= spr_a + 1;
  always @(posedge clk_i)
    if (rst) spr_b <= 4'd9;
    else if (tick_i) spr_b <= spr_a;
endmodule
"""
BENCH = """`define FALL 9
module bench;
  logic clk;
  gate_if u_wire (.clk_i(clk));
  water_gate #(.FALL(`FALL)) u_gate (.clk_i(clk), .wire_i(u_wire));
endmodule
"""


@pytest.fixture(scope="module")
def mill(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("mill")
    texts = {
        "mill_pkg.sv": PACKAGE,
        "grain_bin.sv": BIN,
        "stone.sv": STONE,
        "mill_floor.sv": FLOOR,
        "mill_loft.sv": LOFT,
        "testbench/bench.sv": BENCH,
        "clapper.sv": CLAPPER,
        "water_gate.sv": GATE.partition("module ")[1] + GATE.partition("module ")[2],
        "gate_if.sv": GATE.partition("module ")[0],
    }
    for name, text in texts.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    project = Project(root)
    project.index(embeddings=False, graphrag="never", jobs=1)
    return project


def asked(project: Project, question: str) -> str:
    answer = project.ask(question)
    assert [claim for claim in Check(project).claims(answer) if claim.wrong] == [], answer.text
    cited = {(one.path, one.line, one.end_line) for one in answer.citations}
    assert {(c.path, c.line, c.end_line) for c in Check(project).claims(answer)} == cited
    return answer.text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "who instantiates stone, and what for?",
            [
                "- mill_floor instantiates stone as u_coarse",
                "// The coarse stone breaks the husks.",
                "stone #(.ID(1)) u_coarse (",
                ".order_ready_o(),",
                "- mill_loft instantiates stone as u_fine",
                "// The fine stone makes the flour.",
                ".hot_o(too_hot));",
            ],
        ),
        (
            "which modules use hot_o of the stone?",
            ["assign hot_o = turns == mill_pkg::STONE_TIMEOUT;", "assign stop_bell = too_hot;",
             "- mill_floor leaves hot_o of u_coarse open"],
        ),
        (
            "how much grain does the bin hold by default, how many entries?",
            [
                "parameter int unsigned ENTRIES = 1024",
                "- mill_floor sets ENTRIES of u_bin to MillDefault.BinEntries",
                "BinEntries: 48",
                'ENTRIES < 65 ? "box" : "silo"',
                'if (ENTRIES < 2) $error("a bin holds two grains at least");',
            ],
        ),
        (
            "how does the STYLE of the grain bin choose between tray, box and silo?",
            [
                "localparam STYLE_EFF =",
                'STYLE != "auto" ? STYLE :',
                '- mill_floor sets STYLE of u_bin to "box"',
            ],
        ),
        (
            "stone: which ports carry the orders?",
            ["// orders of the miller", "order_ready_o", "// what the miller asks of a stone",
             "logic [7:0] speed; // turns a minute"],
        ),
        (
            "what value do the turns of the stone have after reset?",
            ["turns resets to 16'd7", "@(posedge clk_i or negedge nreset)",
             "turns <= turns + (order_i.grind & flour_valid_o);"],
        ),
        (
            "which flour is loaded after reset of the stone?",
            ["if (load_first) flour_o <= 8'h40;", "load_first <= 1'b1;"],
        ),
        ("when is the stone hot?", ["STONE_TIMEOUT = 3000"]),
        (
            "STONE_TIMEOUT: what is its value and what does it set?",
            ["STONE_TIMEOUT = 3000;", "assign hot_o = turns == mill_pkg::STONE_TIMEOUT;"],
        ),
        (
            "how is the default of the mill configured, and which values are legal?",
            ["BinEntries: 48,", "SackDepth: 3", "assert(Cfg.SackDepth > 0);"],
        ),
        (
            "water_gate: what is its interface?",
            ["gate_if.gate wire_i", "logic [3:0] height; // hands above the sill",
             "modport gate   (input lift, output height);"],
        ),
        (
            "which modports does the wire to the gate have?",
            ["modport keeper (output lift, input height);"],
        ),
        (
            "what is the default FALL of the water gate?",
            ["Passed on under its own name by gate_house.", "parameter int unsigned FALL = 7"],
        ),
    ],
)  # fmt: skip
def test_the_answer_has_what_other_files_say(mill: Project, question: str, said: list[str]) -> None:
    text = asked(mill, question)
    assert [one for one in said if one not in text] == [], text


def test_only_a_constant_is_said_to_be_a_reset_value(mill: Project) -> None:
    text = asked(mill, "what does the stone set its flour and turns to on reset?")
    assert "flour_o resets to" not in text
    assert "resets to turns" not in text


def test_of_a_unit_with_few_registers_all_reset_values_are_told(mill: Project) -> None:
    text = asked(mill, "what are the reset values of the clapper's registers?")
    assert "spr_a resets to 0" in text
    assert "spr_b resets to 4'd9" in text


def test_a_macro_explains_no_parameter_of_its_name_nor_a_test_the_design(mill: Project) -> None:
    text = asked(mill, "what is the default FALL of the water gate?")
    assert "`define FALL" not in text
    assert "bench" not in text


def test_a_placeholder_of_a_template_is_no_value(tmp_path: Path) -> None:
    (tmp_path / "press.sv").write_text(
        "// Presses oil.\nmodule press #(parameter int FORCE = 3, parameter int SEEDS = 1)\n"
        "  (input logic clk_i);\nendmodule\n"
    )
    (tmp_path / "press_template.sv").write_text(
        "// The press of one order.\nmodule $ORDER$_press(input logic clk_i);\n"
        "  press #(\n    .FORCE($FORCE$),\n    .SEEDS(7)\n  ) u_press (.clk_i(clk_i));\nendmodule\n"
    )
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False, jobs=1)
    answer = project.ask("which values does the parameter FORCE of press have?")
    assert not [claim for claim in Check(project).claims(answer) if claim.wrong]
    assert "to _FORCE_" not in answer.text


def test_the_parent_is_not_asked_for(mill: Project) -> None:
    text = asked(mill, "who instantiates stone in the loft, and what is its hot output used for?")
    assert text.startswith("module stone [stone.sv:2]")
    assert "mill_loft instantiates mill_floor as u_floor [" not in text.partition("Most likely")[0]


def test_a_block_that_stands_above_is_left_out_with_its_heading() -> None:
    first = "Most likely a.sv:\n    3| x\n[a.sv:3]"
    text = f"{first}\n\nAlso b.sv:\n    1| y\n  ...\n    4| z\n[b.sv:1-4]"
    assert quoted(text) == {("a.sv", 3), ("b.sv", 1), ("b.sv", 4)}
    assert without(text, {("b.sv", 1), ("b.sv", 4)}) == first
    assert "    1|" not in without(text, {("b.sv", 1)})
    assert without(text, {("c.sv", 1)}) == text


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        ("top sets W of u_a to P * 2", True),
        ("top sets W of u_a to P", False),
        ("top sets W of u_b to P * 2", False),
        ("low sets W of u_a to P * 2", False),
        ("top leaves q of u_a open", True),
        ("top leaves d of u_a open", False),
    ],
)
def test_a_fact_on_an_instance_must_stand_on_its_lines(said: str, holds: bool) -> None:
    code = ("a #(.W ( P * 2 )) // .W(P)", "u_a (.d(x), .q ( ));")
    at = Lines("top.sv", 1, 2, code, frozenset({"top"}))
    assert states_fact(said, at) is holds


def test_questions_for_users_and_for_ends() -> None:
    assert asks_users("which units ask the lock table, and when?")
    assert not asks_users("which unit computes the parity?")
    assert asks_ends("what drives hot_o?")
    assert asks_ends("where does flour_o come from?")
    assert not asks_ends("how wide is flour_o?")
