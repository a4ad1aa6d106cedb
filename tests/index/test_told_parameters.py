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
