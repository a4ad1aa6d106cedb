"""What a model is told of a file besides its code."""

from __future__ import annotations

import msgspec
import pytest
from _explaining import SOC, records_of, written_files

from hdlgraph.index.explain.by_model.card import around_card, own_card
from hdlgraph.index.explain.neighbourhood import Neighbour, Neighbourhood, neighbourhoods
from hdlgraph.llm.tokens import count_tokens
from hdlgraph.model import FileRecord, Parameter, Port, Unit


def _record(path: str) -> FileRecord:
    return next(r for r in records_of(SOC) if r.path == path)


def test_units_ports_parameters_states_and_instances_are_told():
    text = own_card(_record("rtl/uart_rx.sv"))
    assert "module uart_rx" in text
    assert "clocks, resets: clk_i, rst_ni" in text
    assert "ClksPerBit=16" in text
    assert "rx_state_e is one of RX_IDLE, RX_DATA, RX_STOP" in text
    top = own_card(_record("rtl/soc_top.sv"))
    assert "bus_arbiter as u_arbiter" in top
    assert "imports: soc_pkg" in top
    assert "Two hosts share the bus" in top


def test_no_port_is_listed_twice():
    ports = ["clk_i", "rst_ni", "tl_valid_i", "tl_ready_o", "start_i", "irq_o"]
    unit = Unit(
        kind="module",
        name="m",
        line=1,
        end_line=9,
        ports=tuple(
            Port(name, "input" if name.endswith("i") else "output", "logic", 2) for name in ports
        ),
    )
    text = own_card(_with(unit))
    assert "valid/ready handshake" in text
    for name in ("clk_i", "rst_ni", "start_i", "irq_o", "tl_valid_i"):
        assert text.count(name) <= 1


def test_a_port_of_two_groups_is_listed_once():
    unit = Unit(
        kind="module",
        name="m",
        line=1,
        end_line=9,
        ports=tuple(Port(n, "output", "logic", 2) for n in ("intr_fatal_err_o", "intr_done_o")),
    )
    text = own_card(_with(unit), brief=True)
    assert text.count("intr_fatal_err_o") == text.count("intr_done_o") == 1


def test_the_card_has_neither_path_nor_lines():
    record = _record("rtl/uart.sv")
    moved = msgspec.structs.replace(record, path="x/y.sv", n_lines=3, size=4)
    assert own_card(record) == own_card(moved)
    assert record.path not in own_card(record)


@pytest.mark.parametrize("tokens", [20, 60, 200, 350])
def test_cards_keep_their_budget(tokens):
    unit = Unit(
        kind="module",
        name="wide",
        line=1,
        end_line=9,
        ports=tuple(Port(f"some_port_{n}_i", "input", "logic", n) for n in range(400)),
        parameters=tuple(Parameter(f"Size{n}", "parameter", "int", "4", n) for n in range(90)),
    )
    text = own_card(_with(unit, *(_renamed(unit, n) for n in range(40))), tokens)
    assert 0 < count_tokens(text) <= tokens
    many = Neighbourhood(
        parents=tuple(
            Neighbour(f"p{n}.sv", 1, f"parent_{n}", f"u_{n}", "wide", "Word " * 40)
            for n in range(8)
        ),
        importers=tuple(f"rtl/some_long_file_name_{n}.sv" for n in range(8)),
        n_parents=60,
        n_importers=90,
    )
    assert 0 < count_tokens(around_card(many, tokens)) <= tokens


def test_a_long_list_says_how_many_more():
    unit = Unit(
        kind="module",
        name="wide",
        line=1,
        end_line=9,
        ports=tuple(Port(f"some_port_{n}_i", "input", "logic", n) for n in range(400)),
    )
    assert "and 376 more" in own_card(_with(unit))


def test_surroundings_name_users_with_their_comments_but_no_lines():
    around = neighbourhoods(records_of(SOC))
    text = around_card(around["rtl/bus_arbiter.sv"])
    assert "instantiated in soc_top as u_arbiter: Two hosts share the bus" in text
    assert ".sv" not in text
    assert "imported by" in around_card(around["rtl/soc_pkg.sv"])
    assert around_card(Neighbourhood()) == ""


def test_states_declared_elsewhere_are_told(tmp_path):
    records = written_files(
        tmp_path,
        {
            "state_pkg.sv": "package state_pkg;\n"
            "  typedef enum logic [1:0] {StIdle, StWork, StDone} work_state_e;\nendpackage\n",
            "worker.sv": "module worker import state_pkg::*; (input logic clk_i);\n"
            "  work_state_e state_q;\n  always_ff @(posedge clk_i) state_q <= StIdle;\nendmodule\n",
        },
    )
    text = around_card(neighbourhoods(records)["worker.sv"])
    assert text == "work_state_e (declared elsewhere) is one of StIdle, StWork, StDone"


def test_brief_cards_leave_out_what_the_code_shows():
    record = _record("rtl/soc_top.sv")
    assert "contains" not in own_card(record, brief=True)
    assert count_tokens(own_card(record, brief=True)) < count_tokens(own_card(record)) / 3


def _with(*units: Unit) -> FileRecord:
    return FileRecord("a.sv", "", "rtl", "systemverilog", 1, 9, "ascii", units=units)


def _renamed(unit: Unit, number: int) -> Unit:
    return msgspec.structs.replace(unit, name=f"wide_{number}")
