"""Readers as witnesses: who saw what, and what PyVerilog gives where slang loses a file."""

import time
import tracemalloc

import msgspec
import pytest
from _parsing import record_of, unit

from hdlgraph.model import BIT, Layer, bits_of, layers_of
from hdlgraph.parsers.pyverilog.join import join_view
from hdlgraph.parsers.pyverilog.parse import read_view
from hdlgraph.parsers.pyverilog.plain_text import plain_text
from hdlgraph.parsers.text.inventory import take_inventory
from hdlgraph.parsers.text.source import read_source

SLANG, TREE, PYVERILOG, REGEX = (BIT[layer] for layer in Layer)
PLAIN = """\
module stage_pair #(parameter W = 8) (input clk, input [W-1:0] d, output [W-1:0] q);
  wire [W-1:0] mid;
  stage #(.W(W), .INIT(8'h0F)) u_first (.clk(clk), .d(d), .q(mid));
  stage #(W) u_last (clk, {mid[0], mid[W-1:1]}, q);
endmodule
"""
LOST = """\
module mux_out(input clk, input [7:0] di, output [7:0] do);
  wire [7:0] mid;
  stage #(.W(8)) first (.clk(clk), .d(di), .q(mid));
  stage #(.W(8)) final (.clk(clk), .d(mid), .q(do));
endmodule
"""
"""`do` and `final` are names in Verilog-2001 and words of SystemVerilog, so slang loses them."""


def instance(record, unit_name, name):
    return next(item for item in unit(record, unit_name).instances if item.name == name)


def test_a_set_of_readers_is_a_number_and_back():
    assert layers_of(bits_of(("regex", "slang", "nobody"))) == ("slang", "regex")
    assert [layers_of(BIT[layer]) for layer in Layer] == [(layer.value,) for layer in Layer]
    assert bits_of(()) == 0


def test_two_readers_see_the_same(tmp_path):
    record = record_of(tmp_path, PLAIN, "pair.v")
    pair = unit(record, "stage_pair")
    assert pair.layers == ("slang", "pyverilog", "regex")
    assert {port.witnesses for port in pair.ports} == {SLANG | PYVERILOG}
    assert {one.witnesses for one in pair.parameters} == {SLANG | PYVERILOG}
    assert [item.witnesses for item in pair.instances] == [SLANG | PYVERILOG | REGEX] * 2
    for item in pair.instances:
        assert {one.witnesses for one in item.connections} == {SLANG | PYVERILOG}
        assert set(item.override_witnesses) == {SLANG | PYVERILOG}
    assert record.sightings == ()


def test_names_with_a_backslash_are_one_name(tmp_path):
    text = PLAIN.replace("u_first", "\\u+1 ").replace("mid;", "mid, \\m[0] ;")
    pair = unit(record_of(tmp_path, text.replace(".d(d)", ".d(\\m[0] )"), "pair.v"), "stage_pair")
    assert [item.name for item in pair.instances] == ["u+1", "u_last"]
    assert SLANG | PYVERILOG in {one.witnesses for one in pair.instances[0].connections}


def test_a_file_that_slang_loses_takes_its_edges_from_pyverilog(tmp_path):
    record = record_of(tmp_path, LOST, "mux_out.v")
    assert any(note.severity == "error" for note in record.diagnostics)
    ports = {port.name: port.witnesses for port in unit(record, "mux_out").ports}
    assert ports["do"] == PYVERILOG
    final = instance(record, "mux_out", "final")
    assert (final.unit, final.line, final.witnesses) == ("stage", 4, PYVERILOG)
    assert [(one.port, one.expr, one.witnesses) for one in final.connections] == [
        ("clk", "clk", PYVERILOG),
        ("d", "mid", PYVERILOG),
        ("q", "do", PYVERILOG),
    ]
    assert final.parameters == (("W", "8"),)
    assert final.override_witnesses == (PYVERILOG,)
    assert instance(record, "mux_out", "first").witnesses == SLANG | TREE | PYVERILOG | REGEX


