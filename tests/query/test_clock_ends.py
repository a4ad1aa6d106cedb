"""Where clocks and resets end, what crosses between clocks by a memory, and gates."""

from __future__ import annotations

from pathlib import Path

from hdlgraph.project import Project


def opened(folder: Path, **texts: str) -> Project:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.sv").write_text(text)
    project = Project(folder)
    project.index(graphrag="never", embeddings=False, jobs=1)
    return project


LEAF = """module leaf(input logic clk_i, input logic d_i, output logic q_o);
always_ff @(posedge clk_i) q_o <= d_i;
endmodule
"""
BOARD = """module board(input logic osc_p, input logic d, output logic q, output logic z);
logic clk, m, n, slow;
xpll i_pll (.clk_out1(clk), .clk_in1(osc_p), .locked());
leaf i_a (.clk_i(clk), .d_i(d), .q_o(m));
leaf i_b (.clk_i(clk), .d_i(m), .q_o(n));
leaf i_c (.clk_i(slow), .d_i(n), .q_o(q));
leaf i_d (.clk_i(slow), .d_i(q), .q_o(z));
endmodule
"""


def test_a_clock_begins_at_the_last_net_that_is_reached(tmp_path: Path) -> None:
    project = opened(tmp_path / "board", leaf=LEAF, board=BOARD)
    found = project.clock_tree("board")
    told = {one["name"]: (one["kind"], one["registers"]) for one in found["clocks"]}
    assert told == {"board.clk": ("unknown", 2), "board.slow": ("open", 2)}
    crossings = project.crossings("board")
    assert (crossings["registers"], crossings["unclocked"]) == (4, 2)
    (note,) = crossings["notes"]
    assert note.startswith("2 of 4 registers have no known clock")
