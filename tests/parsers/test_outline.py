"""The outline of a file's statements: kinds, lines, names, and what stands around a line."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from hdlgraph.parsers.text.outline import Outline, outline_of
from hdlgraph.parsers.text.statement import Statement

LIFT = """\
// A lift that goes to one floor at a time.
module lift #(
  parameter int Floors = 4
) (
  input  logic clk_i, rst_ni,
  input  logic [1:0] floor_i,
  output logic up_o
);
  typedef enum logic [1:0] {Rest, Rise, Sink} state_e;
  state_e state_q, state_d;
  logic [1:0] at_q;  // the floor
  wire  here = at_q == floor_i;

  // Two doors.
  door #(.Width(2)) u_door (
    .clk_i,
    .open_i (here && state_q == Rest),
    .shut_o (shut)
  ), u_back (.open_i(1'b0));

  assign up_o = state_q == Rise,
         {a, b[1:0]} = at_q;

  always_comb begin : next
    state_d = state_q;
    unique case (state_q)
      Rest: if (floor_i > at_q) state_d = Rise;
        else if (floor_i < at_q) begin
          state_d = Sink;
        end else state_d = Rest;
      Rise, Sink: begin
        if (here)
          state_d = Rest;
      end
      default: ;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      state_q <= Rest;
      count[0] <= '0;
    end else begin
      state_q <= state_d;
      hw.floor.d <= at_q;
      count[floor_i] <= count[floor_i] + 1;
    end

  for (genvar i = 0; i < Floors; i++) begin : g_floor
    if (i > 0) begin : g_upper
      lamp u_lamp (.on_i(at_q[i]));
    end else begin : g_ground
      assign ground = 1;
    end
  end

  function automatic logic [1:0] above(input logic [1:0] floor);
    above = floor + 1;
  endfunction
endmodule : lift
"""


@pytest.fixture(scope="module")
def lift() -> Outline:
    return outline_of(LIFT)


def line_of(text: str, number: int = 0) -> int:
    found = [n for n, line in enumerate(LIFT.splitlines(), 1) if text in line]
    return found[number]


def only(found: list[Statement]) -> Statement:
    assert len(found) == 1, found
    return found[0]


def test_units_have_their_lists(lift: Outline) -> None:
    unit = only(lift.named("unit"))
    assert (unit.word, unit.name, unit.line) == ("module", "lift", 2)
    assert unit.end_line == line_of("endmodule")
    assert [(s.kind, s.line, s.end_line) for s in unit.children[:2]] == [
        ("parameters", 2, 4),
        ("ports", 4, 8),
    ]


def test_declarations_name_what_they_declare(lift: Outline) -> None:
    assert lift.declarations["state_d"].line == line_of("state_e state_q")
    assert lift.declarations["Rise"].name == "state_e"
    assert lift.named("typedef")[0].members == ("Rest", "Rise", "Sink")
    here = lift.declarations["here"]
    assert (here.writes, here.reads) == (("here",), ("at_q", "floor_i"))


def test_instances_have_their_whole_lines_and_connections(lift: Outline) -> None:
    door = only(lift.named("instance", "u_door"))
    assert (door.unit, door.line, door.end_line) == ("door", 15, 19)
    assert door.connections["open_i"] == "here && state_q == Rest"
    assert [s for s in lift.reading("shut") if s.kind == "instance"] == [door]
    assert lift.first_line(door) == 14


def test_assignments_write_every_name_of_the_left_side(lift: Outline) -> None:
    both = only(lift.named("assign")[:1])
    assert both.writes == ("up_o", "a", "b")
    assert "at_q" in both.reads
    assert "Rise" in both.reads
    assert (both.line, both.end_line) == (line_of("assign up_o"), line_of("{a, b[1:0]}"))


def test_statements_that_assign_and_read_a_name(lift: Outline) -> None:
    assert [s.line for s in lift.assigning("state_d")] == [
        n for n, line in enumerate(LIFT.splitlines(), 1) if "state_d = " in line
    ]
    assert [s.text for s in lift.assigning("hw.floor")] == ["hw.floor.d <= at_q;"]
    assert lift.assigning("hw.door") == []
    kinds = [s.kind for s in lift.reading("floor_i")]
    assert kinds == ["declaration", "branch", "branch", "set"]
    cases = [s.line for s in lift.reading("state_q") if s.kind == "case"]
    assert cases == [line_of("unique case")]


def test_the_statements_around_a_line(lift: Outline) -> None:
    around = lift.enclosing(line_of("state_d = Sink"))
    assert [(s.kind, s.head) for s in around[1:]] == [
        ("always", ""),
        ("case", "state_q"),
        ("arm", "Rest"),
        ("if", "floor_i > at_q"),
        ("branch", "floor_i < at_q"),
        ("set", ""),
    ]
    assert around[1].label == "next"
    assert [s.head for s in around[3].parent.children] == ["Rest", "Rise, Sink", "default"]  # type: ignore[union-attr]
    assert lift.at(1) is None
    assert lift.enclosing(10_000) == []


def test_the_block_of_a_line_is_whole_and_no_longer_than_allowed(lift: Outline) -> None:
    inside = line_of("state_d = Sink")
    whole = lift.block(inside)
    assert whole is not None
    assert whole.kind == "always"
    assert whole.label == "next"
    arm = lift.block(inside, most=6)
    assert arm is not None
    assert (arm.kind, arm.head) == ("arm", "Rest")
    lamp = lift.block(line_of("u_lamp"))
    assert lamp is not None
    assert lamp.name == "u_lamp"
    ports = lift.block(line_of("floor_i,") - 1)
    assert ports is not None
    assert ports.kind == "ports"


def test_the_reset_branch_is_known_by_name_and_level(lift: Outline) -> None:
    branch = only([s for s in lift.statements if s.reset])
    assert branch.line == line_of("if (!rst_ni)")
    assert [s.writes for s in branch.children] == [("state_q",), ("count",)]
    code = "always @(posedge c) if ({}) a <= 0; else a <= b;"
    for head, first in (
        ("rst", True),
        ("rst_n", False),
        ("!nreset", True),
        ("nrst", False),
        ("~aresetn", True),
        ("~wr_nreset", True),
    ):
        branches = outline_of(code.format(head)).named("branch")
        assert [s.reset for s in branches] == [first, not first], head
    edges = "always @(posedge c or {} reset_b) if ({}) a <= 0; else a <= b;"
    for edge, head in (("posedge", "reset_b"), ("negedge", "~reset_b")):
        branches = outline_of(edges.format(edge, head)).named("branch")
        assert [s.reset for s in branches] == [True, False], edge
    for head in ("first", "burst_i", "preload"):
        assert not any(s.reset for s in outline_of(code.format(head)).statements), head


def test_generate_blocks_and_routines(lift: Outline) -> None:
    lamp = only(lift.named("instance", "u_lamp"))
    assert [s.label for s in lamp.around()] == ["g_upper", "", "g_floor", ""]
    assert [s.label for s in lift.named("branch")[-2:]] == ["g_upper", "g_ground"]
    above = only(lift.named("function"))
    assert above.name == "above"
    assert above.children[0].writes == ("above",)


def test_both_branches_of_a_directive_are_read() -> None:
    outline = outline_of(
        "module a;\n`ifdef FAST\n  assign x = 1;\n`else\n  assign x = 2;\n`endif\n"
        "  `define Y(z) \\\n    assign y = z;\n  `CHECK(a, b)\n"
        "  `CELL #(2) u_cell (.a(x));\nendmodule"
    )
    assert [s.line for s in outline.assigning("x")] == [3, 5]
    assert outline.assigning("y") == []
    assert only(outline.named("macro")).name == "`CHECK"
    assert only(outline.named("instance")).unit == "`CELL"


def test_comments_and_strings_are_no_code() -> None:
    outline = outline_of('initial begin\n // a = 1;\n $display("b = 2; end");\n c = 3; end')
    assert outline.assigning("a") == outline.assigning("b") == []
    assert only(outline.assigning("c")).line == 4


BROKEN = (
    "module a; assign x = (b; endmodule module c; wire d; endmodule",
    "module a; always @(posedge k begin x <= 1; end endmodule module c; wire d; endmodule",
    "module a; if (x) begin foo u (.a(b) endmodule module c; wire d; endmodule",
    "end endcase ) } module c; wire d; endmodule end",
    "module a; case (x) 1: y = 2; endmodule module c; wire d; endmodule",
)


@pytest.mark.parametrize("text", BROKEN)
def test_broken_text_hides_nothing_behind_it(text: str) -> None:
    outline = outline_of(text)
    assert "d" in outline.declarations
    assert outline.declarations["d"].parent is outline.named("unit", "c")[0]


@pytest.mark.parametrize(
    "text",
    [
        "begin " * 60_000,
        "if (a) " * 20_000,
        "( " * 120_000,
        "a b (" * 60_000,
        "a = " * 60_000,
        "case (x) 1: " * 30_000,
        "(* " * 60_000,
        "x : " * 60_000,
        "module a " * 40_000,
        "else if (a) b; " * 30_000,
        "function " * 60_000 + "`define " * 20_000,
    ],
)
def test_hostile_text_is_read_in_linear_time(text: str) -> None:
    begin = time.process_time()
    outline = outline_of(text)
    assert len(outline.statements) <= len(text)
    assert time.process_time() - begin < 10


def test_an_outline_needs_no_parser() -> None:
    code = (
        "import sys, hdlgraph.parsers.text.outline\n"
        "print({'pyslang', 'tree_sitter', 'numpy'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
