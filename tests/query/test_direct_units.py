"""Questions about one unit that the exact engines answer: its ports, its parameters, what it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from _texts import rows

from hdlgraph.project import Project

DESIGNS = Path(__file__).parent.parent / "designs"


@pytest.mark.parametrize(
    "question",
    [
        "what are the ports of uart_rx?",
        "list all ports of the module uart_rx",
        "which ports does uart_rx have?",
        "uart_rx's ports",
        "what are the ports of the uart rx module?",
        "how many pins does uart_rx have?",
    ],
)
def test_ports_are_listed_alone_with_their_number(soc_project: Project, question: str) -> None:
    found = rows(soc_project, question)
    assert found[0] == "uart_rx has 6 ports (3 input, 3 output): [rtl/uart_rx.sv:2]"
    assert found[1] == "    5|   input  logic       clk_i,"
    assert found[6] == "   10|   output logic       frame_err_o  // stop bit was low"
    assert not any(row.startswith("Most likely") for row in found)


def test_a_direction_narrows_the_ports(soc_project: Project) -> None:
    found = rows(soc_project, "how many outputs does uart_rx have?")
    assert found[0] == "uart_rx has 3 outputs: [rtl/uart_rx.sv:2]"
    assert not any("clk_i" in row for row in found)


def test_parameters_are_listed_without_local_ones(soc_project: Project) -> None:
    found = rows(soc_project, "what parameters does sync_fifo take?")
    assert found[0] == "sync_fifo has 2 parameters: [rtl/sync_fifo.sv:2]"
    assert not any("PtrWidth" in row for row in found)
    assert rows(soc_project, "localparams of sync_fifo")[0].startswith(
        "sync_fifo has 1 localparam:"
    )


def test_parameters_of_a_package_are_all_its_constants(soc_project: Project) -> None:
    found = rows(soc_project, "list the parameters of soc_pkg")
    assert any("UartBase = 16'h4000" in row for row in found)


def test_a_unit_without_parameters_is_told_so(soc_project: Project) -> None:
    found = rows(soc_project, "what are the parameters of timer?")
    assert found[0] == "timer has no parameters. [rtl/timer.v:2]"


def test_ports_of_plain_verilog_come_from_its_body(soc_project: Project) -> None:
    found = rows(soc_project, "inputs and outputs of timer")
    assert found[0] == "timer has 5 ports (4 input, 1 output): [rtl/timer.v:2]"
    assert any("input load;" in row for row in found)


def test_what_comes_out_of_a_unit_is_followed_by_its_connections(soc_project: Project) -> None:
    found = rows(soc_project, "what comes out of uart_rx?")
    assert found[0] == "uart_rx has 3 outputs: [rtl/uart_rx.sv:2]"
    assert "Connected in the instance uart.gen_receiver.u_rx:" in found
    assert any(".frame_err_o(frame_err)" in row for row in found)
    assert not any("rx_i" in row for row in found)


@pytest.mark.parametrize(
    "question",
    [
        "what are the ports of uart_rx and uart_tx?",
        "which ports of uart_rx are registered?",
        "what drives the ports of uart_rx?",
        "which parameters of sync_fifo are overridden?",
    ],
)
def test_what_asks_for_more_is_not_taken_for_a_list(soc_project: Project, question: str) -> None:
    assert not any(" has " in row and row.endswith("]") for row in rows(soc_project, question)[:1])


def test_ports_under_a_condition_are_counted_apart(tmp_path: Path) -> None:
    (tmp_path / "a.sv").write_text(
        "module a (\n  input logic x_i,\n`ifdef TRACE\n  output logic t_o,\n`endif\n"
        "  output logic y_o\n);\nendmodule\n"
    )
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False, jobs=1)
    found = rows(project, "ports of module a_core")
    assert not any("has 3 ports" in row for row in found)
    (tmp_path / "a.sv").write_text(
        (tmp_path / "a.sv").read_text().replace("module a ", "module a_core ")
    )
    project.index(graphrag="never", embeddings=False, jobs=1)
    found = rows(project, "ports of module a_core")
    assert found[:2] == ["a_core has 3 ports (1 input, 2 output): [a.sv:1]", "1 of them if TRACE"]


def test_interrupts_are_ports_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "a.sv").write_text(
        "module spi_host (\n  input logic clk_i,\n  output logic intr_done_o,\n"
        "  output logic irq_err_o,\n  output logic internal_o\n);\nendmodule\n"
    )
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False, jobs=1)
    found = rows(project, "which interrupts does spi_host have?")
    assert found[0] == "spi_host has 2 interrupt ports: [a.sv:1]"
    assert [row[:5] for row in found[1:3]] == ["    3", "    4"]


@pytest.mark.parametrize(
    "question",
    [
        "what is uart_rx?",
        "What is UART_RX?",
        "explain the module uart_rx",
        "what does uart_rx do?",
        "uart_rx overview",
    ],
)
def test_what_a_unit_is_is_told_from_the_design(soc_project: Project, question: str) -> None:
    found = rows(soc_project, question)
    assert found[0] == "module uart_rx [rtl/uart_rx.sv:2]"
    assert found[1].startswith("    1| // Receives bytes from a serial line")
    assert "- uart instantiates it as u_rx [rtl/uart.sv:46]" in found
    assert any(
        row.startswith("State machine in state_q: RX_IDLE, RX_DATA, RX_STOP") for row in found
    )
    assert "`hdlgraph show uart_rx` lists all of it." in found


def test_what_a_unit_instantiates_is_told_once_a_unit(soc_project: Project) -> None:
    found = rows(soc_project, "describe uart")
    assert any(row.startswith("- uart_rx as u_rx [rtl/uart.sv:") for row in found)


@pytest.mark.parametrize(
    "question", ["what is data_o of uart_rx?", "what does uart_rx do on error?"]
)
def test_a_question_for_less_is_not_answered_by_the_whole_unit(
    soc_project: Project, question: str
) -> None:
    assert rows(soc_project, question)[0] != "module uart_rx [rtl/uart_rx.sv:2]"
