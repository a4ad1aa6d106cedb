"""Quoted blocks are complete: what a comment heads, what a condition tests, the arms asked for."""

from __future__ import annotations

from hdlgraph.query.answer.material.pieces import FilePieces
from hdlgraph.query.answer.material.select import Selector
from hdlgraph.query.answer.material.settle import settle
from hdlgraph.query.answer.material.worth import Worths
from hdlgraph.query.answer.page import Page
from hdlgraph.query.answer.passages.sections import states
from hdlgraph.query.answer.passages.view import FileView
from hdlgraph.query.question.aims import Aim

FILLER = "\n".join(f"  assign spare_{n} = other_{n} & third_{n};\n" for n in range(30))
KILN = f"""\
module kiln (input clk_i, rst_ni, lit_i, door_i, cone_i, output logic fan_o);
  typedef enum logic [1:0] {{Cold, Soak, Cool, Fault}} kiln_e;
  kiln_e heat_q, heat_d;
{FILLER}
  // ticks of the soak, from the dial
  assign ripe = dial_i << 2;
{FILLER}
  assign ready_ge = (tick_q >= ripe);
{FILLER}
  always_comb begin
    heat_d = heat_q;
    case (heat_q)
      Cold: if (lit_i) heat_d = Soak;
      // the ware glows
      Soak: begin
        if (ready_ge) begin
          heat_d = Cool;
          if (cone_i && !door_i) heat_d = Fault;
        end
      end
      Cool: heat_d = Cold;
      default: heat_d = Cold;
    endcase
  end
  always_comb begin
    fan_o = 1'b0;
    // the vent opens with the door
    if (door_i && !cone_i) begin
      fan_o = 1'b1;
    end
  end
endmodule
"""
LINES = KILN.split("\n")


def line_of(text: str) -> int:
    return next(n for n, line in enumerate(LINES, 1) if text in line)


def settled(text: str, *words: str, more: int = 400) -> set[int]:
    """Returns what is taken after only the line with `text` was."""
    worths = Worths(
        FilePieces("kiln.sv", KILN), {word: (n, 3.0) for n, word in enumerate(words)}, (), ()
    )
    selector = Selector(worths, lambda number: 10)
    selector.include({line_of(text)}, 10_000)
    settle(selector, selector.taken.cost + more)
    return selector.taken.lines


def test_the_statement_below_a_quoted_comment_is_quoted() -> None:
    lines = settled("the vent opens", "vent")
    assert {line_of("if (door_i && !cone_i)"), line_of("fan_o = 1'b1")} <= lines


def test_a_statement_that_does_not_fit_is_left() -> None:
    assert settled("the vent opens", "vent", more=5) == {line_of("the vent opens")}


def test_what_a_comparison_tests_is_quoted_with_its_comment() -> None:
    lines = settled("assign ready_ge", "ready")
    assert {line_of("assign ripe"), line_of("ticks of the soak")} <= lines


def test_the_arm_whose_comment_the_question_speaks_of_is_quoted() -> None:
    worths = Worths(FilePieces("kiln.sv", KILN), {"glow": (0, 3.0)}, (), ())
    selector = Selector(worths, lambda number: 10)
    selector.include({line_of("case (heat_q)"), line_of("Cool: heat_d")}, 10_000)
    settle(selector, selector.taken.cost + 400)
    assert line_of("heat_d = Fault") in selector.taken.lines


def test_the_description_of_a_file_is_quoted_whole() -> None:
    head = "/*\n * Fires the ware.\n *   glaze = time * cone\n *\n * The cone is chosen.\n */\n"
    worths = Worths(FilePieces("kiln.sv", head + KILN), {"cone": (0, 3.0)}, (), ())
    selector = Selector(worths, lambda number: 10)
    selector.include({5}, 10_000)
    settle(selector, selector.taken.cost + 400)
    assert {2, 3, 5} <= selector.taken.lines


def told(arcs: str) -> str:
    text = KILN.replace("      Cool: heat_d = Cold;\n", arcs)
    page = Page()
    view = FileView("kiln.sv", text, {"heat": (0, 3.0)}, (Aim.STATES, Aim.GENERAL))
    assert states(page, view, 30)
    return page.text


def test_a_default_that_is_overridden_further_down_is_said_to_be_one() -> None:
    lines = told("      Cool: heat_d = Cold;\n").split("\n")
    arc = next(n for n, line in enumerate(lines) if "Soak -> Cool when" in line)
    assert "overrides" in lines[arc + 1]
    plain = next(n for n, line in enumerate(lines) if "Soak -> Fault" in line)
    assert "overrides" not in lines[plain + 1]


def test_every_assignment_of_the_next_state_is_told_quoted_or_counted() -> None:
    long = "\n          && ".join(f"(gauge_{n} != limit_{n})" for n in range(9))
    more = f"        if (door_i) heat_d = Fault;\n        if ({long})\n          heat_d = Fault;\n"
    text = told(f"      Cool: begin\n        heat_d = Cold;\n{more}      end\n")
    assert "Cool -> Fault when door_i" in text
    assert "gauge_8 != limit_8" in text
    many = "".join(
        f"        if ({long} && (step == {n}))\n          heat_d = Fault;\n" for n in range(40)
    )
    text = told(f"      Cool: begin\n{more}{many}      end\n")
    assert "more" in text.split("Further transitions")[1]
