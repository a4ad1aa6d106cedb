"""Clocks that pass through instances which are not looked at, as there are too many."""

from __future__ import annotations

from pathlib import Path

import pytest
from _texts import indexed

from hdlgraph.project import Project
from hdlgraph.query.clocks.analysis import Analysis
from hdlgraph.query.clocks.network import Limits
from hdlgraph.query.clocks.tree import clock_tree
from hdlgraph.query.clocks.units import Units

DESIGN = """module keep(input c, input d, output reg q); always @(posedge c) q <= d; endmodule
module cell_gate(input CP, input E, output Q); reg held;
always @* if (!CP) held = E; assign Q = CP & held; endmodule
module turned(input i, output o); assign o = ~i; endmodule
module wrapped(input clk, input go, output clk_gated);
cell_gate inner(.CP(clk), .E(go), .Q(clk_gated)); endmodule
module chip(input clk_a, input clk_b, input go, input d, output [3:0] q);
wire fast, slow, late;
keep k0(.c(fast), .d(d), .q(q[0]));
keep k1(.c(slow), .d(d), .q(q[1]));
keep k2(.c(late), .d(d), .q(q[2]));
wrapped g0(.clk(clk_a), .go(go), .clk_gated(fast));
cell_gate g1(.CP(clk_b), .E(go), .Q(slow));
turned g2(.i(clk_b), .o(late));
endmodule
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return indexed(tmp_path_factory.mktemp("gates"), {"chip.v": DESIGN})


@pytest.mark.parametrize("most", [4, 40])
def test_a_gate_that_is_left_out_hands_its_clock_on(project: Project, most: int) -> None:
    design = project._signals()
    (row,) = design.units("chip")
    found = clock_tree(Analysis(Units(design), row, Limits(instances=most)), 20)
    clocks = {one["name"]: (one["kind"], one["registers"]) for one in found["clocks"]}
    assert clocks == {"chip.clk_a": ("port", 1), "chip.clk_b": ("port", 2)}
    ways = {step["how"] for one in found["clocks"] for step in one["steps"]}
    assert ways == {"gated", "inverted"}
    assert bool(found["left_out"]) == (most == 4)


ROUNDED = """module chip(input clk, input clk_b, input rst_n, input we, input go,
  input d, output reg [4:0] q);
wire w0, w1, wclk, rclk, both, mixed;
assign w0 = clk & we;
assign #1 w1 = w0;
assign wclk = w0 | w1;
assign rclk = ~clk & we;
assign both = wclk & rclk & go;
assign mixed = wclk & clk_b;
always @(posedge wclk) q[0] <= d;
always @(posedge both) q[1] <= d;
always @(posedge mixed) q[2] <= d;
always @(d or negedge rst_n) if (!rst_n) q[3] <= 0; else q[3] <= d;
always @(posedge clk or rst_n) if (!rst_n) q[4] <= 0; else q[4] <= d;
endmodule
"""


def test_logic_of_one_clock_is_a_gate_of_it_and_a_reset_is_no_clock(tmp_path: Path) -> None:
    found = indexed(tmp_path, {"chip.v": ROUNDED}).clock_tree("chip")
    clocks = {one["name"]: (one["kind"], one["registers"]) for one in found["clocks"]}
    assert clocks == {
        "chip.clk": ("port", 3), "chip.mixed": ("logic", 1), "chip.clk_b": ("port", 0)
    }  # fmt: skip
