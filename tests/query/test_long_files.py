"""Questions about files so long that an answer reads parts of them alone."""

from __future__ import annotations

import time

import pytest
from _texts import indexed

from hdlgraph.project import Project
from hdlgraph.query.answer.excerpts import KEPT, LARGE, excerpt, lines_of_words
from hdlgraph.query.answer.passages.guards import guards
from hdlgraph.query.answer.passages.view import FileView

PLAIN = """module Plain_{n}(input clock, input io_in_{n}, output io_out_{n});
`ifdef RANDOMIZE
  reg [31:0] rand_{n};
`endif
  reg held_{n}; // @[Plain.scala 12:{n}]
  always @(posedge clock) if (io_in_{n}) held_{n} <= io_in_{n};
  assign io_out_{n} = held_{n};
endmodule

"""
SOUGHT = """module MissArbiter(input clock, input icache_miss, input dcache_miss, output grant);
  // Arbitrates between misses of the two caches, those of the data cache first.
  assign grant = dcache_miss ? 1'b1 : icache_miss;
endmodule

"""


def text_of(modules: int) -> str:
    plain = [PLAIN.format(n=n) for n in range(modules)]
    return "".join([*plain[: modules // 2], SOUGHT, *plain[modules // 2 :]])


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    text = text_of(4500)
    assert len(text) > LARGE
    return indexed(tmp_path_factory.mktemp("long"), {"generated.v": text, "b.v": SOUGHT[:60]})


def test_an_excerpt_keeps_the_units_around_lines_at_their_lines() -> None:
    text = text_of(4500)
    (line,) = lines_of_words(text, ["arbitrates", "misses"], 1)
    cut = excerpt(text, [line, 3, 10**9])
    lines, whole = cut.split("\n"), text.split("\n")
    assert len(lines) == len(whole)
    assert {one for one, before in zip(lines, whole, strict=True) if one != before} == {""}
    kept = [one for one in lines if one]
    assert kept == [one for one in (*PLAIN.format(n=0).split("\n"), *SOUGHT.split("\n")) if one]
    assert excerpt(SOUGHT, [1]) == SOUGHT
    assert sum(map(len, excerpt(text, range(1, 10**5)).split("\n"))) <= KEPT


def test_a_question_about_a_long_file_ends_soon_and_says_what_was_read(project: Project) -> None:
    begin = time.process_time()
    answer = project.ask("which unit arbitrates between misses of the data cache?")
    assert time.process_time() - begin < 10
    assert "MissArbiter" in answer.text
    assert "Of very long files (generated.v) only the units" in answer.text


def test_blank_lines_take_little_time() -> None:
    text = "`ifndef GUARD\n" + "\n" * 20_000 + "module m; endmodule\n"
    begin = time.process_time()
    view = FileView("m.v", text, {})
    assert view.checked == frozenset()
    guards(view, [20_002])
    assert time.process_time() - begin < 2
