"""What drives a net that many units pass on: the statements in which it begins, and no others."""

from __future__ import annotations

import pytest
from _texts import indexed, rows

from hdlgraph.project import Project

FILES = {
    "rtl/flop.sv": """module flop #(parameter int W = 1) (
  input logic clk, input logic reset, input logic [W-1:0] d, output logic [W-1:0] q);
  always_ff @(posedge clk)
    if (reset) q <= '0;
    else q <= d;
endmodule
""",
    "rtl/mode.sv": """module mode (input logic clk, input logic reset, input logic TrapM,
  output logic [1:0] ModeW);
  logic [1:0] NextModeM;
  assign NextModeM = TrapM ? 2'd3 : ModeW;
  flop #(2) modereg (clk, reset, NextModeM, ModeW);
endmodule
""",
    "rtl/priv.sv": """module priv (input logic clk, input logic reset, input logic TrapM,
  output logic [1:0] ModeW, output logic StallW);
  mode mode (.clk, .reset, .TrapM, .ModeW);
  hazard hzu (.ModeW, .StallW);
endmodule
module hazard (input logic [1:0] ModeW, output logic StallW);
  assign StallW = ModeW[0];
endmodule
""",
    "rtl/core.sv": """module core (input logic clk, reset, TrapM, output logic o);
  logic [1:0] ModeW;
  logic StallW;
  priv priv (.clk, .reset, .TrapM, .ModeW, .StallW);
  user u_user (.clk, .reset, .ModeW, .StallW, .o);
  other u_other (.clk, .reset, .level(StallW));
endmodule
module user (input logic clk, input logic reset, input logic [1:0] ModeW, input logic StallW,
  output logic o);
  flop f (clk, reset, StallW & ModeW[1], o);
endmodule
module other (input logic clk, input logic reset, input logic level);
  logic level_q;
  flop f (clk, reset, level, level_q);
endmodule
""",
}


FILES["rtl/bus.sv"] = """interface wire_if;
  logic go_now;
endinterface
module sender (wire_if bus, input logic d);
  assign bus.go_now = d;
endmodule
"""
FILES |= {
    f"rtl/lane{n}.sv": f"module lane{n} (input logic clk, input logic d, output logic o_{n});\n"
    "  logic hold_q;\n  always_ff @(posedge clk) hold_q <= d;\n"
    f"  assign o_{n} = hold_q;\nendmodule\n"
    for n in range(5)
}


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return indexed(tmp_path_factory.mktemp("sources"), FILES)


@pytest.mark.parametrize(
    "question",
    [
        "What drives StallW?",
        "where is StallW assigned",
        "who sets StallW",
        "Where does StallW come from?",
        "what is the driver of StallW?",
        "what drives StallW in user?",
        "where is StallW assigned in hazard?",
    ],
)
def test_the_statement_behind_all_ports_is_told_alone(design: Project, question: str) -> None:
    found = rows(design, question)
    assert found[:4] == [
        "hazard.StallW is driven in 1 place:",
        "- assign sets it:",
        "    7|   assign StallW = ModeW[0];",
        "[rtl/priv.sv:7]",
    ]
    assert not any(row.startswith(("Most likely", "Also ")) for row in found)


def test_a_register_cell_is_told_with_what_it_holds(design: Project) -> None:
    found = rows(design, "what drives ModeW")
    assert found[0] == "mode.ModeW is driven in 1 place:"
    assert found[1].startswith("- the instance modereg of flop drives it at its port q, a register")
    assert "    5|   flop #(2) modereg (clk, reset, NextModeM, ModeW);" in found
    at = found.index("mode.NextModeM is what modereg holds:")
    assert "    4|   assign NextModeM = TrapM ? 2'd3 : ModeW;" in found[at:]


def test_a_port_of_another_name_is_followed_up(design: Project) -> None:
    found = rows(design, "what drives level in other?")
    assert "    7|   assign StallW = ModeW[0];" in found


def test_a_word_that_is_no_signal_is_searched(design: Project) -> None:
    assert not any("is driven in" in row for row in rows(design, "what drives the level"))


def test_nets_of_one_name_in_many_units_are_counted(design: Project) -> None:
    found = rows(design, "what drives hold_q")
    assert found[0] == "Nets called hold_q begin in 5 units; ask for one as `hold_q of UNIT`."
    assert sum("is driven in 1 place" in row for row in found) == 3
    assert sum("hold_q is driven too [rtl/lane" in row for row in found) == 2


def test_a_signal_of_an_interface_is_driven_through_its_handles(design: Project) -> None:
    found = rows(design, "what drives go_now?")
    assert found[0] == "wire_if.go_now is assigned through its interface on 1 line:"
    assert "    5|   assign bus.go_now = d;" in found


def test_an_expression_at_a_register_cell_is_told_by_its_nets(design: Project) -> None:
    found = rows(design, "what drives o of user?")
    assert found[1].startswith("- the instance f of flop drives it at its port q, a register")
    assert "user.StallW goes into what f holds: an input of user." in found
    assert "user.ModeW goes into what f holds: an input of user." in found
