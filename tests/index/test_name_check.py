"""Names in an explanation that its file does not have."""

from __future__ import annotations

import msgspec
from _explaining import SOC, records_of
from hypothesis import given
from hypothesis import strategies as st

from hdlgraph.index.explain.by_model.name_check import (
    FileNames,
    NamesFound,
    check_names,
    names_in,
    without_unknown,
)
from hdlgraph.index.explain.by_rules.explainer import explain_all
from hdlgraph.index.explain.neighbourhood import neighbourhoods
from hdlgraph.model import Explanation

TEXT = """
module port_arbiter import bus_pkg::*; #(parameter int NumPorts = 2) (
  input logic clk_i, rst_ni, input req_t req_i, output logic [7:0] rdata_o);
  typedef enum { StIdle, StBusy } state_e;
  alert_sender u_alert_sender_0 (); // drives alert_tx.alert_p
endmodule
"""
KNOWN = FileNames([TEXT])
PROSE = """The arbiter grants one of several requesters access to the read/write port of the
memory, e.g. in round-robin order. TileLink, SystemVerilog, OpenTitan, RISC-V and AXI4-Lite are
protocols and names; FIFOs, LEDs and CPUs are plurals, 32-bit words and 1.5 MHz are quantities.
It doesn't wait: start-up takes one cycle, and/or two. PowerPC, WiFi, IPv6, UVM's,
MicroBlaze, ChaCha20."""


def test_plain_words_and_product_names_are_no_identifiers():
    assert check_names(PROSE, FileNames([])).unknown == ()


@given(st.lists(st.text("abcdefghijklmnopqrstuvwxyzABCDEFGH -',./()0123456789", max_size=20)))
def test_words_without_underscores_backquotes_and_mixed_case_are_never_flagged(words):
    text = " ".join(word if word.islower() else word.lower() for word in words)
    assert check_names(text, FileNames([])).unknown == ()


@given(st.text(max_size=300))
def test_any_text_is_checked_and_every_unknown_name_was_named(text):
    names_found = check_names(text, KNOWN)
    assert set(names_found.unknown) <= set(names_found.named)
    assert all(name in text for name in names_found.named)


@given(st.sampled_from(sorted(set(TEXT.split()))), st.text("abc xyz.", max_size=40))
def test_what_stands_in_the_file_is_known(word, around):
    assert check_names(f"{around} {word} {around}", KNOWN).unknown == ()


def test_identifiers_are_found_in_their_forms():
    text = "`foo` and bar_baz, MAX_COUNT; Sha3Core2 (`x.y_z`, pkg::thing_t) and 8'hFF, 100_000"
    assert names_in(text) == ["foo", "bar_baz", "MAX_COUNT", "Sha3Core2", "x", "y_z", "thing_t"]


def test_known_names_may_lose_their_markers_case_and_plural():
    text = """`rst_n` and `rdata`, u_alert_sender_0, `StIdle`, `idle`, alert_senders,
    `bus_pkg::gone_t`,
    `NumPorts`, NUM_PORTS is not meant; `always_ff`, uvm_driver, run_phase, `$clog2`, alert_*,
    `u_alert_sender_*`, x86_64, SHA_256, `module`"""
    assert check_names(text, KNOWN).unknown == ("gone_t", "NUM_PORTS")


def test_unknown_names_are_flagged_once():
    names_found = check_names("foo_bar calls foo_bar; StIdle2 and `wdata` too, `req_i`.", KNOWN)
    assert names_found == NamesFound(
        named=("foo_bar", "StIdle2", "wdata", "req_i"), unknown=("foo_bar", "StIdle2", "wdata")
    )


def test_sentences_and_clauses_with_unknown_names_go():
    found = Explanation(
        path="a.sv",
        purpose="Grants access to the port. It is used by cpu_top.",
        behaviour="Waits in StIdle. Then foo_bar starts.",
        instances="Contains alert_sender; dma_engine as u_dma; and nothing else.",
        concepts=("arbitration", "foo_bar handshake"),
    )
    clean, names_found = without_unknown(found, KNOWN)
    assert clean.purpose == "Grants access to the port."
    assert clean.behaviour == "Waits in StIdle."
    assert clean.instances == "Contains alert_sender; and nothing else."
    assert clean.concepts == ("arbitration",)
    assert names_found.unknown == ("cpu_top", "foo_bar", "dma_engine", "u_dma")


def test_a_purpose_never_becomes_empty():
    found = Explanation(path="a.sv", purpose="The `dma_engine` moves data.")
    clean, _ = without_unknown(found, KNOWN)
    assert clean.purpose == "The dma engine moves data."


@given(
    st.lists(st.sampled_from(["Good words here.", "Bad_name is here.", "A port, `req_i`."])),
    st.lists(st.sampled_from(["idea", "bad_name use"]), max_size=3),
)
def test_pruning_leaves_no_unknown_name_and_touches_nothing_else(sentences, concepts):
    found = Explanation(
        path="a.sv",
        purpose="Does things.",
        behaviour=" ".join(sentences),
        concepts=tuple(concepts),
    )
    clean, names_found = without_unknown(found, KNOWN)
    again = check_names(" ".join([clean.purpose, clean.behaviour, *clean.concepts]), KNOWN)
    assert again.unknown == ()
    if not names_found.unknown:
        assert clean == found
    kept = [s for s in sentences if "Bad" not in s]
    assert clean.behaviour == " ".join(kept)


def test_neighbours_are_known_and_can_be_added():
    records = records_of(SOC)
    around = neighbourhoods(records)
    rx = next(r for r in records if r.path == "rtl/uart_rx.sv")
    known = FileNames.of_file(rx, around[rx.path], (SOC / rx.path).read_text())
    assert check_names("shift_q, uart_rx, u_rx", known).unknown in ((), ("u_rx",))
    assert check_names("bus_arbiter", known).unknown == ("bus_arbiter",)
    assert check_names("bus_arbiter", known.plus(["contains bus_arbiter"])).unknown == ()


def test_facts_put_into_words_name_nothing_unknown():
    records = records_of(SOC)
    around = neighbourhoods(records)
    for path, found in explain_all(records).items():
        record = next(r for r in records if r.path == path)
        known = FileNames.of_file(record, around[path], (SOC / path).read_text())
        clean, names_found = without_unknown(found, known)
        assert names_found.unknown == () and clean == found, path  # noqa: PT018
        other = msgspec.structs.replace(found, behaviour="It uses ghost_unit.")
        assert without_unknown(other, known)[1].unknown == ("ghost_unit",)
