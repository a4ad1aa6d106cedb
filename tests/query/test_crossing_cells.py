"""Synchronisers, clocks and registers as libraries write them: with parameters, without cells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from _texts import units


def kinds(found: dict[str, Any]) -> list[tuple[str, str]]:
    return sorted((one["kind"], one["target"]) for one in found["crossings"])


STAGED = """module staged #(parameter STAGES = 2, RST = 1) (input clk, nreset, in, output out);
  reg [STAGES:0] sr;
  always @(posedge clk or negedge nreset)
    if (!nreset) sr <= {(STAGES + 1){1'b0}};
    else sr[STAGES:0] <= {sr[STAGES-1:0], in};
  assign out = (RST == 1) ? sr[STAGES] : sr[STAGES-1];
endmodule
module top #(parameter W = 2) (input ca, cb, nreset, d, input [W:0] at, output reg q,
  output reg [W-1:0] sum);
  reg a, b; reg [W:0] mem [W:0];
  wire s;
  always @(posedge ca) a <= d;
  staged u_staged (.clk(cb), .nreset(nreset), .in(a), .out(s));
  always @(posedge cb) q <= s;
  always @(posedge ca) b <= d;
  always @(posedge cb) sum[W-1:0] <= {sum[W-1:0] + b};
endmodule
"""


def test_a_shift_register_with_parameters_is_a_synchroniser(tmp_path: Path) -> None:
    found = units(tmp_path, top=STAGED).crossings("top")
    assert kinds(found) == [("none", "top.sum"), ("synchroniser", "top.u_staged.sr")]


WRAPPED = """module top(input ca, cb, input [7:0] d, output [7:0] q);
  dual_fifo u_fifo(.wr_clk(ca), .wr_din(d), .wr_en(1'b1), .rd_clk(cb), .rd_dout(q), .rd_en(1'b1));
endmodule
"""


def test_clocks_of_a_unit_that_is_not_there_are_told(tmp_path: Path) -> None:
    project = units(tmp_path, top=WRAPPED)
    told = "2 clocks go into dual_fifo (top.sv:2), which the index does not hold: top.ca, top.cb;"
    for found in (project.clock_tree("top"), project.crossings("top")):
        assert [note.partition(" registers")[0] for note in found["notes"]] == [told]


PUMPED = """module leaf(input clk, input d, output reg q);
  always_ff @(posedge clk) q <= d;
endmodule
module top #(parameter bit PUMPED = 0) (input ca, cb, sel, d, output q, r, s);
  wire m;
  leaf u_a(.clk(ca), .d(d), .q(m));
  leaf u_b(.clk(PUMPED ? cb : ca), .d(m), .q(q));
  leaf u_c(.clk(PUMPED == 0 ? cb : ca), .d(m), .q(r));
  leaf u_d(.clk(sel ? cb : ca), .d(d), .q(s));
endmodule
"""


def test_a_clock_that_a_parameter_chooses_is_that_one(tmp_path: Path) -> None:
    project = units(tmp_path, top=PUMPED)
    told = {
        one["name"]: (one["kind"], one["registers"]) for one in project.clock_tree("top")["clocks"]
    }
    assert told == {
        "top.ca": ("port", 2), "top.cb": ("port", 1), "top.u_d.clk": ("mux", 1),
    }  # fmt: skip
    assert [one["target"] for one in project.crossings("top")["crossings"]] == ["top.u_c.q"]
