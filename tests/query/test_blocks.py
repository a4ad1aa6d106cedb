"""Blocks are shown whole: conditions, the arms of a machine, late overrides, comments above."""

from __future__ import annotations

from hdlgraph.query.answer.material.pieces import FilePieces
from hdlgraph.query.answer.material.select import Selector
from hdlgraph.query.answer.material.worth import Worths
from hdlgraph.query.answer.page import Page
from hdlgraph.query.answer.passages.actions import outside
from hdlgraph.query.answer.passages.sections import best_machine
from hdlgraph.query.answer.passages.view import FileView
from hdlgraph.query.answer.source_text import SourceText
from hdlgraph.query.question.aims import Aim

FILLER = "\n".join(f"  assign spare_{n} = other_{n} & third_{n};\n" for n in range(40))
STEPS = "\n".join(f"        slot_d[{n}] = level_i[{n}] ^ tail_q[{n}];\n" for n in range(30))
PRESS = f"""\
module press (input clk_i, rst_ni, start_i, done_i, jam_i, cancel_i, output logic lift_o);
  typedef enum logic [1:0] {{Rest, Down, Hold, Up}} press_e;
  press_e phase_q, phase_d;
{FILLER}
  always_comb begin
    phase_d = phase_q;
    lift_o  = 1'b0;
    case (phase_q)
      Rest: if (start_i) phase_d = Down;
      Down: begin
        // a sheet lies under the plate
        if (done_i) phase_d = Hold;
      end
      Hold: phase_d = Up;
      Up: begin
        lift_o  = 1'b1;
        phase_d = Rest;
      end
    endcase
    if (cancel_i) begin
      lift_o = 1'b1;
      if (phase_q == Down && !done_i)
        phase_d = Up;
      else
        phase_d = Rest;
    end
  end
{FILLER}
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) phase_q <= Rest;
    else phase_q <= phase_d;
  end

  always_comb begin
    slot_d = slot_q;
    // a second sheet may follow
    if (sheet_i && !jam_i
                && !(kind_i inside {{Thin, Torn}})
                && !wait_i
                && !late_q) begin
{STEPS}
        second_o = 1'b1;
    end
  end
endmodule
"""
LINES = PRESS.split("\n")


def line_of(text: str) -> int:
    return next(n for n, line in enumerate(LINES, 1) if text in line)


def taken(*words: str, budget: int) -> set[int]:
    worths = Worths(
        FilePieces("press.sv", PRESS), {word: (n, 3.0) for n, word in enumerate(words)}, (), ()
    )
    return Selector(worths, lambda number: 10).take(budget).lines


def test_a_condition_is_never_cut_in_its_middle() -> None:
    lines = taken("second", budget=300)
    assert line_of("second_o = 1'b1") in lines
    first = line_of("if (sheet_i && !jam_i")
    assert set(range(first, first + 4)) <= lines


def test_the_arms_of_a_machine_are_shown_together() -> None:
    lines = taken("sheet", "plate", budget=420)
    for said in ("Rest: if (start_i)", "if (done_i)", "Hold: phase_d", "lift_o  = 1'b1"):
        assert line_of(said) in lines, said


def test_a_late_override_is_shown_with_all_of_its_conditions() -> None:
    view = FileView("press.sv", PRESS, {"cancel": (0, 3.0)}, (Aim.STATES, Aim.GENERAL))
    machine = best_machine(view)
    assert machine is not None
    found = outside(view, machine)
    shown = {n for lines in found for n in lines}
    for said in ("if (cancel_i) begin", "phase_q == Down && !done_i", "      else"):
        assert line_of(said) in shown, said


def test_the_comment_above_a_definition_is_shown_with_it() -> None:
    text = (
        "module tap (input a, b, c, output full_o);\n  // The basin has overflown.\n"
        "  wire high = a & b;\n\n" + FILLER + "\n  assign full_o = high | c;\nendmodule\n"
    )
    worths = Worths(FilePieces("tap.v", text), {"full": (0, 3.0)}, (), ())
    lines = Selector(worths, lambda number: 10).take(80).lines
    assert {2, 3} <= lines


def test_no_dots_stand_for_blank_lines() -> None:
    page = Page()
    page.code("a.v", SourceText("wire a;\n\nwire b;\nwire c;\nwire d;\n"), [1, 3, 5])
    assert page.text.count("...") == 1
