"""Variables of a process that hold nothing between its edges are no registers."""

from __future__ import annotations

import pytest

from hdlgraph.project import Project

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
    (folder / "top.sv").write_text(TOP)
    made = Project(folder)
    made.index(graphrag="never", embeddings=False, jobs=1)
    return made


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
