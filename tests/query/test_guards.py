"""Quoted lines show the conditions that enclose them, and short blocks are shown whole."""

from __future__ import annotations

from hdlgraph.query.answer.material.pieces import FilePieces
from hdlgraph.query.answer.material.select import Selector
from hdlgraph.query.answer.material.worth import Worths
from hdlgraph.query.answer.page import Page
from hdlgraph.query.answer.passages.choice import grouped
from hdlgraph.query.answer.passages.declared import decided
from hdlgraph.query.answer.passages.guards import guards
from hdlgraph.query.answer.passages.sections import configuration, reset_values, statements
from hdlgraph.query.answer.passages.view import FileView
from hdlgraph.query.answer.source_text import Wanted
from hdlgraph.query.question.aims import Aim

LINK = """\
`ifndef LINK_V
`define LINK_V
module link #(
  parameter Mode = 0  // 0 bypass, 1 registered
) (
  input  clk, rst_n, level_i, mask_i, fault_i,
  output logic alarm_o, grant_o
);
  wire blocked = mask_i | fault_i;
  wire link_up_done;

  settle u_settle (.clk(clk), .in(1'b1), .out(link_up_done));

  generate
    if (Mode == 0) begin : g_bypass
      assign alarm_o = level_i;
    end else begin : g_registered
      always @(posedge clk)
        if (!rst_n) begin
          alarm_o <= 1'b0;
        end else if (fault_i) begin
          alarm_o <= 1'b1;
        end
    end
  endgenerate

`ifdef SLOW_BUS
  assign grant_o = 1'b0;
`else
  assign grant_o = level_i & ~blocked & link_up_done;
`endif
endmodule
`endif
"""
WANTED: Wanted = {"alarm": (0, 3.0), "grant": (1, 3.0), "mode": (2, 2.0), "bypas": (3, 1.0)}
LINES = LINK.split("\n")


def view(wanted: Wanted = WANTED, *aims: Aim) -> FileView:
    return FileView("link.v", LINK, wanted, (*aims, Aim.GENERAL))


def chosen(asked: FileView, lines: int) -> set[int]:
    """Returns the lines taken of a file, so many, with the conditions around them."""
    file = FilePieces(asked.path, asked.source.text)
    worths = Worths(file, asked.wanted, asked.aims, ())
    selector = Selector(worths, lambda number: 1, 0, unasked=("ports", "parameters"))
    taken = selector.take(lines, 0.1 * selector.best())
    return {n for group in grouped(asked, taken.lines) for n in group}


def line_of(text: str) -> int:
    return next(n for n, line in enumerate(LINES, 1) if text in line)


def test_a_line_shows_its_generate_condition() -> None:
    assert guards(view(), [line_of("alarm_o = level_i")]) == {line_of("if (Mode == 0)")}


def test_an_else_shows_its_if_and_the_process_around() -> None:
    found = guards(view(), [line_of("alarm_o <= 1'b1")])
    assert found >= {
        line_of("if (Mode == 0)"),
        line_of("else begin : g_registered"),
        line_of("always @"),
        line_of("else if (fault_i)"),
    }


def test_the_preprocessor_encloses_as_well_but_an_include_guard_does_not() -> None:
    slow, other = line_of("grant_o = 1'b0"), line_of("grant_o = level_i")
    assert guards(view(), [slow]) == {line_of("`ifdef SLOW_BUS")}
    assert guards(view(), [other]) == {line_of("`ifdef SLOW_BUS"), line_of("`else")}


def test_what_drives_a_formula_is_quoted_with_it() -> None:
    shown = chosen(view({"grant": (0, 3.0)}), 9)
    assert shown >= {line_of("grant_o = level_i"), line_of("wire blocked"), line_of("u_settle (")}
    assert line_of("`else") in shown


def test_what_the_answer_has_already_is_not_quoted_again() -> None:
    taken, other = line_of("grant_o = level_i"), line_of("wire blocked")
    page = Page()
    page.code("link.v", view().source, [taken])
    assert statements(page, view(), {taken, other})
    assert page.text.count("grant_o = level_i") == 1
    assert page.text.count("wire blocked") == 1


def test_a_parameter_shows_its_comment_and_both_sides_of_what_it_selects() -> None:
    asked = view({"mode": (0, 3.0)}, Aim.CONFIGURE)
    (chain,) = decided(asked, "Mode")
    assert chain == list(range(line_of("if (Mode == 0)"), line_of("endgenerate")))
    page = Page()
    assert configuration(page, asked, 20)
    assert "0 bypass, 1 registered" in page.text
    assert "g_bypass" in page.text
    assert "g_registered" in page.text


RESET = """\
module regs (
  input clk, rst_n, output reg [3:0] level_q, output reg armed_q, output reg [7:0] base_q
);
  reg first_reset_done = 1'b0;
  always @(posedge clk or negedge rst_n)
    if (!rst_n) begin
      level_q <= 4'd3;
      armed_q <= 1'b1;
      base_q  <= 8'h40;
    end else begin
      level_q <= level_q + 1;
    end
endmodule
"""


def test_a_short_reset_branch_is_shown_whole() -> None:
    page = Page()
    asked = FileView("regs.v", RESET, {"level": (0, 3.0)}, (Aim.RESET, Aim.GENERAL))
    assert reset_values(page, asked, 20)
    for said in ("level_q <= 4'd3", "armed_q <= 1'b1", "base_q  <= 8'h40", "if (!rst_n)"):
        assert said in page.text


HELD = """\
module held (input clk, rst_n, start_i, output go_o, other_o);
  wire reset_done;
  wire unrelated_a = start_i ^ clk;
  settle u_settle (.clk(clk), .in(1'b1), .out(reset_done));
  assign other_o = unrelated_a;

  assign go_o = start_i & reset_done;
endmodule
"""


def test_a_question_about_reset_shows_who_makes_and_who_waits_for_its_flag() -> None:
    asked = FileView("held.v", HELD, {"reset": (0, 1.0)}, (Aim.GENERAL,))
    assert chosen(asked, 2) == {4, 7}
