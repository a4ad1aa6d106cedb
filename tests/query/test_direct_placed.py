"""Questions about one instance that its statement answers: what is connected to a port of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from _texts import indexed, rows

from hdlgraph.project import Project

DESIGN = """module cell_gate #(parameter DEPTH = 4) (
  input clk_i, input en_i, input test_i, output clk_o);
  assign clk_o = clk_i & (en_i | test_i);
endmodule
module leaf(input clk, input d, output reg q);
  always @(posedge clk) q <= d;
endmodule
module leaf_fifo #(parameter DEPTH = 4, parameter W = 8) (input clk, input [W-1:0] d);
  reg [W-1:0] mem [DEPTH-1:0];
endmodule
module chip #(parameter N = 2) (input clk_i, input busy, input wake, output a, output b);
  wire core_clk;
  wire clock_on = busy | wake;
  cell_gate #(.DEPTH(2)) u_gate (
    .clk_i,
    .en_i(clock_on),
    .test_i(),
    .clk_o(core_clk)
  );
  leaf u_leaf (.clk(core_clk), .d(busy), .q(a));
  leaf u_by_place (core_clk, busy, b);
  leaf_fifo #(.DEPTH(2)) u_short (.clk(clk_i), .d({busy, wake, 6'd0}));
  leaf_fifo #(.DEPTH(N), .W(4)) u_long (.clk(clk_i), .d(4'd0));
  leaf_fifo u_plain (.clk(clk_i), .d(8'd0));
endmodule
module slow_queue #(parameter REQS = 3) (input clk);
  localparam DEPTH = REQS + 1;
  reg [7:0] mem [DEPTH-1:0];
endmodule
module board(input clk, output x, output y);
  chip u_chip (.clk_i(clk), .busy(1'b1), .wake(1'b0), .a(x), .b(y));
  leaf u_leaf (.clk(clk), .d(x));
endmodule
"""


@pytest.fixture(scope="module")
def chip(tmp_path_factory: pytest.TempPathFactory) -> Project:
    files = {"chip.sv": DESIGN}
    return indexed(tmp_path_factory.mktemp("placed"), files)


@pytest.mark.parametrize(
    "question",
    [
        "what is connected to en_i of u_gate?",
        "what is connected to port en_i of the instance u_gate in chip?",
        "which signal is wired to the en_i port of u_gate",
        "what is en_i of u_gate tied to?",
        "what drives en_i on u_gate?",
        "where does u_gate.en_i come from?",
        "to what is the en_i of cell_gate in chip connected?",
    ],
)
def test_the_net_at_a_port_of_an_instance_is_told_first(chip: Project, question: str) -> None:
    found = rows(chip, question)
    assert found[0] == "en_i of u_gate (cell_gate) in chip is connected to clock_on:"
    assert found[1].endswith(".en_i(clock_on),")
    assert "chip.clock_on is driven in 1 place:" in found
    assert not any(row.startswith(("Most likely", "Also")) for row in found)


def test_a_port_written_without_its_net_is_connected_to_its_name(chip: Project) -> None:
    found = rows(chip, "what is connected to clk_i of u_gate?")
    assert found[0] == "clk_i of u_gate (cell_gate) in chip is connected to clk_i, a port of chip:"
    assert found[1].endswith(" .clk_i,")


def test_a_port_left_open_is_told_so(chip: Project) -> None:
    found = rows(chip, "what is connected to test_i of u_gate?")
    assert found[0] == "test_i of u_gate (cell_gate) in chip is left open:"
    found = rows(chip, "what is connected to q of u_leaf in board?")
    assert found[0].startswith("q of u_leaf (leaf) in board is not connected")


def test_each_instance_of_the_name_is_told(chip: Project) -> None:
    found = rows(chip, "what is connected to d of u_leaf?")
    assert "d of u_leaf (leaf) in chip is connected to busy, a port of chip:" in found
    assert "d of u_leaf (leaf) in board is connected to x, a port of board:" in found


def test_where_an_output_goes_is_told_by_its_net_alone(chip: Project) -> None:
    found = rows(chip, "what is connected to clk_o of u_gate?")
    assert found[0] == "clk_o of u_gate (cell_gate) in chip is connected to core_clk:"
    assert not any("is driven in" in row for row in found)


def test_a_clock_input_is_found_by_its_kind(chip: Project) -> None:
    found = rows(chip, "what is the clock input of u_leaf in chip connected to?")
    assert found[0] == "clk of u_leaf (leaf) in chip is connected to core_clk:"


def test_what_drives_an_output_of_an_instance_is_told_inside(chip: Project) -> None:
    found = rows(chip, "what drives clk_o of u_gate?")
    assert found[0] == "clk_o of u_gate (cell_gate) in chip is connected to core_clk:"
    assert "cell_gate.clk_o is driven in 1 place:" in found


@pytest.mark.parametrize(
    "question",
    [
        "what is connected to d of u_by_place?",  # by place: its statement does not name the port
        "what is connected to nothing of u_gate?",
        "output wrong: en_i of u_gate is tied to the wrong net, never toggles",
        "which testbench has en_i of u_gate tied to clock_on?",
        "when is u_gate connected and how does en_i reach the leaf?",
    ],
)
def test_what_no_statement_says_is_not_told(chip: Project, question: str) -> None:
    assert not any(" is connected to " in row.split(":")[0] for row in rows(chip, question)[:1])


@pytest.mark.parametrize(
    "question",
    [
        "which instances have DEPTH 2?",
        "which instances set DEPTH to 2?",
        "list all instances with DEPTH = 2",
        "who overrides DEPTH with 2?",
        "which modules use a DEPTH of 2",
    ],
)
def test_instances_with_a_value_of_a_parameter_are_told_alone(chip: Project, question: str) -> None:
    found = rows(chip, question)
    assert found[0] == "2 instances give DEPTH the value 2:"
    assert found[1].startswith("- chip sets DEPTH of u_gate to 2 [chip.sv:14-19] (cell_gate)")
    assert found[2].startswith("- chip sets DEPTH of u_short to 2 [chip.sv:22] (leaf_fifo)")
    assert len(found) == 3


def test_instances_that_leave_the_value_at_its_default_are_told_too(chip: Project) -> None:
    found = rows(chip, "which instances have DEPTH 4?")
    assert found[0] == "No instance gives DEPTH the value 4."
    assert found[1] == "1 instance leaves it at that default:"
    assert found[2].startswith("- chip instantiates leaf_fifo as u_plain [chip.sv:24]")


def test_all_values_of_a_parameter_are_told(chip: Project) -> None:
    found = rows(chip, "which instances of leaf_fifo override DEPTH?")
    assert found[0] == "2 instances of leaf_fifo give DEPTH a value:"
    assert any("sets DEPTH of u_long to N [chip.sv:23]" in row for row in found)
    assert not any("u_gate" in row for row in found)


@pytest.mark.parametrize(
    "question",
    [
        "what does DEPTH do?",
        "which instances use 2?",
    ],
)
def test_other_questions_for_parameters_are_not_taken(chip: Project, question: str) -> None:
    assert not any(" give DEPTH " in row for row in rows(chip, question)[:1])


@pytest.mark.parametrize(
    "question",
    [
        "which parameter values does leaf_fifo get?",
        "how is leaf_fifo parameterized?",
        "which parameters of leaf_fifo are overridden?",
    ],
)
def test_all_parameters_of_a_unit_are_told_by_instance(chip: Project, question: str) -> None:
    found = rows(chip, question)
    assert found[0] == "2 instances of leaf_fifo set parameters:"
    assert found[1] == "- chip sets DEPTH of u_long to N [chip.sv:23]"
    assert found[2] == "- chip sets W of u_long to 4 [chip.sv:23]"
    assert len(found) == 4


@pytest.mark.parametrize(
    "question",
    ["which modules use leaf_fifo and how deep?", "list all leaf_fifo instances with their depth"],
)
def test_the_instances_of_a_unit_come_with_their_size(chip: Project, question: str) -> None:
    found = rows(chip, question)
    assert found[0] == "3 instances of leaf_fifo, with their depth:"
    assert found[1].startswith("- chip sets DEPTH of u_short to 2 [chip.sv:22]")


@pytest.mark.parametrize(
    "question",
    [
        "list all fifos with depth",
        "list all FIFOs and their depths",
        "which fifos are there in chip and how deep are they?",
        "how deep are the fifos in chip?",
        "show me every fifo with its depth",
    ],
)
def test_instances_of_a_sort_come_with_their_size(chip: Project, question: str) -> None:
    found = rows(chip, question)
    assert found[0].startswith("3 instances of units called fifo")
    assert found[1].startswith("- chip sets DEPTH of u_short to 2 [chip.sv:22]")
    assert found[2].startswith(
        "- chip sets DEPTH of u_long to N [chip.sv:23] (leaf_fifo), 2 by default"
    )
    assert found[3].startswith("- chip instantiates leaf_fifo as u_plain [chip.sv:24]")
    assert not any("u_gate" in row for row in found[:4])


def test_one_instance_of_a_sort_is_told_by_its_words(chip: Project) -> None:
    found = rows(chip, "what is the depth of the short fifo?")
    assert found[0].startswith("chip sets DEPTH of u_short to 2 [chip.sv:22]")
    found = rows(chip, "how wide is the long fifo in chip?")
    assert found[0].startswith("chip sets W of u_long to 4 [chip.sv:23]")
    assert "DEPTH" not in rows(chip, "what is the depth of the wishbone fifo?")[0]


def test_an_instance_of_a_test_is_not_the_one_that_is_meant(tmp_path: Path) -> None:
    (tmp_path / "tb").mkdir()
    (tmp_path / "tb" / "bench.sv").write_text(
        "module b_fifo #(parameter DEPTH = 4) (input c); endmodule\n"
        "module bench; b_fifo #(.DEPTH(9)) u_tx (1'b0); endmodule\n"
    )
    (tmp_path / "top.sv").write_text("module top(input tx, output y); assign y = tx; endmodule\n")
    project = Project(tmp_path)
    project.index(embeddings=False)
    assert "sets DEPTH" not in rows(project, "how deep is the tx fifo?")[0]


def test_a_depth_given_further_up_is_told_as_well(tmp_path: Path) -> None:
    code = """module q_fifo #(parameter DEPTH = 4) (input clk); endmodule
    module mid #(parameter LOG = 4) (input clk); q_fifo #(.DEPTH(LOG)) u_q (clk); endmodule
    module top(input clk); mid #(.LOG(big_pkg::SIZE)) u_mid (clk); endmodule
    package big_pkg; localparam SIZE = 16; endpackage
    """
    (tmp_path / "top.sv").write_text(code)
    project = Project(tmp_path)
    project.index(embeddings=False)
    found = rows(project, "how deep are the fifos?")
    assert (
        found[1] == "- mid sets DEPTH of u_q to LOG [top.sv:2] (q_fifo)"
    )  # no instance leaves the 4
    assert found[2] == "  - top sets LOG of u_mid to big_pkg::SIZE [top.sv:3] (mid), that is 16"


def test_a_depth_that_its_unit_works_out_is_told_with_what_it_follows_from(chip: Project) -> None:
    found = rows(chip, "how deep is the slow queue?")
    assert found[0].startswith("- slow_queue.DEPTH: localparam = REQS + 1")
    assert found[1].startswith("- slow_queue.REQS: parameter = 3")


@pytest.mark.parametrize(
    "question",
    [
        "which ports of u_gate are left open?",
        "what ports does u_gate leave unconnected?",
        "unconnected ports of u_gate",
    ],
)
def test_the_ports_that_an_instance_leaves_open_are_told(chip: Project, question: str) -> None:
    found = rows(chip, question)
    assert found[0] == "chip leaves 1 port of u_gate (cell_gate) open:"
    assert found[1].endswith(".test_i(),")


def test_a_port_that_no_connection_names_is_told(chip: Project) -> None:
    found = rows(chip, "which ports of u_leaf in board are left open?")
    assert found[0] == "board leaves no ports of u_leaf (leaf) open:"
    assert found[-1] == "It does not name 1: q"


def test_the_ports_that_are_tied_to_constants_are_told(chip: Project) -> None:
    found = rows(chip, "which inputs of u_chip are tied off?")
    assert found[0] == "board ties 2 ports of u_chip (chip) to constants:"
    assert ".busy(1'b1), .wake(1'b0)" in found[1]
    assert rows(chip, "which ports of u_gate are tied?")[0] == (
        "chip ties no ports of u_gate (cell_gate) to constants:"
    )


def test_the_parameters_of_an_instance_are_told(chip: Project) -> None:
    found = rows(chip, "what is DEPTH of u_long?")
    assert found[0] == "DEPTH of u_long (leaf_fifo) in chip is N:"
    found = rows(chip, "how is u_long parameterized?")
    assert found[0] == "u_long (leaf_fifo) in chip is given 2 parameters:"
    assert "sets" not in rows(chip, "which parameters does u_plain get?")[0]


def test_of_many_instances_of_a_name_it_is_said_that_there_are_more(tmp_path: Path) -> None:
    users = "".join(
        f"module top{n}(input a);\n  cell_x u_x (.d(a));\nendmodule\n" for n in range(8)
    )
    (tmp_path / "top.sv").write_text("module cell_x(input d); endmodule\n" + users)
    project = Project(tmp_path)
    project.index(embeddings=False)
    found = rows(project, "what is connected to d of u_x?")
    assert sum(" is connected to " in row for row in found) == 6
    assert found[-1] == "and perhaps in 2 more of that name: name the unit around one"
