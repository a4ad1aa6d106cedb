"""Questions for how something is switched on or off: macros, parameters, plusargs."""

from __future__ import annotations

import pytest
from _texts import indexed, rows

from hdlgraph.project import Project

FILES = {
    "rtl/press.sv": """module press_watch(input logic clk_i); endmodule
module press #(parameter bit HeaterEn = 1'b0, parameter int Depth = 4) (input logic clk_i);
`ifdef PRESS_WATCHED
  press_watch u_watch (.clk_i);
`endif
`ifndef NO_GLUE
  logic glue_pump;
`endif
endmodule
""",
    "rtl/press_defines.svh": "// `define PRESS_WATCHED\n",
    "dv/press_tb.sv": """module press_tb;
  logic clk_i, quiet;
  press u_press (.clk_i);
  initial begin
    // no record of the strokes is kept
    void'($value$plusargs("disable_stroke_log=%0d", quiet));
    void'($value$plusargs("stroke_file_name=%0d", quiet));
  end
endmodule
""",
}


@pytest.fixture(scope="module")
def press(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return indexed(tmp_path_factory.mktemp("switches"), FILES)


@pytest.mark.parametrize(
    "question",
    [
        "how do I get the press watch built in?",
        "how can I turn the watch of the press on?",
        "which macro enables the watched press?",
    ],
)
def test_a_macro_is_told_with_its_code_and_where_it_waits(press: Project, question: str) -> None:
    found = rows(press, question)
    assert found[0] == "Built if PRESS_WATCHED:"
    assert "    3| `ifdef PRESS_WATCHED" in found
    assert "    4|   press_watch u_watch (.clk_i);" in found
    assert "    1| // `define PRESS_WATCHED" in found


def test_a_macro_that_takes_code_away_is_told_so(press: Project) -> None:
    found = rows(press, "how do I leave the glue pump out?")
    assert found[0] == "Built if !NO_GLUE:"
    note = "No Verilog file of the index defines NO_GLUE: tools take it as +define+NO_GLUE."
    assert note in found


def test_a_parameter_that_is_0_or_1_is_told(press: Project) -> None:
    found = rows(press, "how do I enable the heater of the press?")
    assert found[0] == "Parameters that may switch it:"
    assert found[1].startswith("- press.HeaterEn: ")
    assert found[1].endswith("[rtl/press.sv:2]")


def test_a_plusarg_is_told_where_it_is_read(press: Project) -> None:
    found = rows(press, "how do I turn off the stroke log of the bench?")
    assert found[0] == "The plusarg +disable_stroke_log:"
    assert not any(row == "The plusarg +stroke_file_name:" for row in found)


@pytest.mark.parametrize(
    "question",
    [
        "how do I enable the cooling tower?",
        "what does the press watch do?",
        "how does the press turn its depth into strokes?",
    ],
)
def test_nothing_is_told_of_what_has_no_switch(press: Project, question: str) -> None:
    text = press.ask(question).text
    assert not text.startswith(("Built if", "Parameter", "The plusarg"))
