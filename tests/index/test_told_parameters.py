"""What is told of parameters: settings with their defaults, neither states nor placeholders."""

from __future__ import annotations

from pathlib import Path

from _parsing import record_of

from hdlgraph.index.explain.by_rules.explainer import explain_all

MACHINE = """module walker #(parameter DEPTH = 6, parameter LANES = $LANES$)(input clk, input go);
  localparam REST = 0, STEP = 1, HALT = 2;
  reg [1:0] state;
  always @(posedge clk)
    case (state)
      REST: if (go) state <= STEP;
      STEP: state <= HALT;
      HALT: state <= REST;
    endcase
endmodule
"""


def test_states_are_no_parameters_and_a_placeholder_is_no_default(tmp_path: Path) -> None:
    record = record_of(tmp_path, MACHINE, "walker.v")
    told = explain_all([record])[record.path]
    assert "DEPTH, default 6" in told.parameters
    assert "LANES" in told.parameters
    assert "_LANES_" not in told.parameters
    assert "REST" not in told.parameters
    assert "HALT" not in told.parameters
    assert "REST" in told.purpose + told.behaviour


def test_a_default_that_nothing_defines_is_no_number(tmp_path: Path) -> None:
    text = "`define FOUR 4\nmodule m #(parameter A = `FOUR, parameter B = `width(A, 2),\n"
    text += "  parameter C = 3 + `more) (input clk);\nendmodule\n"
    record = record_of(tmp_path, text, "m.v")
    defaults = [parameter.default for parameter in record.units[0].parameters]
    assert defaults == ["4", "`width(A, 2)", "3 + `more"]
    told = explain_all([record])[record.path].parameters
    assert "A, default 4" in told
    assert "B, default" not in told


def test_a_heading_is_no_comment_of_a_parameter_and_none_is_cut(tmp_path: Path) -> None:
    text = """module m #(
  // derived constants
  parameter A = 1,
  parameter B = 2,
  parameter C = 3,  // depth of the queue of words, which is what the writer of the words waits for
  parameter D = 4,  // a b c d e f g h i j k l m n o p q r s t u v w x y z of the words it holds
  parameter E = 5   // words in flight
)(input clk);
endmodule
"""
    told = explain_all([record_of(tmp_path, text, "m.v")])["m.v"].parameters
    assert "derived" not in told
    assert "C (depth of the queue of words), default 3" in told
    assert "D, default 4" in told
    assert "E (words in flight), default 5" in told
