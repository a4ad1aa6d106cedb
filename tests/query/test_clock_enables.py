"""What lets a gated clock through is named outside of the wrapper around the gate."""

from __future__ import annotations

from pathlib import Path

import pytest
from _texts import indexed

from hdlgraph.project import Project

FILES = {
    "clk_gate_cell.sv": """\
module clk_gate_cell (input logic clk_i, input logic en_i, input logic test_en_i,
                      output logic clk_o);
  logic en_latch;
  always_latch if (!clk_i) en_latch = en_i | test_en_i;
  assign clk_o = en_latch & clk_i;
endmodule
""",
    "clk_gate.sv": """\
module clk_gate (input logic clk_i, input logic en_i, input logic test_en_i, output logic clk_o);
  clk_gate_cell u_cell (.clk_i, .en_i(en_i), .test_en_i(test_en_i), .clk_o);
endmodule
""",
    "loom.sv": """\
module loom (input logic clk_i, input logic rst_ni, input logic thread_i, input logic tug_i,
             input logic test_en_i, output logic woven_o);
  logic run, clk_weaver;
  assign run = thread_i | tug_i;
  clk_gate weaver_clock_gate_i (
    .clk_i    (clk_i),
    .en_i     (run),
    .test_en_i(test_en_i),
    .clk_o    (clk_weaver)
  );
  always_ff @(posedge clk_weaver or negedge rst_ni)
    if (!rst_ni) woven_o <= 1'b0;
    else woven_o <= thread_i;
endmodule
""",
}


@pytest.fixture(scope="module")
def loom(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root: Path = tmp_path_factory.mktemp("loom")
    return indexed(root, FILES)


@pytest.mark.parametrize(
    "question",
    [
        "why is the weaver clock gated?",
        "why is the clock of the weaver gated?",
        "what gates the weaver clock?",
        "which register gates the weaver clock?",
        "when does the weaver clock stop?",
        "what enables the weaver clock gate?",
    ],
)
def test_the_enable_is_told_by_the_lines_that_drive_it(loom: Project, question: str) -> None:
    rows = loom.ask(question).text.splitlines()
    assert rows[0] == "weaver_clock_gate_i of loom (clk_gate) is a gate:"
    assert any(one.endswith(".en_i     (run),") for one in rows)
    at = rows.index("loom.run is driven in 1 place:")
    assert rows[at + 2].endswith("assign run = thread_i | tug_i;")


def test_a_clock_of_no_gate_is_searched(loom: Project) -> None:
    assert "is a gate:" not in loom.ask("why is the spindle clock gated?").text


def test_clocks_name_the_net_outside_of_the_wrapper(loom: Project) -> None:
    (clock,) = loom.clock_tree("loom")["clocks"]
    (step,) = clock["steps"]
    assert step["enable"] == ["en_i(run)", "test_en_i(test_en_i)"]
    assert step["placed"] == "loom.sv:5"
