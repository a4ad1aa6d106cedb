"""Questions for the value of a name, for what resets a register, and for a file by its name."""

from __future__ import annotations

from pathlib import Path

import pytest
from _texts import indexed, rows

from hdlgraph.project import Project

PACKAGE = """// Numbers of the bus.
package bus_pkg;
  typedef enum logic [1:0] { OP_GET, OP_PUT, OP_NONE } op_e;
  typedef enum logic [11:0] {
    CSR_FIRST  = 12'h300,
    CSR_SECOND
  } csr_e;
  localparam int RING_SLOTS = 8;
  function automatic int slots(int a); return a; endfunction
  typedef struct packed { logic hold_all; logic write; } ctrl_t;
endpackage
"""
DEFINES = """`define BUS_CODE 4'h9
`define BUS_CLEAR 1
`define BUS_CHECK(a, b) \\
  always @* \\
    assert (a != b)
"""
UNIT = """module holder(input logic clk_i, input logic rst_ni, input logic en, output logic q);
  logic level_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) level_q <= 1'b1; else if (en) level_q <= 1'b0;
  assign q = level_q;
endmodule
module pair #(parameter SIZE = 3) (input logic a, output logic b);
  assign b = a;
endmodule
module boss(input logic go, output bus_pkg::ctrl_t ctrl_o);
  always_comb begin
    ctrl_o.hold_all = 1'b0;
    if (go) ctrl_o.hold_all = 1'b1;
  end
endmodule
module helper(input logic SIZE, input bus_pkg::ctrl_t ctrl_i, output logic y);
  assign y = ctrl_i.hold_all;
endmodule
`ifdef BUS_CLEAR
module cleared(input logic a); endmodule
`endif
module siren(input logic alert_rx_i, output logic alert_tx_o, input logic go);
  assign alert_tx_o = alert_rx_i & go;
endmodule
"""


@pytest.fixture(scope="module")
def bus(tmp_path_factory: pytest.TempPathFactory) -> Project:
    files = {"bus_pkg.sv": PACKAGE, "bus_defines.vh": DEFINES, "holder.sv": UNIT}
    return indexed(tmp_path_factory.mktemp("values"), files)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("what is the encoding of CSR_FIRST?", "    5|   CSR_FIRST  = 12'h300,"),
        ("which address has CSR_FIRST?", "    5|   CSR_FIRST  = 12'h300,"),
        ("what is the code of BUS_CODE?", "    1| `define BUS_CODE 4'h9"),
        ("value of RING_SLOTS", "RING_SLOTS"),
        ("how is OP_NONE encoded?", "OP_NONE"),
    ],
)
def test_the_value_of_a_constant_is_told_by_its_line(
    bus: Project, question: str, line: str
) -> None:
    found = rows(bus, question)
    assert any(line in row for row in found[:2])
    assert not any(row.startswith("Most likely") for row in found)


def test_the_default_of_a_parameter_of_a_named_unit_is_told(bus: Project) -> None:
    found = rows(bus, "what is the default of SIZE in pair?")
    assert found == ["pair.SIZE: parameter = 3 [holder.sv:7]"]


def test_a_member_is_not_what_a_word_of_the_question_means(bus: Project) -> None:
    found = rows(bus, "how many write ports does the holder have?")
    assert not any("a member of" in row for row in found)


@pytest.mark.parametrize(
    "question", ["when is hold_all asserted?", "what makes hold_all go high in boss?"]
)
def test_a_member_of_a_struct_is_told_as_what_the_unit_sets(bus: Project, question: str) -> None:
    found = rows(bus, question)
    assert found[0] == "boss.ctrl_o.hold_all is driven in 2 places:"
    assert "- always_comb sets it, if go:" in found


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what does BUS_CHECK expand to?", "`define BUS_CHECK(a, b) \\"),
        ("what is the type of ctrl_i?", "input bus_pkg::ctrl_t ctrl_i"),
        ("what is the default value of the RING_SLOTS parameter?", "bus_pkg.RING_SLOTS"),
        ("which functions are in bus_pkg?", "bus_pkg has 1 function: [bus_pkg.sv:2]"),
        ("types of bus_pkg", "bus_pkg has 3 types: [bus_pkg.sv:2]"),
        ("what are the alerts of siren?", "siren has 2 alert ports: [holder.sv:"),
    ],
)
def test_short_questions_are_answered_by_the_declaration_alone(
    bus: Project, question: str, said: str
) -> None:
    found = rows(bus, question)
    assert any(said in row for row in found[:2])
    assert not any(row.startswith("Most likely") for row in found)


def test_a_macro_is_shown_with_all_of_its_text(bus: Project) -> None:
    assert any("assert (a != b)" in row for row in rows(bus, "what does BUS_CHECK do?"))


def test_what_a_signal_is_for_is_told_by_what_reads_it(bus: Project) -> None:
    found = rows(bus, "what does alert_rx_i do?")
    assert found[0] == "- port alert_rx_i of siren:"
    at = found.index("siren.alert_rx_i is read in 1 place:")
    assert found[at + 1].endswith("assign alert_tx_o = alert_rx_i & go;")
    assert not any(" is read in " in row for row in rows(bus, "where is alert_rx_i declared?"))


def test_what_a_macro_does_is_told_by_the_code_under_it(bus: Project) -> None:
    found = rows(bus, "what does BUS_CLEAR do?")
    assert "Code stands under BUS_CLEAR in 1 place:" in found
    assert any("`ifdef BUS_CLEAR" in row for row in found)