def test_pyverilog_reads_what_slang_could_not_even_begin(tmp_path):
    text = "`timescale 1ns/1ps\n`define WIDE 8\n" + PLAIN.replace("W = 8", "W = `WIDE")
    record = record_of(tmp_path, text, "pair.v", level="tree-sitter", reason="pyslang was ended")
    assert record.layers == ("tree-sitter", "pyverilog", "regex")
    first = instance(record, "stage_pair", "u_first")
    assert first.witnesses == TREE | PYVERILOG | REGEX
    assert {one.witnesses for one in first.connections} == {TREE | PYVERILOG}
    assert first.confidence == 0.7  # as tree-sitter alone: agreement is no rank


def test_systemverilog_is_tried_too_and_its_confidence_stays(tmp_path):
    text = PLAIN.replace("input clk", "input logic clk")
    record = record_of(tmp_path, text, "pair.sv")
    assert record.language == "systemverilog"
    pair = unit(record, "stage_pair")
    assert "pyverilog" in pair.layers
    assert {item.witnesses for item in pair.instances} == {SLANG | PYVERILOG | REGEX}
    assert (pair.confidence, pair.instances[0].confidence) == (0.95, 0.95)


@pytest.mark.parametrize(
    "text",
    [
        "import words_pkg::*;\n" + PLAIN,
        PLAIN.replace("u_last (clk, {mid[0], mid[W-1:1]}, q)", "u_last (.*)"),
        PLAIN + "// " + "x" * 200_000 + "\n",
    ],
)
def test_what_pyverilog_cannot_read_has_no_note(tmp_path, text):
    record = record_of(tmp_path, text, "pair.sv")
    assert "pyverilog" not in record.layers
    assert record.diagnostics == ()
    assert instance(record, "stage_pair", "u_first").witnesses == SLANG | REGEX


def seen_otherwise(tmp_path, former, other):
    """Returns the record of PLAIN, with PyVerilog reading it where `former` is `other`."""
    inventory = take_inventory("pair.v", PLAIN.encode())
    by_slang = msgspec.structs.replace(
        record_of(tmp_path, "module none; endmodule\n" + PLAIN, "none.v"), units=()
    )
    (tmp_path / "sv").mkdir()
    record = record_of(tmp_path / "sv", PLAIN + "import none_pkg::*;\n", "pair.sv")
    assert "pyverilog" not in record.layers
    view = read_view(PLAIN.replace(former, other))
    assert not view.silent
    return join_view(record, by_slang, view, inventory, sure=False)


def test_another_actual_is_listed_and_not_believed(tmp_path):
    record = seen_otherwise(tmp_path, ".d(d)", ".d(mid)")
    first = instance(record, "stage_pair", "u_first")
    assert [(one.port, one.expr, one.witnesses) for one in first.connections] == [
        ("clk", "clk", SLANG | PYVERILOG),
        ("d", "d", SLANG),
        ("q", "mid", SLANG | PYVERILOG),
    ]
    assert [(one.kind, one.name, one.line, one.witnesses) for one in record.sightings] == [
        ("binding", "u_first.d", 3, PYVERILOG)
    ]


def test_an_instance_that_the_source_has_not_is_not_believed(tmp_path):
    record = seen_otherwise(tmp_path, "endmodule", "stage u_included (clk, d, q); endmodule")
    names = [item.name for item in unit(record, "stage_pair").instances]
    assert names == ["u_first", "u_last"]


def test_one_reader_misses_an_instance_a_port_and_an_override(tmp_path):
    record = seen_otherwise(tmp_path, "stage #(.W(W), .INIT(8'h0F)) u_first", "stage u_first")
    first = instance(record, "stage_pair", "u_first")
    assert first.override_witnesses == (SLANG, SLANG)
    (tmp_path / "two").mkdir()
    record = seen_otherwise(tmp_path / "two", "stage #(W) u_last", "stage #(W) u_other")
    assert instance(record, "stage_pair", "u_last").witnesses == SLANG | REGEX


