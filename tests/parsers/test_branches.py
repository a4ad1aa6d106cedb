"""Both branches of an `ifdef are read: nothing is lost, nothing is made up, each has its place."""

from __future__ import annotations

import time

import pytest
from _parsing import record_of, unit

PORTS = """\
module core (
  input logic clk_i,
`ifdef RVFI
  output logic rvfi_valid,
  output logic [31:0] rvfi_insn,
`ifndef SMALL
  output logic rvfi_wide,
`endif
`endif
  input logic rst_ni,
`ifdef WIDE
  input logic [63:0] data_i
`else
  input logic [31:0] data_i
`endif
);
`ifdef RVFI
  logic rvfi_stage;
  parameter int Depth = 3;
`else
  logic plain_stage;
`endif
  logic always_there;
endmodule
"""


def listed(ports):
    return [(port.name, port.condition) for port in ports]


def test_ports_of_all_branches_stay_in_their_place(tmp_path):
    core = unit(record_of(tmp_path, PORTS), "core")
    assert listed(core.ports) == [
        ("clk_i", ""),
        ("rvfi_valid", "RVFI"),
        ("rvfi_insn", "RVFI"),
        ("rvfi_wide", "RVFI && !SMALL"),
        ("rst_ni", ""),
        ("data_i", "WIDE"),
        ("data_i", "!WIDE"),
    ]
    assert [port.type for port in core.ports[-2:]] == ["logic [63:0]", "logic [31:0]"]
    assert {port.direction for port in core.ports[1:4]} == {"output"}


def test_signals_and_parameters_of_all_branches_have_their_condition(tmp_path):
    core = unit(record_of(tmp_path, PORTS), "core")
    assert [(s.name, s.condition) for s in core.signals] == [
        ("rvfi_stage", "RVFI"),
        ("plain_stage", "!RVFI"),
        ("always_there", ""),
    ]
    assert [(p.name, p.condition) for p in core.parameters] == [("Depth", "RVFI")]


def test_a_type_or_macro_is_no_port(tmp_path):
    record = record_of(
        tmp_path,
        "module core import pkg::*; (\n  input clk,\n  output word_t `SIDE(x) out_o,\n"
        "`ifdef RVFI\n  `RVFI_PORTS\n  output `WORD_T bus_o,\n  output mode_t mode_o,\n`endif\n"
        "  input last\n);\n`ifdef RVFI\n  leaf u_leaf (.clk(clk));\n`endif\nendmodule\n",
    )
    names = [port.name for port in unit(record, "core").ports]
    assert names == ["clk", "out_o", "bus_o", "mode_o", "last"]
    assert [i.name for i in unit(record, "core").instances] == ["u_leaf"]


def test_macros_and_types_of_a_broken_file_are_no_ports(tmp_path):
    record = record_of(
        tmp_path,
        "module core (\n  input clk,\n  `PORTS(a, b)\n  output `WORD_T bus_o,\n"
        "  output mode_t mode_o\n);\n  assign = ;\n  leaf u_leaf (.clk(clk));\n"
        "  always begin if (x y = ; end\nendmodule\n",
    )
    names = [port.name for port in unit(record, "core").ports]
    assert names == ["clk", "bus_o", "mode_o"]


def test_a_header_in_each_branch_is_one_unit(tmp_path):
    record = record_of(
        tmp_path,
        "`ifdef AXI\nmodule bridge (input clk, input axi_req);\n`else\n"
        "module bridge (input clk, input apb_req);\n`endif\n"
        "  leaf u_leaf (.clk(clk));\nendmodule\n",
    )
    assert [u.name for u in record.units] == ["bridge"]
    assert [p.name for p in record.units[0].ports if p.name != "clk"] == ["axi_req", "apb_req"]
    assert [i.name for i in record.units[0].instances] == ["u_leaf"]


@pytest.mark.parametrize("macro", ["", "`define FAST\n"])
def test_binds_of_all_branches_are_found(tmp_path, macro):
    record = record_of(
        tmp_path,
        macro + "`ifdef FAST\nbind core checks u_fast (.*);\n`elsif SLOW\n"
        "bind core checks u_slow (.*);\n`else\nbind core checks u_none (.*);\n`endif\n",
    )
    assert [(b.name, b.condition) for b in record.binds] == [
        ("u_fast", "FAST"),
        ("u_slow", "!FAST && SLOW"),
        ("u_none", "!FAST && !SLOW"),
    ]


def test_connections_and_overrides_of_all_branches(tmp_path):
    record = record_of(
        tmp_path,
        "module top (input clk, input req);\n  leaf #(\n    .A(1)\n`ifdef BIG\n    , .B(2)\n"
        "`endif\n  ) u_leaf (\n    .clk(clk),\n`ifdef BIG\n    .req(req),\n`else\n    .req(1'b0),\n"
        "`endif\n    .done()\n  );\nendmodule\n",
    )
    (leaf,) = unit(record, "top").instances
    assert leaf.parameters == (("A", "1"), ("B", "2"))
    assert len(leaf.override_witnesses) == 2
    assert [(c.port, c.expr, c.condition) for c in leaf.connections] == [
        ("clk", "clk", ""),
        ("req", "req", "BIG"),
        ("req", "1'b0", "!BIG"),
        ("done", "", ""),
    ]


