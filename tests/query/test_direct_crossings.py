"""Questions for the data that crosses between the clocks of a unit."""

from __future__ import annotations

import pytest
from _texts import indexed

from hdlgraph.project import Project

DESIGN = """module hand_over(input clk_a, input clk_b, input d, output reg q);
  reg kept;
  always @(posedge clk_a) kept <= d;
  always @(posedge clk_b) q <= kept;
endmodule
module one_clock(input clk, input d, output reg q);
  always @(posedge clk) q <= d;
endmodule
"""


@pytest.fixture(scope="module")
def clocks(tmp_path_factory: pytest.TempPathFactory) -> Project:
    files = {"clocks.v": DESIGN}
    return indexed(tmp_path_factory.mktemp("clocks"), files)


@pytest.mark.parametrize(
    "question",
    [
        "is there a clock domain crossing in hand_over?",
        "which signals cross clock domains in hand_over?",
        "CDCs of hand_over",
        "does hand_over have clock crossings?",
    ],
)
def test_the_crossings_of_a_unit_are_told_alone(clocks: Project, question: str) -> None:
    found = clocks.ask(question).text.splitlines()
    assert found[0].startswith("Data is seen to cross between clocks in hand_over")
    assert found[1].startswith("- from hand_over.clk_a to hand_over.clk_b: 1 with no synchroniser")
    assert any("|   always @(posedge clk_b) q <= kept;" in row for row in found)
    assert not any(row.startswith("Most likely") for row in found)


def test_a_unit_of_one_clock_has_none(clocks: Project) -> None:
    found = clocks.ask("is there a cdc in one_clock?").text.splitlines()
    assert found[0].startswith("No data is seen to cross between clocks in one_clock")


@pytest.mark.parametrize(
    "question",
    ["how is the clock crossing in hand_over handled?", "is there a cdc between a and b?"],
)
def test_what_asks_for_more_is_not_answered_so(clocks: Project, question: str) -> None:
    assert " cross" not in clocks.ask(question).text.splitlines()[0]