def test_a_described_port_is_not_one_that_is_called_so(bus: Project) -> None:
    assert not rows(bus, "which modules have an en input?")[0].startswith("- port en")
    assert rows(bus, "which modules have a port called en?")[0].startswith("- port en")


def test_a_value_that_no_line_writes_is_counted(bus: Project) -> None:
    found = rows(bus, "what is the value of OP_NONE?")
    assert found[0] == "OP_NONE is a value of bus_pkg.op_e, its value 2 as counted:"
    found = rows(bus, "what is the address of CSR_SECOND?")
    assert found[0] == "CSR_SECOND is a value of bus_pkg.csr_e, its value 769 as counted:"


@pytest.mark.parametrize(
    "question",
    ["second csr address", "what is the address of second in bus?", "csr number of SECOND"],
)
def test_a_value_is_found_by_the_end_of_its_name(bus: Project, question: str) -> None:
    found = rows(bus, question)
    assert found[0] == "CSR_SECOND is a value of bus_pkg.csr_e, its value 769 as counted:"


def test_a_part_of_an_identifier_is_not_called_absent(bus: Project) -> None:
    found = rows(bus, "why would somebody look at alert_rx twice, and at alert_ry?")
    assert found[0].startswith("Named nowhere in the code of this index: alert_ry.")
    assert found[2] == "alert_rx is part of alert_rx_i."


def test_every_value_of_a_long_enumeration_is_found(tmp_path: Path) -> None:
    names = ",\n".join(f"  REGISTER_{n:03} = 12'h{n:03x}" for n in range(400))
    (tmp_path / "map_pkg.sv").write_text(
        f"package map_pkg;\ntypedef enum logic [11:0] {{\n{names}\n}} map_e;\nendpackage\n"
    )
    project = Project(tmp_path)
    project.index(embeddings=False)
    (last,) = project.show("REGISTER_399")["definitions"]
    assert last["member"]["line"] == 402
    found = rows(project, "what is the value of REGISTER_399?")
    assert found[:2] == [
        "REGISTER_399 is a value of map_pkg.map_e:",
        "  402|   REGISTER_399 = 12'h18f",
    ]


@pytest.mark.parametrize("question", ["what resets level_q?", "which signal resets level_q"])
def test_what_resets_a_register_is_told_with_the_value(bus: Project, question: str) -> None:
    found = rows(bus, question)
    edges = "@(posedge clk_i or negedge rst_ni)"
    assert found[0] == f"holder.level_q resets to 1'b1 if !rst_ni, {edges}:"
    assert not any(row.startswith("Most likely") for row in found)


@pytest.mark.parametrize("question", ["what is in bus_pkg.sv?", "bus_pkg.sv", "explain bus_pkg.sv"])
def test_a_file_of_one_unit_is_told_as_that_unit(bus: Project, question: str) -> None:
    found = rows(bus, question)
    assert found[0] == "package bus_pkg [bus_pkg.sv:2]"
    assert "Types (3): op_e, csr_e, ctrl_t" in found


def test_a_file_of_several_units_is_told_by_their_names(bus: Project) -> None:
    found = rows(bus, "what does holder.sv contain?")
    assert found[0] == "holder.sv has 24 lines."
    assert "- holder [holder.sv:1]" in found
    assert "- pair [holder.sv:7]" in found
    found = rows(bus, "what is in bus_defines.vh?")
    assert "- BUS_CODE [bus_defines.vh:1]" in found


def test_a_file_that_is_not_there_is_said_to_be_none(bus: Project) -> None:
    found = rows(bus, "what is in bus_pkgs.sv?")
    assert found[0] == "No file of this index is called bus_pkgs.sv. Nearly so are called:"
    assert found[1] == "- [bus_pkg.sv:1]"