def test_another_number_is_no_witness_of_an_override(tmp_path):
    record = seen_otherwise(tmp_path, "8'h0F", "8'h1F")
    assert instance(record, "stage_pair", "u_first").override_witnesses == (
        SLANG | PYVERILOG,
        SLANG,
    )


def test_of_instances_with_one_name_each_meets_its_own(tmp_path):
    text = (
        "module pick #(parameter A = 1) (input clk, input d, output q);\n"
        "  generate if (A) begin : one\n    stage u_s (.clk(clk), .d(d), .q(q));\n  end else begin"
        " : two\n    stage u_s (.clk(d), .d(clk), .q(q));\n  end endgenerate\nendmodule\n"
    )
    record = record_of(tmp_path, text, "pick.v")
    both = unit(record, "pick").instances
    assert [item.name for item in both] == ["u_s", "u_s"]
    assert {one.witnesses for item in both for one in item.connections} == {SLANG | PYVERILOG}


def test_same_bytes_twice(tmp_path):
    records = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        records.append(record_of(tmp_path / name, LOST, "mux_out.v"))
    assert msgspec.msgpack.encode(records[0]) == msgspec.msgpack.encode(records[1])


def test_the_limit_is_processor_time():
    text = "module m (input a, output b);\n" + "assign b = a & a | a;\n" * 20_000 + "endmodule\n"
    view = read_view(text, seconds=0.05)
    assert view.silent == "no tree after 0.05 s"
    assert view.units == ()


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("`timescale 1ns/1ps\nwire a;\n", "\nwire a;\n"),
        ("`define N 4\nwire [`N:0] a;\n", "\nwire [4:0] a;\n"),
        ("`define N `M\n`define M 3\nwire [`N:0] a;\n", "\n\nwire [3:0] a;\n"),
        ("`ifdef X\na\n`else\nb\n`endif\n", "\n\n\nb\n\n"),
        ("`define X\n`ifdef X\na\n`else\nb\n`endif\n", "\n\na\n\n\n\n"),
        ("`ifdef X\na\n`elsif Y\nb\n`endif\nc\n", "\n\n\n\n\nc\n"),
        ("`define X\n`undef X\n`ifndef X\na\n`endif\n", "\n\n\na\n\n"),
        ("`define F(x) x\n", ""),
        ("assign a = `UNKNOWN;\n", ""),
        ("`define A `B\n`define B `A\n`A\n", ""),
        ("`define A `B `B `B `B `B `B `B `B\n`define B `A `A `A `A `A `A `A `A\n`A\n", ""),
        ("`endif\n", ""),
    ],
)
def test_plain_text(text, plain):
    assert plain_text(read_source(text.encode())) == plain


@pytest.mark.parametrize("text", ["(* " * 60_000, "specify " * 25_000, "event" + " " * 190_000])
def test_a_text_that_takes_minutes_to_repair_is_given_up(text):
    began = time.process_time()
    assert read_view(f"module m;{text}", seconds=0.1).silent == "no tree after 0.1 s"
    assert time.process_time() - began < 5


def test_macros_that_stand_for_gigabytes_are_not_made():
    text = "`define a " + "x" * 100_000 + "\n" + "`a" * 30_000 + "\n"
    source = read_source(text.encode())
    tracemalloc.start()
    try:
        assert plain_text(source) == ""
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


def test_a_parameter_that_an_include_declares_is_not_declared_where_it_is_used(tmp_path):
    text = """\
module top (input clk, output [3:0] q);
  parameter [3:0] OWN
    = 2;
`include "values.vh"
  assign q = OTHER[1:0] + OWN;
endmodule
"""
    record = record_of(tmp_path, text, "top.v", {"values.vh": "localparam OTHER = 3;\n"})
    assert "pyverilog" in record.layers
    declared = {one.name: one.line for one in unit(record, "top").parameters}
    assert declared == {"OWN": 2}
