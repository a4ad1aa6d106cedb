"""Colours of source text: what is what, everything escaped, and no text that takes endless time."""

from __future__ import annotations

import re
import time
from html import unescape

import pytest

from hdlgraph.serve.web.highlight import COLOURED, LONGEST, coloured, marked

SOURCE = """// a comment
/* two
   lines */ module m #(parameter int N = 8'hff) (input logic clk);
`define WIDE 3 // said
  assign a = "text // none" /* in */ + b;
endmodule
"""
PIECES = (
    *("/", "/* ", "/*/", "//", '"a\n', "\\\n", "`", "(*", "1'b", '"\\', "import ", " \n", "'"),
    *("`define a \\\n", "1 ", "\\", "a:", "class ", "`define /* ", "9", ".", "\t", "endclass : "),
)


def plain(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


def test_lines_keep_their_text_and_get_classes() -> None:
    lines = coloured(SOURCE)
    assert [plain(line) for line in lines] == SOURCE.split("\n")
    assert lines[0] == '<span class="c">// a comment</span>'
    assert '<span class="c">   lines */</span>' in lines[2]
    assert '<span class="k">module</span>' in lines[2]
    assert '<span class="c">// said</span>' in lines[3]
    assert "none" in re.findall(r'<span class="s">([^<]*)', lines[4])[1]


def test_nothing_is_markup_and_nothing_hidden() -> None:
    text = '<script>alert(1)</script> & "<b>" // </span>\x1b[31m \u202e'
    (html,) = coloured(text)
    assert "<script>" not in html
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert "\\x1b[31m" in plain(html)


def test_marks_lie_where_they_are_said() -> None:
    html = marked("assign uart_rx = bit;", [(7, 11), (12, 14)])
    assert [plain(one) for one in re.findall(r"<mark>.*?</mark>", html)] == ["uart", "rx"]
    assert plain(html) == "assign uart_rx = bit;"
    assert plain(marked("* within /* a comment", [(2, 8)])) == "* within /* a comment"


def test_a_long_line_is_cut() -> None:
    (html,) = coloured("a" * (LONGEST * 3))
    assert len(html) < LONGEST * 2
    assert html.endswith("…</i>")


@pytest.mark.parametrize("piece", PIECES)
def test_hostile_texts_take_time_in_proportion(piece: str) -> None:
    size = 60_000
    started = time.process_time()
    coloured((piece * size)[:size])
    assert time.process_time() - started < 3.0
    assert size < COLOURED


def test_a_mark_tells_which_word_it_stands_for() -> None:
    tips = {"wdog": 'stands for "<watchdog>"'}
    line = marked("assign wdog = reset;", [(7, 11), (14, 19)], lambda part: tips.get(part, ""))
    assert '<mark title="stands for &#34;&lt;watchdog&gt;&#34;">wdog</mark>' in line
    assert "<mark>reset</mark>" in line
