"""The source lines of hits: which are shown, what is marked in them, and when none is."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from hdlgraph.project import Project
from hdlgraph.query.result.line_kinds import (
    COMMENT,
    CONNECTION,
    DECLARATION,
    END,
    LOGIC,
    UNIT,
    factor,
    in_block_comments,
    notice,
)
from hdlgraph.query.result.lines import LONGEST, best_lines, source_line
from hdlgraph.results import SearchResult
from hdlgraph.words import places

SPLITTER = """// Copyright a splitter company.
// Licensed under the split licence: a misaligned copy is no copy.

/* A block comment: the splitter waits
   until a misaligned access is split. */
module splitter (
  input  logic split_misaligned_i,
  output logic second_o
);
  // Misaligned accesses are split in two.
  logic misaligned;
  assign misaligned = addr[1:0] != 2'b00;
  assign second_o = misaligned & split_misaligned_i;
endmodule
"""
WORDS = {"split": (0, 2.0), "misalign": (1, 3.0)}


def worth(text: str) -> np.ndarray:
    """Returns what each line of a text is worth by WORDS, as the index would say."""
    lines = text.split("\n")
    out = np.zeros((2, 1 + len(lines)), np.float32)
    for number, line in enumerate(lines, 1):
        for _, _, term in places(line):
            if term in WORDS:
                group, value = WORDS[term]
                out[group, number] = value
    return out


def numbers(text: str, **more) -> list[int]:
    return [one.line for one in best_lines(text, worth(text), WORDS, **more)]


def test_logic_comes_before_comments_and_these_before_declarations() -> None:
    assert numbers(SPLITTER)[0] == 13
    without = SPLITTER.replace("  assign second_o = misaligned & split_misaligned_i;\n", "")
    assert numbers(without)[0] == 5  # the first of two comments that say as much
    bare = "module splitter (\n  input logic split_misaligned_i\n);\nendmodule\n"
    assert numbers(bare) == [2]


def test_a_licence_is_never_shown() -> None:
    head = "\n".join(SPLITTER.split("\n")[:2]) + "\nmodule a;\nendmodule\n"
    assert numbers(head) == []


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("assign a = b;", LOGIC),
        ("StIdle: if (go) state_d = StBusy;", LOGIC),
        ("prim_fifo #(", LOGIC),
        ("  // says so", COMMENT),
        ("* says so", COMMENT),
        ("// Licensed to somebody", END),
        ("  .clk_i (clk),", CONNECTION),
        ("`ASSERT(Known_A, a)", CONNECTION),
        ("module splitter (", UNIT),
        ("input logic a,", DECLARATION),
        ("fifo_req_t [1:0] request;", DECLARATION),
        ("StBusy,", DECLARATION),
        ("StBusy = 3'b101, // waits", DECLARATION),
        ("end else begin", END),
        (");", END),
    ],
)
def test_kinds_of_lines(line: str, kind: float) -> None:
    assert factor(line, False, "") == kind


def test_block_comments_are_followed() -> None:
    lines = ["a /* b", "c // d */ e", "f /* g */ h /*", "i", "*/ // /*", "j"]
    assert in_block_comments(lines) == {2, 4, 5}


@pytest.mark.parametrize(
    "line", [" " * 300_000 + "x", "/**/ " * 80_000, "// " + " x" * 200_000, ")" * 300_000 + "x"]
)
def test_a_long_line_of_a_stranger_takes_no_time(line: str) -> None:
    started = time.process_time()
    factor(line, False, "")
    in_block_comments([line, line])
    notice([line] * 3, ())
    source_line(1, line, WORDS)
    assert time.process_time() - started < 2.0


def test_what_is_named_comes_first() -> None:
    assert numbers(SPLITTER, fixed=[6])[0] == 6


def test_a_line_that_repeats_the_summary_gives_way() -> None:
    text = "// Split misaligned accesses.\nmodule a;\n  // misaligned: two accesses\nendmodule\n"
    assert numbers(text)[0] == 1
    assert numbers(text, summary="Split misaligned accesses")[0] == 3


def test_a_text_of_another_length_shows_nothing() -> None:
    assert best_lines(SPLITTER + "\n", worth(SPLITTER), WORDS) == ()
    assert best_lines("", worth(SPLITTER), WORDS) == ()


def test_words_are_marked_where_they_stand() -> None:
    shown = source_line(13, "  assign second_o = misaligned & split_misaligned_i;", WORDS)
    assert shown.text == "assign second_o = misaligned & split_misaligned_i;"
    marked = [shown.text[start:end] for start, end in shown.marks]
    assert marked == ["misaligned", "split_misaligned"]


def test_a_long_line_is_cut_around_its_marks() -> None:
    line = "x" * 300 + " misaligned " + "y" * 300
    shown = source_line(1, line, WORDS)
    ((start, end),) = shown.marks
    assert shown.text[start:end] == "misaligned"
    assert len(shown.text) == LONGEST + 2
    assert shown.text[0] == shown.text[-1] == "…"


def test_the_right_side_of_a_box_is_no_text() -> None:
    assert source_line(1, "/* * Function: split      ***", WORDS).text == "/* * Function: split"
    assert source_line(1, "// spans two domains --", WORDS).text == "// spans two domains --"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("lines")
    (root / "splitter.sv").write_text(SPLITTER)
    (root / "top.sv").write_text(
        "// The top.\nmodule top;\n  splitter #(\n    .W(3)\n  ) u_first (\n    .second_o()\n"
        "  );\nendmodule\n"
    )
    project = Project(root)
    project.index(embeddings=False, graphrag="never", jobs=1)
    return project


def shown(result: SearchResult) -> dict[str, list[str]]:
    return {hit.path: [line.text for line in hit.lines] for hit in result.hits}


def test_lines_are_those_of_the_file(project: Project) -> None:
    result = project.search("how are misaligned accesses split?")
    source = SPLITTER.split("\n")
    hit = result.hits[0]
    assert hit.path == "splitter.sv"
    assert 1 <= len(hit.lines) <= 2
    assert hit.line == hit.lines[0].line > 3
    for line in hit.lines:
        assert line.text == source[line.line - 1].strip()
        assert line.marks
    assert shown(project.search("how are misaligned accesses split?", lines=False)) == {
        path: [] for path in shown(result)
    }


def test_a_relation_shows_the_statement(project: Project) -> None:
    hit = project.search("what instantiates splitter.sv").hits[0]
    assert (hit.path, hit.line, hit.lines[0].text) == ("top.sv", 3, "splitter #(")
    assert any("instantiates splitter (top.sv:5)" in reason for reason in hit.why)


def test_what_was_indexed_is_shown_or_nothing(project: Project, tmp_path: Path) -> None:
    file = project.root / "splitter.sv"
    try:
        file.write_text("// new\n" + SPLITTER)
        assert shown(project.search("misaligned split"))["splitter.sv"] == []
        file.unlink()
        assert "splitter.sv" not in shown(project.search("misaligned split"))
        secret = tmp_path / "secret.sv"
        secret.write_text(SPLITTER)
        file.symlink_to(secret)
        assert not shown(project.search("misaligned split")).get("splitter.sv")
    finally:
        file.unlink(missing_ok=True)
        file.write_text(SPLITTER)
    assert shown(project.search("misaligned split"))["splitter.sv"]
