"""The deterministic explainer on a small design of our own, and its parts on single facts."""

from functools import cache
from pathlib import Path

import pytest

from hdlgraph.index.explain.by_rules.explainer import explain_all
from hdlgraph.index.explain.by_rules.phrases import Vocabulary, mine_long_forms
from hdlgraph.index.explain.by_rules.prose import escape, sentences
from hdlgraph.index.explain.by_rules.protocols import port_groups
from hdlgraph.index.explain.neighbourhood import neighbourhoods
from hdlgraph.index.parse.one_file import Extractor
from hdlgraph.model import Comment, Explanation, FileRecord, Port
from hdlgraph.parsers.includes import IncludeIndex

DESIGN = Path(__file__).parents[1] / "designs" / "explain"


@cache
def records() -> tuple[FileRecord, ...]:
    paths = sorted(path.name for path in DESIGN.iterdir())
    extractor = Extractor(DESIGN, IncludeIndex(paths))
    roles = {path: "testbench" if "monitor" in path else "rtl" for path in paths}
    return tuple(extractor.extract(path, f"{n:064x}", roles[path]) for n, path in enumerate(paths))


@cache
def explained() -> dict[str, Explanation]:
    return explain_all(records())


def searched(path: str) -> Explanation:
    return explained()[path].for_search()


def test_purpose_takes_the_doc_comment_and_names_the_structure():
    people, search = explained()["bank_arb.sv"].purpose, searched("bank_arb.sv").purpose
    for purpose in (people, search):
        assert purpose.startswith("Grants one of two clients access to a memory bank.")
        assert "Keeps the processor and the copy engine apart" in purpose
        assert "Copyright" not in purpose
        assert "Licensed" not in purpose
    assert "Module bank_arb. Instantiated in bank_top as u_arb: Keeps" in people
    assert "bank arbiter" in search
    assert "decides which of several requesters" in search
    assert "decides which of several requesters" not in people


def test_behaviour_tells_states_counters_comments_and_messages():
    people, search = explained()["bank_arb.sv"].behaviour, searched("bank_arb.sv").behaviour
    assert "has the states idle, serve processor and wait bank" in search
    assert "Counts retry." in search
    assert "grant one hot" in search
    assert "ServeCpu" in people
    assert "retry_cnt_q" in people
    for behaviour in (people, search):
        assert "nobody asks" in behaviour
        assert "Drop the request when the bank stays busy for too long." in behaviour
        assert "both clients were granted the bank" in behaviour


def test_interfaces_name_protocols_and_sides():
    people, search = explained()["bank_arb.sv"].interfaces, searched("bank_arb.sv").interfaces
    assert "request/grant handshake as granter (processor, direct memory access)" in search
    assert "request/grant handshake as granter (cpu, dma)" in people
    for interfaces in (people, search):
        assert "AXI4-Lite bus as target" in interfaces
        assert "nterrupt lines" in interfaces


def test_parameters_and_instances():
    people, search = explained()["bank_arb.sv"], searched("bank_arb.sv")
    assert "depth (entries of the wait queue), default 4" in search.parameters
    assert "Depth (entries of the wait queue), default 4" in people.parameters
    assert "Used by bank top." in search.instances
    assert "Used by bank_top." in people.instances
    assert "bank arbiter" in searched("bank_top.sv").instances
    assert "bank_arb as u_arb" in explained()["bank_top.sv"].instances


def test_a_file_without_any_comment_still_has_a_purpose():
    said = "Module sub unit. Declares ports and holds no logic. Used as sub in bank top."
    assert searched("sub_unit.v").purpose == said
    purpose = explained()["sub_unit.v"].purpose
    said = "Declares ports and holds no logic. Module sub_unit. Instantiated in bank_top as u_sub."
    assert purpose == said


def test_a_uvm_class_is_told_by_its_role():
    people, search = explained()["bank_monitor.sv"], searched("bank_monitor.sv")
    assert "UVM monitor: observes an interface" in search.purpose
    assert "UVM monitor" in people.purpose
    assert "observes" not in people.purpose
    assert "collect items" in search.behaviour
    assert "collect_items" in people.behaviour
    assert "UVM monitor" in people.concepts


