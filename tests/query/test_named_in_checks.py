"""`who` of a signal lists the lines of checks and the arguments of macros that name it."""

from __future__ import annotations

import pytest
from _texts import indexed

from hdlgraph.project import Project

SOURCE = """`include "macros.svh"
module lane (input logic clk, input logic req, output logic ack);
  logic busy;
  assign busy = req
    & ~ack;
  assign ack = busy;
  busy_a: assert property (@(posedge clk)
    busy |-> ##1 ack);
  `NOTHING(n1, busy)
  `DEFINED_NOWHERE(u1, busy)
  sequence s_q; @(posedge clk) busy ##1 ack; endsequence
  property p_q;
    @(posedge clk) req |-> busy;
  endproperty
  covergroup cg @(posedge clk);
    coverpoint busy { bins b = {1}; }
  endgroup
  function automatic logic inverted(input logic busy);
    $display("%b", busy);
    return ~busy;
  endfunction
  `ifdef busy
  `endif
  // busy in a comment
  part u_part (.clk, .busy(ack));
`include "checks.svh"
endmodule
module part (input logic clk, input logic busy);
endmodule
"""
FILES = {
    "lane.sv": SOURCE,
    "macros.svh": "`define NOTHING(n, s)\n",
    "checks.svh": "late_a: assert property (@(posedge clk) busy |-> req);\n",
}


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return indexed(tmp_path_factory.mktemp("checks"), FILES)


def line_of(words: str) -> int:
    lines = SOURCE.splitlines()
    return next(number for number, text in enumerate(lines, 1) if words in text)


def test_lines_of_checks_and_macros_are_uses(design: Project) -> None:
    found = design.who("lane.busy")["users"]
    uses = {one["location"] for one in found if one["kind"] == "USES"}
    words = ("NOTHING", "DEFINED_NOWHERE", "sequence", "req |-> busy", "coverpoint")
    assert {f"lane.sv:{line_of(one)}" for one in words} <= uses
    told = [one["location"] for one in found]
    for one in ("$display", "inverted", "ifdef busy", "a comment", ".busy(ack)"):
        assert f"lane.sv:{line_of(one)}" not in told


def test_a_check_is_told_once(design: Project) -> None:
    found = [one["location"] for one in design.who("lane.busy")["users"]]
    begin = line_of("busy_a: assert")
    assert found.count(f"lane.sv:{begin}") + found.count(f"lane.sv:{begin + 1}") == 1


def test_a_check_in_an_included_file_is_a_use(design: Project) -> None:
    found = [one["location"] for one in design.who("lane.busy")["users"]]
    assert "checks.svh:1" in found or f"lane.sv:{line_of('checks.svh')}" in found
