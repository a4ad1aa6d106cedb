"""Files of many units: people read what there is, and each sentence says of which unit it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from _parsing import record_of

from hdlgraph.index.explain.by_rules.explainer import explain_all

CELLS = "".join(
    f"module CELL{number}(input A, input B, output Y);\n  assign Y = A {sign} B;\nendmodule\n"
    for number, sign in enumerate("&|^&|^&|^&|^&|^&|^&|")
)
HELPED = """module helper(input clk, output reg [3:0] n);
  always @(posedge clk) n <= n + 1;
endmodule
module unit_a(input clk, input go, output done);
  wire [3:0] n;
  helper u_helper(.clk(clk), .n(n));
  assign done = go & n[3];
endmodule
"""


def purpose(folder: Path, text: str, name: str) -> str:
    """Returns what people read first of a file."""
    return explain_all([record_of(folder, text, name)])[name].purpose


def test_a_library_says_what_it_defines(tmp_path: Path) -> None:
    text = purpose(tmp_path, CELLS, "cells/models.v")
    named = ", ".join(f"`CELL{number}`" for number in range(16))
    assert text.startswith(f"Defines 20 modules: {named} and 4 more, in cells.")


@pytest.mark.parametrize(
    ("head", "first"),
    [
        ("// Simulation models of the cells of the library.\n\n", "Simulation models of the cells"),
        ("// Ignored here.\n\n", "Defines 20 modules"),
    ],
)
def test_the_head_of_a_library_stands_first_where_it_says_what_it_is(
    tmp_path: Path, head: str, first: str
) -> None:
    assert purpose(tmp_path, head + CELLS, "models.v").startswith(first)


def test_the_unit_that_a_file_is_named_after_goes_before_its_helpers(tmp_path: Path) -> None:
    text = purpose(tmp_path, HELPED, "unit_a.v")
    assert text.index("Instantiates `helper`") < text.index("In `helper`: counts up `n`")


def test_a_sentence_names_its_unit_but_for_the_main_one(tmp_path: Path) -> None:
    record = record_of(tmp_path, HELPED, "parts.v")
    text = explain_all([record])["parts.v"].purpose
    assert "In `helper`: counts up `n`" in text
    assert "In `unit_a`" not in text
    assert "Module unit_a" in text