def test_every_explanation_is_deterministic_sorted_and_without_double_hashes():
    again = explain_all(records())
    assert again == explained()
    for item in again.values():
        assert list(item.concepts) == sorted(set(item.concepts))
        assert "##" not in item.to_text()
        assert item.model == "deterministic"


def test_an_imported_explanation_counts_only_for_the_same_content():
    record = next(r for r in records() if r.path == "sub_unit.v")
    right = Explanation(path=record.path, purpose="Ours.", sha256=record.sha256, model="m")
    wrong = Explanation(path=record.path, purpose="Ours.", sha256="0" * 63 + "f", model="m")
    assert explain_all(records(), imported={record.path: right})[record.path] is right
    assert explain_all(records(), imported={record.path: wrong})[record.path].model != "m"


def test_neighbourhoods_hold_both_directions():
    around = neighbourhoods(records())
    (parent,) = around["bank_arb.sv"].parents
    assert (parent.path, parent.parent, parent.name) == ("bank_top.sv", "bank_top", "u_arb")
    assert parent.comment == "Keeps the processor and the copy engine apart."
    assert [child.path for child in around["bank_top.sv"].children] == ["bank_arb.sv", "sub_unit.v"]


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("u_rd_ptr_q", "read pointer"),
        ("sramreqfifo", "SRAM memory request first-in first-out queue"),
        ("AlertPingTimeout", "alert ping timeout"),
        ("id_stage", "instruction decode stage"),
        ("picorv32_core", "picorv32 core"),
        ("i_wb_cyc", "Wishbone cycle"),
        ("blackparrot", "blackparrot"),
        ("bsg_mem_1r1w", "bsg memory 1 read 1 write port"),
    ],
)
def test_identifiers_in_words(identifier: str, words: str):
    assert Vocabulary().words(identifier) == words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("verilator lint_off UNUSED", ()),
        ("------\nMain controller\n------", ("Main controller",)),
        ("Author: Jane Doe\nJane <jane@example.org>\nCounts beats.", ("Counts beats.",)),
        ("assign a = b;\nWe wait here.", ("We wait here.",)),
        ("acks ##1 after the request", ("acks 1 cycle later after the request",)),
        ("Permission to use, copy and modify is hereby granted.", ()),
    ],
)
def test_sentences_keep_prose_only(text: str, expected: tuple[str, ...]):
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("names", "protocol"),
    [
        ("o_wb_cyc o_wb_stb i_wb_ack", "Wishbone bus"),
        ("psel_i penable_i pwrite_i paddr_i", "APB bus"),
        ("haddr htrans hwrite hrdata", "AHB bus"),
        ("m_tvalid m_tready m_tdata", "AXI stream"),
        ("tck_i tms_i tdi_i tdo_o", "JTAG test port"),
        ("data_req_o data_gnt_i data_rvalid_i", "request/grant memory interface"),
        ("v_i yumi_o data_i", "valid/yumi handshake"),
        ("scl_i sda_i", "I2C lines"),
    ],
)
def test_protocols_by_port_names(names: str, protocol: str):
    ports = tuple(
        Port(n, "output" if n.startswith("o_") else "input", "", 1) for n in names.split()
    )
    assert any(group.protocol.startswith(protocol) for group in port_groups(ports))


def test_typed_ports_tell_protocol_and_side():
    ports = (
        Port("tl_i", "input", "tlul_pkg::tl_h2d_t", 1),
        Port("alert_tx_o", "output", "prim_alert_pkg::alert_tx_t [1:0]", 2),
    )
    groups = {(group.protocol, group.side) for group in port_groups(ports)}
    assert ("TileLink (TL-UL) bus", "device side") in groups
    assert ("differential alert", "alert sender") in groups


def test_long_forms_are_mined_when_the_initials_fit():
    note = Comment(1, 1, "The Quad Wide Loader (QWL) feeds the Big Engine (XYZ).")
    record = FileRecord("a.sv", "", "rtl", "systemverilog", 1, 1, "ascii", comments=(note,))
    assert mine_long_forms([record]) == (("qwl", "quad wide loader"),)


def test_cycle_delays_are_spelt_out():
    assert escape("a |=> ##[1:3] b ##2 c") == "a |=> [1:3] cycles later b 2 cycles later c"


def test_the_order_of_the_records_does_not_matter():
    assert explain_all(records()[::-1]) == explained()
