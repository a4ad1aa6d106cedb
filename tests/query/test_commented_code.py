"""Code in a block comment is no code of the design: answers never quote it as such."""

from __future__ import annotations

from pathlib import Path

from _texts import indexed

from hdlgraph.query.answer.material.pieces import FilePieces
from hdlgraph.query.answer.page import Page
from hdlgraph.query.answer.passages.identifiers import in_file
from hdlgraph.query.answer.passages.view import FileView
from hdlgraph.query.answer.source_text import SourceText

TICKER = """\
module ticker (input clk_i, rst_ni, output logic [7:0] ticks_o);
  /* The ticks of the wall
     are counted here. */
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) ticks_o <= 8'd3;
    else ticks_o <= ticks_o + 8'd1;
endmodule

/*
module ticker_gray (input clk_i, resetn, output logic [7:0] gray_ticks);
  always_ff @(posedge clk_i or negedge resetn)
    if (~resetn) gray_ticks <= 8'd0;
    else gray_ticks <= gray_ticks ^ 8'd1;
  assign ticks_reset_value = gray_ticks;
endmodule
*/
"""
FIRST, LAST = 9, 16
OPENED = (
    "/* an old one\nmodule old_one (input a);\nendmodule */\nmodule new_one (input b);\nendmodule\n"
)


def test_the_lines_of_a_block_comment_are_no_code() -> None:
    source = SourceText(TICKER)
    assert [n for n in range(1, len(source.lines) + 1) if source.is_comment(n)] == [
        *(2, 3),
        *range(FIRST, LAST + 1),
    ]
    assert source.disabled == frozenset(range(FIRST, LAST + 1))
    assert not any(FileView("ticker.sv", TICKER, {}).is_code(n) for n in range(FIRST, LAST + 1))


def test_code_beside_a_comment_stays_code() -> None:
    source = SourceText('wire a; /* one\n b; */ wire c;\nwire d; /* e */\nx = "/*";\nwire y;\n')
    assert not any(map(source.is_comment, range(1, 6)))


def test_a_unit_in_a_comment_is_not_the_first_unit() -> None:
    assert SourceText(OPENED).unit_line == 4


def test_code_in_a_comment_is_no_piece_of_the_material() -> None:
    pieces = FilePieces("ticker.sv", TICKER).pieces
    assert not {n for piece in pieces for n in piece.lines} & set(range(FIRST, LAST + 1))


def test_a_name_in_a_comment_stands_nowhere_in_code() -> None:
    assert in_file(["gray_ticks"], "ticker.sv", TICKER) is None


def test_lines_in_a_comment_are_left_out_beside_code() -> None:
    page = Page()
    page.code("ticker.sv", SourceText(TICKER), [5, 12])
    assert page.text == "5|   if (!rst_ni) ticks_o <= 8'd3;\n[ticker.sv:5]"


def test_lines_in_a_comment_alone_are_said_to_be_commented_out() -> None:
    page = Page()
    page.code("ticker.sv", SourceText(TICKER), [12])
    assert page.text.splitlines() == [
        "Commented out, no code of the design:",
        "   12|   if (~resetn) gray_ticks <= 8'd0;",
        "[ticker.sv:12]",
    ]


def test_an_answer_quotes_no_code_in_a_comment(tmp_path: Path) -> None:
    project = indexed(tmp_path, {"ticker.sv": TICKER})
    for question in (
        "what happens to the ticks on reset?",
        "what does gray ticks do on reset?",
        "how is the ticks reset value assigned?",
    ):
        text = project.ask(question).text
        rows = text.splitlines()
        assert not [row for row in rows if "gray_ticks" in row and "|" in row], text


def test_a_hit_shows_no_code_in_a_comment(tmp_path: Path) -> None:
    project = indexed(tmp_path, {"ticker.sv": TICKER})
    (hit,) = project.search("gray ticks resetn").hits
    assert not {line.line for line in hit.lines} & set(range(FIRST, LAST + 1))
