"""Traces: connections outside of ports with their lines, ifdefs, binds, loops, long conditions."""

from __future__ import annotations

import pytest
from _texts import indexed

from hdlgraph.project import Project

LONG = " && ".join(f"request_{n:02}_valid" for n in range(12))
SOURCE = f"""module leaf (input d_i, output q_o);
  assign q_o = d_i;
endmodule
module top (input clk, input go, output done);
  wire a, b, c, held;
  reg q;
  assign b = a;
  leaf u_leaf (
    .d_i (b),
    .q_o (c)
  );
`ifdef RING
  assign a = c;
`else
  assign a = q;
`endif
  always @(posedge clk) if ({LONG}) q <= b;
  always_comb begin
    held = go;
    held = held & go;
  end
  assign done = held;
endmodule
module watch (input seen_i, output alarm_o);
endmodule
bind top watch u_watch (
  .seen_i (go),
  .alarm_o (extra)
);
"""


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("outside")
    return indexed(folder, {"top.sv": SOURCE})


def line_of(words: str) -> int:
    lines = SOURCE.splitlines()
    return next(number for number, text in enumerate(lines, 1) if words in text)


def test_a_port_shows_its_connections_outside(design: Project) -> None:
    (net,) = design.trace("leaf.d_i", ("drivers",), 1)["drivers"]["nets"]
    (step,) = net["steps"]
    assert step["location"] == "top.sv:1"
    (joined,) = step["joined"]
    assert (joined["signal"], joined["instance"]) == ("top.b", "top.u_leaf")
    assert joined["location"] == f"top.sv:{line_of('.d_i (b)')}"


def test_ifdefs_around_a_place_are_told(design: Project) -> None:
    found = {one.line: one.ifdef for one in design.drivers("top", "a")}
    assert found == {line_of("assign a = c"): "RING", line_of("assign a = q"): "!RING"}
    assert [one.ifdef for one in design.drivers("top", "b")] == [""]


def test_long_conditions_are_whole(design: Project) -> None:
    (step,) = design.drivers("top", "q")
    assert step.condition == LONG


def test_loops_without_a_register_are_told(design: Project) -> None:
    found = design.trace("top.b", ("drivers",), 6)["drivers"]
    assert found["loops"] == [["top.b", "top.a", "top.c", "leaf.q_o", "leaf.d_i", "top.b"]]
    assert design.trace("top.done", ("drivers",), 6)["drivers"]["loops"] == []


def test_binds_drive_and_read(design: Project) -> None:
    (step,) = (one for one in design.loads("top", "go") if one.how == "bind")
    assert (step.instance, step.port, step.of) == ("u_watch", "seen_i", "watch")
    assert design.trace("top.go", ("loads",), 2)["loads"]["nets"][-1]["signal"] == "watch.seen_i"
    (net,) = design.trace("watch.seen_i", ("drivers",), 1)["drivers"]["nets"]
    assert net["steps"][0]["to"] == ["top.go"]
    assert not [one for one in design.drivers("top", "go") if one.how == "bind"]
