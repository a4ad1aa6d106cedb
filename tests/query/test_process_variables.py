"""Variables of a process that hold nothing between its edges are no registers."""

from __future__ import annotations

from pathlib import Path

import pytest
from _texts import indexed

from hdlgraph.project import Project
from hdlgraph.query.clocks.units import Drivers

TOP = """module top(input logic ca, cb, d, e, output logic x, y, z, w, output logic [3:0] v);
logic a, shared, late;
integer i, j;
always_ff @(posedge ca) a <= d;
always_ff @(posedge cb) begin
  automatic logic push = d & e;
  logic tmp;
  logic kept;
  static logic old;
  tmp = e ^ d;
  if (push) x <= d;
  y <= tmp ^ kept ^ old;
  kept <= d;
  if (e) old = d;
end
always_ff @(posedge cb) begin
  automatic logic push = a;
  z <= push;
end
always @(posedge cb) for (i = 0; i < 4; i = i + 1) v[i] <= d;
always @(posedge cb) for (j = 0; j < 4; j = j + 1) shared <= e;
assign w = j[0];
endmodule
module automatic other(input logic ca, d, output logic q);
always_ff @(posedge ca) begin
  logic next;
  if (d) next = d;
  q <= next;
end
endmodule
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("variables")
    return indexed(folder, {"top.sv": TOP})


def test_variables_of_a_process_are_no_registers(project: Project) -> None:
    # x y z v shared, kept and old of nonblocking and tested assignments, j that others read
    counts = {one["name"]: one["registers"] for one in project.clock_tree("top")["clocks"]}
    assert counts == {"top.cb": 8, "top.ca": 1}
    (clock,) = project.clock_tree("other")["clocks"]
    assert clock["registers"] == 1


def test_the_registers_that_show_tells_are_the_same(project: Project) -> None:
    told = {one.signal: one.registers for one in project.clocks("top")}
    assert told["cb"] == ("j", "kept", "old", "shared", "v", "x", "y", "z")


def test_data_goes_through_the_variable_of_its_own_process(project: Project) -> None:
    (one,) = project.crossings("top")["crossings"]
    assert (one["source"], one["target"], one["way"]) == ("top.a", "top.z", ["a", "push"])


COUNTED = """module counted(input ca, cb, we, input [3:0] a, d, output reg [3:0] qa, qb,
output reg [7:0] q);
reg [7:0] pipe [0:3]; reg [7:0] mem [0:15]; reg [7:0] ram [0:15]; reg [7:0] few [0:3];
integer i, j, k, at, held;
always @(posedge ca) for (i = 0; i < 4; i = i + 1) qa[i] <= d[i];
always @(posedge cb) for (i = 0; i < 4; i = i + 1) qb[i] <= qa[i];
always @(posedge ca) begin
  pipe[0] <= d;
  for (i = 1; i < 4; i = i + 1) pipe[i] <= pipe[i-1];
end
always @(posedge ca) begin
  j = 0;
  while (j < 16) begin if (!we) mem[j] <= 0; j = j + 1; end
  at = a;
  ram[at] <= d;
  if (we) k = 1; else k = 2;
  few[k] <= d;
  q <= held;
  held = a;
end
endmodule
"""


def test_what_loops_count_with_is_no_register_and_makes_no_memory(tmp_path: Path) -> None:
    project = indexed(tmp_path, {"counted.sv": COUNTED})
    told = {one.signal: one.registers for one in project.clocks("counted")}
    assert told["ca"] == ("few", "held", "k", "mem", "pipe", "q", "qa", "ram")
    (design,) = [project._signals()]
    (row,) = design.units("counted")
    registers = Drivers(design, row).registers.values()
    assert {one.key[0] for one in registers if one.memory} == {"few", "ram"}
    ways = [one["way"] for one in project.crossings("counted")["crossings"]]
    assert ways == [["qa"]]
