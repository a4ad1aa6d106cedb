"""Files whose names carry the rare word of a question, and verbs in words for doers."""

from __future__ import annotations

from hdlgraph.query.answer.material.agent_nouns import verbs
from hdlgraph.query.answer.material.files import rare_first
from hdlgraph.query.answer.material.pieces import FilePieces
from hdlgraph.query.answer.material.worth import Worths
from hdlgraph.query.question.aims import Aim
from hdlgraph.results import Evidence, Hit


def test_a_doer_that_the_repository_does_not_know_stands_for_its_verb() -> None:
    known = {"stir", "glaze", "number", "stack"}
    assert verbs("how does the stirrer meet the glazer and the stacker?", known) == [
        "stir",
        "glaze",
        "stack",
    ]
    assert verbs("the number of the baker", known) == []


def hits(*scores: tuple[str, float]) -> list[tuple[Hit, str]]:
    return [(Hit(n, path, 1, score, "rtl"), "") for n, (path, score) in enumerate(scores, 1)]


WANTED = {"remap": (0, 4.0), "destin": (1, 3.0), "address": (2, 0.6)}


def test_the_rare_word_in_a_name_puts_a_file_first() -> None:
    found = hits(("rtl/mill.v", 2.5), ("rtl/mill_remap.v", 2.4), ("rtl/remap_old.v", 1.0))
    assert rare_first(found, WANTED)[0][0].path == "rtl/mill_remap.v"


def test_a_common_word_or_a_poor_find_does_not() -> None:
    for other in (("rtl/address.v", 2.4), ("rtl/remap.v", 1.0)):
        found = hits(("rtl/mill.v", 2.5), other)
        assert rare_first(found, WANTED)[0][0].path == "rtl/mill.v"
    named = hits(("rtl/mill.v", 2.5), ("rtl/remap.v", 2.4))
    first = Hit(
        1, "rtl/mill.v", 1, 2.5, "rtl", evidence=(Evidence("identifier", "rtl/mill.v", 1, "mill"),)
    )
    assert rare_first([(first, ""), named[1]], WANTED)[0][0] is first


RESET = """\
module loom (input clk_i, rst_ni, input [7:0] base_i, output logic [7:0] row_o);
  logic load_q, lift_q;
  logic [7:0] row_d;
  always_comb begin
    row_d = row_o + 1;
    if (load_q) begin
      row_d = base_i;
    end
  end
  assign up = lift_q;
  assign down = !lift_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      load_q <= 1'b1;
      lift_q <= 1'b1;
      row_o <= '0;
    end else begin
      load_q <= 1'b0;
      row_o <= row_d;
    end
  end
endmodule
"""


def test_a_flag_that_reset_sets_is_followed_to_its_only_reader() -> None:
    file = FilePieces("loom.sv", RESET)
    worths = Worths(file, {}, (Aim.RESET,), ())
    worth = {n: w for p, w in zip(file.pieces, worths.bonus, strict=True) for n in p.lines}
    lines = RESET.split("\n")
    assert worth[lines.index("    if (load_q) begin") + 1] > 0
    assert worth[lines.index("  assign up = lift_q;") + 1] == 0
