"""Questions for what sets or reads a field of a register as software names it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hdlgraph.project import Project

DESIGNS = Path(__file__).parent.parent / "designs"


@pytest.fixture(scope="module")
def pulse(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("registers") / "pulse"
    project = Project(Path(shutil.copytree(DESIGNS / "registers" / "pulse", root)))
    project.index(graphrag="never", embeddings=False, jobs=1)
    return project


@pytest.mark.parametrize(
    "question",
    ["who sets the CSR bit pulse STATUS.LEVEL", "what sets pulse.STATUS.LEVEL?"],
)
def test_the_line_that_sets_a_field_comes_first(pulse: Project, question: str) -> None:
    rows = pulse.ask(question).text.splitlines()
    assert rows[0].startswith("pulse.STATUS.LEVEL (data/pulse.hjson:")
    assert rows[0].endswith("is bit 7:0 of its register, ro to software")
    assert rows[1] == "- hardware sets it in pulse:"
    assert rows[2] == "   14|   assign hw2reg.status.level.d = count;"
    assert rows[3] == "[rtl/pulse.sv:14]"


def test_a_field_that_software_alone_sets_is_told_so(pulse: Project) -> None:
    rows = pulse.ask("what sets pulse.CTRL.EN?").text.splitlines()
    assert rows[1] == "No line of the hardware sets it beside the register itself."
    assert any(one.startswith("- it is held in pulse_reg_top") for one in rows)


def test_all_fields_of_a_register_are_told(pulse: Project) -> None:
    text = pulse.ask("who writes the STATUS register of pulse?").text
    assert "hardware reads it in " in pulse.ask("what happens when CTRL of pulse is written?").text
    assert text.startswith("pulse.STATUS.LEVEL (data/pulse.hjson:")
    assert "assign hw2reg.status.level.d = count;" in text


def test_a_name_of_no_register_is_searched(pulse: Project) -> None:
    assert "to software" not in pulse.ask("what sets the bit pulse FLAGS.LEVEL?").text


@pytest.mark.parametrize(
    "question", ["what are the registers of pulse?", "register map of pulse", "pulse registers"]
)
def test_registers_of_a_block_are_listed(pulse: Project, question: str) -> None:
    rows = pulse.ask(question).text.splitlines()
    assert rows[0] == "pulse has 8 registers: [data/pulse.hjson:2]"
    assert "- 0xc CTRL, rw: Control. [data/pulse.hjson:10]" in rows
    assert any(" LIMIT x 3, rw" in row for row in rows)


@pytest.mark.parametrize(
    "question", ["fields of the CTRL register of pulse", "what is the register pulse.CTRL?"]
)
def test_fields_of_a_register_are_listed(pulse: Project, question: str) -> None:
    rows = pulse.ask(question).text.splitlines()
    assert rows[0] == "pulse.CTRL at 0xc: Control; 2 fields: [data/pulse.hjson:10]"
    assert rows[1] == "- [0] EN rw reset 0: Counts. [data/pulse.hjson:13]"
    assert rows[2] == "- [15:8] STEP rw reset 0x4 [data/pulse.hjson:14]"


def test_a_unit_without_a_register_file_is_searched(pulse: Project) -> None:
    assert " has " not in pulse.ask("what are the registers of pulse_irq?").text.split("\n")[0]


STAGE = """\
module stage (input logic clk_i, input logic rst_ni, input logic we_i, input logic trap_i,
              input logic ret_i, input logic val_i, output logic lit_o);
  typedef struct packed { logic lit; logic was; } lamp_t;
  lamp_t lamp_q, lamp_d;
  always_comb begin
    lamp_d = lamp_q;
    if (we_i) lamp_d = '{lit: val_i, was: 1'b0};
    unique case (1'b1)
      trap_i: lamp_d.lit = 1'b0;
      ret_i: lamp_d.lit = lamp_q.was;
      default: ;
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) lamp_q <= '0;
    else lamp_q <= lamp_d;
  assign lit_o = lamp_q.lit;
endmodule
"""


def test_all_lines_that_set_a_field_of_a_structure_are_told(tmp_path: Path) -> None:
    (tmp_path / "stage.sv").write_text(STAGE)
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False, jobs=1)
    rows = project.ask("who sets the CSR bit lamp.lit?").text.splitlines()
    assert rows[0] == "stage.lamp_d.lit is driven in 4 places:"
    code = " ".join(rows)
    for said in ("lamp_d.lit = 1'b0;", "lamp_d.lit = lamp_q.was;", "'{lit: val_i", "lamp_q <= '0"):
        assert said in code
    assert "lamp_d.dim" not in project.ask("who sets the bit lamp.dim?").text


@pytest.mark.parametrize(
    "question",
    [
        "CTRL in pulse: what does it hold after reset, and which bits give the pace?",
        "pulse: in CTRL, where is the pace, and with what does it begin?",
    ],
)
def test_a_register_that_is_named_among_other_things_is_told_first(
    pulse: Project, question: str
) -> None:
    rows = pulse.ask(question).text.splitlines()
    assert rows[0] == "pulse.CTRL at 0xc: Control; 2 fields: [data/pulse.hjson:10]"
    assert rows[2] == "- [15:8] STEP rw reset 0x4 [data/pulse.hjson:14]"
    assert len(rows) > 6  # lines follow


@pytest.mark.parametrize("question", ["why is CTRL of the lamp late?", "what is a CTR mode?"])
def test_no_register_is_told_of_a_block_that_is_not_named(pulse: Project, question: str) -> None:
    assert "pulse.CTRL at" not in pulse.ask(question).text


def test_a_register_in_capitals_is_not_said_to_be_nowhere(pulse: Project) -> None:
    assert "Named nowhere" not in pulse.ask("why would STATUS_LEVEL stay at zero?").text
