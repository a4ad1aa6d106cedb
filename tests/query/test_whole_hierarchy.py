"""A question about the whole is answered from the hierarchy: tops, parts, what joins them."""

from __future__ import annotations

from pathlib import Path

import pytest
from _texts import indexed

from hdlgraph.project import Project

CHIP = """module chip (input clk_i, input rst_ni, input [7:0] data_i, output [7:0] data_o);
  wire [7:0] word, sum;
  wire full;
  wrap u_wrap (.clk_i(clk_i), .rst_ni(rst_ni), .data_i(data_i), .word(word), .full(full));
  adder u_adder (.clk_i(clk_i), .word(word), .full(full), .sum(sum));
  sender u_sender (.clk_i(clk_i), .rst_ni(rst_ni), .sum(sum), .data_o(data_o));
endmodule
"""
WRAP = """// Keeps words until they are wanted.
module wrap (input clk_i, input rst_ni, input [7:0] data_i, output [7:0] word, output full);
  cell_a u_a (.clk_i(clk_i), .d(data_i), .q(word));
  cell_b u_b (.clk_i(clk_i), .q(full));
endmodule
"""
LEAVES = {
    "adder": "(input clk_i, input [7:0] word, input full, output [7:0] sum)",
    "sender": "(input clk_i, input rst_ni, input [7:0] sum, output [7:0] data_o)",
    "cell_a": "(input clk_i, input [7:0] d, output [7:0] q)",
    "cell_b": "(input clk_i, output q)",
    "spare": "(input clk_i)",
}
BENCH = "module chip_tb;\n  reg clk;\n  chip dut (.clk_i(clk));\nendmodule\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    files = {
        f"rtl/{name}.sv": f"module {name} {ports};\nendmodule\n" for name, ports in LEAVES.items()
    }
    files |= {"rtl/chip.sv": CHIP, "rtl/wrap.sv": WRAP, "tb/chip_tb.sv": BENCH}
    return indexed(tmp_path_factory.mktemp("chip"), files)


def test_tops_parts_connections_and_clocks_are_told_with_their_lines(project: Project) -> None:
    answer = project.ask("how does the design hang together?")
    assert answer.text.splitlines() == [
        "The top is module chip, 5 instances below [rtl/chip.sv:1]",
        "Parts of chip:",
        "- wrap as u_wrap, 2 instances below: Keeps words until they are wanted [rtl/chip.sv:4]",
        "    made of cell_a, cell_b",
        "- adder as u_adder [rtl/chip.sv:5]",
        "- sender as u_sender [rtl/chip.sv:6]",
        "Main connections in chip:",
        "- u_wrap drives 2 nets of u_adder, such as word, full [rtl/chip.sv:4]",
        "- u_adder drives sum of u_sender [rtl/chip.sv:5]",
        "Clocks and resets in chip:",
        "- clk_i goes into 3 of 3 instances of these parts [rtl/chip.sv:1]",
        "- rst_ni goes into 2 of 3 instances of these parts [rtl/chip.sv:1]",
    ]
    assert {one.place for one in answer.citations} == {
        *("rtl/chip.sv:1", "rtl/chip.sv:4", "rtl/chip.sv:5", "rtl/chip.sv:6")
    }


def test_no_tables_are_built_for_it(project: Project) -> None:
    project.ask("give me an overview")
    assert project.manifest().graphrag["state"] == "absent"


def test_a_top_that_wraps_another_is_told_with_what_it_wraps(tmp_path: Path) -> None:
    files = {f"{name}.sv": f"module {name} {ports};\nendmodule\n" for name, ports in LEAVES.items()}
    files |= {"chip.sv": CHIP, "wrap.sv": WRAP}
    files["board.sv"] = "module board (input clk);\n  chip u_chip (.clk_i(clk));\nendmodule\n"
    files["other.sv"] = "module other (input clk);\n  chip u_one (.clk_i(clk));\nendmodule\n"
    rows = indexed(tmp_path, files).ask("what is the top and what is below it?").text.splitlines()
    assert rows[:3] == [
        "The top is module board, 6 instances below [board.sv:1]",
        "It wraps chip as u_chip [board.sv:2]",
        "Parts of chip:",
    ]
    at = rows.index("Another top is module other, 6 instances below [other.sv:1]")
    assert rows[at + 1 : at + 3] == [
        "It wraps chip as u_one [other.sv:2]",
        "Its parts are those of chip above.",
    ]


def test_an_answer_stays_short_however_many_parts_there_are(tmp_path: Path) -> None:
    parts = "\n".join(f"  part{n} u{n} (.a(w{n}), .y(w{n + 1}));" for n in range(200))
    files = {"whole.sv": f"module whole (input w0, output w200);\n{parts}\nendmodule\n"}
    files |= {
        f"part{n}.sv": f"module part{n} (input a, output y);\nendmodule\n" for n in range(200)
    }
    rows = indexed(tmp_path, files).ask("describe the architecture").text.splitlines()
    assert len(rows) < 40
    assert "- and 186 more: `hdlgraph tree whole --depth 1` lists all" in rows