def test_one_instance_whose_module_depends(tmp_path):
    record = record_of(
        tmp_path,
        "module top (input clk);\n`ifdef BIG\n  wide u_core (\n`else\n  narrow u_core (\n`endif\n"
        "    .clk(clk)\n  );\nendmodule\n",
    )
    found = unit(record, "top").instances
    assert [(i.unit, i.scopes[0].condition) for i in found] == [("wide", "BIG"), ("narrow", "!BIG")]
    assert all([c.port for c in i.connections] == ["clk"] for i in found)


def test_a_condition_that_a_header_decides(tmp_path):
    others = {"config.vh": "`ifndef PLAIN\n`define CACHED\n`endif\n"}
    record = record_of(
        tmp_path,
        '`include "config.vh"\nmodule top (input clk);\n`ifdef CACHED\n  cache u_mem ();\n`else\n'
        "  ram u_mem ();\n`endif\n`ifdef PLAIN\n  logic plain;\n`endif\nendmodule\n",
        others=others,
    )
    top = unit(record, "top")
    assert [i.unit for i in top.instances] == ["cache", "ram"]
    assert [s.name for s in top.signals] == ["plain"]


def test_branches_that_contradict_each_other_are_read_apart(tmp_path):
    record = record_of(
        tmp_path,
        "module top (input clk\n`ifdef A\n  , input a_only\n`ifdef B\n  , input a_b\n`else\n"
        "  , input a_not_b\n`endif\n`endif\n`ifndef A\n`ifdef B\n  , input b_only\n`endif\n`endif\n"
        ");\nendmodule\n",
    )
    assert listed(unit(record, "top").ports) == [
        ("clk", ""),
        ("a_only", "A"),
        ("a_b", "A && B"),
        ("a_not_b", "A && !B"),
        ("b_only", "!A && B"),
    ]


def test_a_broken_branch_harms_no_other(tmp_path):
    record = record_of(
        tmp_path,
        "module top (input clk);\n`ifdef GOOD\n  leaf u_good (.clk(clk));\n`endif\n"
        "`ifdef BAD\n  this is ( not verilog ;\n`endif\n  leaf u_last (.clk(clk));\nendmodule\n"
        "module next (input a);\nendmodule\n",
    )
    assert [i.name for i in unit(record, "top").instances] == ["u_good", "u_last"]
    assert [p.name for p in unit(record, "next").ports] == ["a"]


def test_many_conditions_are_bounded(tmp_path):
    body = "".join(
        f"`ifdef A{n}\n`ifdef B{n}\n  logic x{n};\n`else\n  logic y{n};\n`endif\n`else\n"
        f"  logic z{n};\n`endif\n"
        for n in range(400)
    )
    top = unit(record_of(tmp_path, f"module top;\n{body}endmodule\n"), "top")
    assert len(top.signals) == 1200


def test_processes_of_a_branch_read_and_write_what_they_name(tmp_path):
    record = record_of(
        tmp_path,
        "module top (input clk, input d, output logic q);\n`ifdef FAST\n"
        "  always_ff @(posedge clk) q <= d;\n`else\n  assign q = d;\n`endif\nendmodule\n",
    )
    assert [(p.kind, p.writes) for p in unit(record, "top").processes] == [
        ("always_ff", ("q",)),
        ("assign", ("q",)),
    ]


def test_the_record_says_what_each_branch_asks_for(tmp_path):
    record = record_of(
        tmp_path, "`ifdef A\nmodule m; endmodule\n`else\nmodule n; endmodule\n`endif\n"
    )
    assert record.branches == ((1, 3), (3, 5))
    assert record.conditions == ("A", "!A")


def test_a_branch_that_refuses_to_be_compiled_costs_nothing_else(tmp_path):
    record = record_of(
        tmp_path,
        "module ram (Clk, Dq);\n`ifdef SMALL\n  parameter BITS = 4;\n`else\n"
        "  ERROR: You must define SMALL with +define+SMALL.\n`endif\n  input Clk;\n"
        "  inout [BITS-1:0] Dq;\n  reg state;\nendmodule\n",
        "ram.v",
    )
    ram = unit(record, "ram")
    assert [(p.name, p.direction) for p in ram.ports] == [("Clk", "input"), ("Dq", "inout")]
    assert [p.name for p in ram.parameters] == ["BITS"]
    assert [s.name for s in ram.signals] == ["state"]


@pytest.mark.parametrize(
    "text",
    [
        "module m;\n" + "`ifdef A\n" * 8_000 + "logic x;\n" + "`endif\n" * 8_000 + "endmodule\n",
        "module m;\n`ifdef A\n"
        + "".join(f"`elsif B{n}\n  logic x{n};\n" for n in range(1_500))
        + "`endif\nendmodule\n",
        "module m;\n`ifdef A\n" * 2_000,
        "`endif\n`else\n`elsif X\n" * 2_000 + "module m;\nendmodule\n",
    ],
    ids=["deep", "long", "open", "closed"],
)
def test_hostile_conditions_end(tmp_path, text):
    started = time.process_time()
    record = record_of(tmp_path, text)
    assert [u.name for u in record.units][:1] == ["m"]
    assert time.process_time() - started < 8
