"""What a unit holds besides plain ports and instances: gates, defparams, signatures and more."""

from __future__ import annotations

import time

from _parsing import record_of, unit

from hdlgraph.model import Argument


def test_bind_to_one_instance_is_no_bind_to_the_module(tmp_path):
    record = record_of(
        tmp_path,
        "bind fifo checks u_all (.*);\nbind top.u_a.u_b checks #(.W(3)) u_path (.*);\n"
        "bind fifo : top.u_a, top.g[1].u_b checks u_some (.*);\n"
        "module tb;\n  bind dut.u_x checks u_in (.*);\nendmodule\n",
    )
    assert [(b.name, b.target, b.instances) for b in record.binds] == [
        ("u_all", "fifo", ()),
        ("u_path", "top.u_a.u_b", ("top.u_a.u_b",)),
        ("u_some", "fifo", ("top.u_a", "top.g[1].u_b")),
        ("u_in", "dut.u_x", ("dut.u_x",)),
    ]
    assert record.binds[1].parameters == (("W", "3"),)
    assert [b.parent for b in record.binds] == ["", "", "", "tb"]


def test_a_macro_may_be_the_name_of_a_module(tmp_path):
    record = record_of(
        tmp_path,
        "`define RAM sram_64\nmodule top (input clk);\n  `RAM u_ram (.clk(clk));\n"
        "  `PRIM_BUF u_buf (.in(clk));\n  `PRIM_FLOP #(.W(2)) u_flop (.clk_i(clk));\n"
        "  `CELL(AND2) u_and (.a(clk));\n  `ASSERT(Known, !clk)\nendmodule\n",
    )
    assert [(i.unit, i.name, i.macro) for i in unit(record, "top").instances] == [
        ("sram_64", "u_ram", "RAM"),
        ("`PRIM_BUF", "u_buf", "PRIM_BUF"),
        ("`PRIM_FLOP", "u_flop", "PRIM_FLOP"),
        ("`CELL", "u_and", "CELL"),
    ]
    assert unit(record, "top").instances[2].parameters == (("W", "2"),)


def test_a_macro_of_a_header_may_hold_whole_instances(tmp_path):
    others = {"macros.svh": "`define TAP(name) probe u_``name (.in(name));\n"}
    record = record_of(
        tmp_path,
        '`include "macros.svh"\nmodule top (input a);\n  `TAP(a)\nendmodule\n',
        others=others,
    )
    assert [(i.unit, i.name, i.line, i.macro) for i in unit(record, "top").instances] == [
        ("probe", "u_a", 3, "TAP")
    ]


def test_declarations_of_an_include_inside_a_module(tmp_path):
    others = {
        "inc/ports.svh": "  input logic req,\n  output logic gnt,\n",
        "inc/body.svh": "  logic [3:0] state;\n  parameter Depth = 4;\n"
        "  leaf u_leaf (.clk(clk));\n",
    }
    record = record_of(
        tmp_path,
        'module top (\n  input clk,\n`include "inc/ports.svh"\n  input last\n);\n'
        '`include "inc/body.svh"\nendmodule\n',
        others=others,
    )
    top = unit(record, "top")
    assert [(p.name, p.line, p.origin) for p in top.ports] == [
        ("clk", 2, ""),
        ("req", 3, "inc/ports.svh"),
        ("gnt", 3, "inc/ports.svh"),
        ("last", 4, ""),
    ]
    assert [(s.name, s.type, s.line, s.origin) for s in top.signals] == [
        ("state", "logic [3:0]", 6, "inc/body.svh")
    ]
    assert [(p.name, p.default, p.origin) for p in top.parameters] == [
        ("Depth", "4", "inc/body.svh")
    ]
    assert [(i.unit, i.name, i.line, i.origin) for i in top.instances] == [
        ("leaf", "u_leaf", 6, "inc/body.svh")
    ]


def test_implicit_nets(tmp_path):
    text = (
        "module top (input a, output y);\n  localparam P = 1;\n  one u_one (.in(a), .out(mid));\n"
        "  two u_two (.in(mid), .out(y), .cfg(P), .bus(u_one));\n  and (w, a, mid);\n"
        "  assign late = a;\nendmodule\n"
    )
    top = unit(record_of(tmp_path, text, "top.v"), "top")
    found = [(s.name, s.line) for s in top.signals if s.implicit]
    assert found == [("mid", 3), ("w", 5), ("late", 6)]
    assert {s.type for s in top.signals if s.implicit} == {"wire"}
    strict = record_of(tmp_path, "`default_nettype none\n" + text, "strict.v")
    assert not [s for s in unit(strict, "top").signals if s.implicit]


def test_constants_of_an_include_are_no_implicit_nets(tmp_path):
    others = {"codes.vh": "localparam READ = 1;\ntypedef enum {Idle, Busy} state_e;\n"}
    record = record_of(
        tmp_path,
        'module top;\n`include "codes.vh"\n  one u_one (.code(READ), .state(Idle));\nendmodule\n',
        others=others,
    )
    assert not unit(record, "top").signals


def test_names_of_packages_are_no_implicit_nets(tmp_path):
    record = record_of(
        tmp_path,
        "module top import cfg_pkg::*; (input a);\n  one u_one (.in(a), .cfg(Cfg));\nendmodule\n",
    )
    assert not unit(record, "top").signals


def test_hierarchical_actuals_keep_their_path(tmp_path):
    record = record_of(
        tmp_path,
        "module top (input a);\n  leaf u_leaf (.x(g[i].u_a.q), .y({u_b.done, a}), .z(pkg::C));\n"
        "  bus_if bus ();\n  leaf u_two (.x(bus.req), .y(bus.device));\nendmodule\n",
    )
    first, _, second = unit(record, "top").instances
    assert [c.paths for c in first.connections] == [("g[i].u_a.q",), ("u_b.done",), ()]
    assert [c.paths for c in second.connections] == [("bus.req",), ("bus.device",)]


def test_defparams_override(tmp_path):
    record = record_of(
        tmp_path,
        "module top;\n  defparam u_leaf.W = 8;\n  leaf u_leaf ();\n"
        "  defparam u_leaf.u_in.D = 3, g[0].u_x.E = W + 1;\nendmodule\n",
    )
    top = unit(record, "top")
    assert [(d.path, d.value, d.line) for d in top.defparams] == [
        ("u_leaf.W", "8", 2),
        ("u_leaf.u_in.D", "3", 4),
        ("g[0].u_x.E", "W + 1", 4),
    ]
    assert top.instances[0].parameters == (("W", "8"),)


def test_gates_and_primitives(tmp_path):
    record = record_of(
        tmp_path,
        "primitive mux2 (q, s, a, b);\n  output q;\n  input s, a, b;\n  table\n"
        "    0 1 ? : 1;\n  endtable\nendprimitive\n"
        "primitive latch (output reg q, input d, e);\n  table\n    0 1 : ? : 0;\n  endtable\n"
        "endprimitive\n"
        "module top (input a, b, output y, z);\n  and #1 g1 (y, a, b), (z, a, b);\n"
        "  buf bufs [3:0] (q, a);\n  mux2 u_mux (y, a, b, b);\n  latch #2 u_latch (z, a, b);\n"
        "endmodule\n",
        "gates.v",
    )
    top = unit(record, "top")
    assert [(g.kind, g.name, g.terminals, g.dimensions) for g in top.gates] == [
        ("and", "g1", ("y", "a", "b"), ""),
        ("and", "", ("z", "a", "b"), ""),
        ("buf", "bufs", ("q", "a"), "[3:0]"),
    ]
    assert [(i.unit, i.name) for i in top.instances] == [("mux2", "u_mux"), ("latch", "u_latch")]
    assert [(p.name, p.direction) for p in unit(record, "mux2").ports] == [
        ("q", "output"),
        ("s", "input"),
        ("a", "input"),
        ("b", "input"),
    ]
    assert [(p.name, p.direction, p.type) for p in unit(record, "latch").ports] == [
        ("q", "output", "reg"),
        ("d", "input", ""),
        ("e", "input", ""),
    ]


def test_arrays_of_instances(tmp_path):
    record = record_of(
        tmp_path, "module top;\n  leaf u_a [3:0] ();\n  leaf u_b [N] ();\nendmodule\n"
    )
    assert [i.dimensions for i in unit(record, "top").instances] == ["[3:0]", "[N]"]


def test_extends_with_parameters_and_implements(tmp_path):
    record = record_of(
        tmp_path,
        "class item extends pkg::base #(int, .W(8)) implements a_if, b_if #(3);\nendclass\n",
    )
    (item,) = record.units
    assert item.extends == "pkg::base"
    assert item.base_parameters == (("#0", "int"), ("W", "8"))
    assert item.implements == ("a_if", "b_if")


def test_signatures_of_routines(tmp_path):
    record = record_of(
        tmp_path,
        "package p;\n  function automatic logic [3:0] f(input logic [1:0] x, y, "
        "ref int z[3] = 3);\n    return 0;\n  endfunction\n"
        "  task t;\n    input [3:0] a;\n    output b, c;\n  endtask\n"
        "  function void none();\n  endfunction\nendpackage\n",
    )
    f, t, none = record.units[0].routines
    assert f.returns == "logic [3:0]"
    assert f.arguments == (
        Argument("x", "input", "logic [1:0]"),
        Argument("y", "input", "logic [1:0]"),
        Argument("z", "ref", "int [3]", "3"),
    )
    assert t.returns == ""
    assert t.arguments == (
        Argument("a", "input", "[3:0]"),
        Argument("b", "output", ""),
        Argument("c", "output", ""),
    )
    assert (none.returns, none.arguments) == ("void", ())


def test_routines_that_c_shares(tmp_path):
    record = record_of(
        tmp_path,
        'package p;\n  import "DPI-C" context c_add = '
        "function int add(input int a, output byte b);\n"
        '  import "DPI-C" task wait_c();\n  export "DPI-C" c_tell = function tell;\n'
        '  export "DPI-C" task run;\n  function int tell(); return 1; endfunction\n'
        "  task run(); endtask\n  function int own(); return 1; endfunction\nendpackage\n",
    )
    assert [(r.name, r.dpi, r.foreign) for r in record.units[0].routines] == [
        ("add", "import", "c_add"),
        ("wait_c", "import", "wait_c"),
        ("tell", "export", "c_tell"),
        ("run", "export", "run"),
        ("own", "", ""),
    ]
    assert [a.name for a in record.units[0].routines[0].arguments] == ["a", "b"]


def test_fields_and_widths_of_types(tmp_path):
    record = record_of(
        tmp_path,
        "package p;\n  localparam int W = 4;\n"
        "  typedef enum logic [1:0] {Idle = 0, Busy} state_e;\n"
        "  typedef struct packed {\n    logic [W-1:0] a, b; // both\n    int c;\n    state_e d;\n"
        "  } s_t;\n  typedef union packed { s_t s; logic [41:0] raw; } u_t;\n"
        "  typedef struct { other_t x; logic y [3]; } loose_t;\n  typedef logic [7:0] byte_t;\n"
        "endpackage\n",
    )
    state, s, u, loose, byte = record.units[0].types
    assert [(f.name, f.type) for f in state.fields] == [("Idle", "0"), ("Busy", "")]
    assert (state.base, state.width) == ("logic [1:0]", 2)
    assert [(f.name, f.type, f.width) for f in s.fields] == [
        ("a", "logic [W-1:0]", 4),
        ("b", "logic [W-1:0]", 4),
        ("c", "int", 32),
        ("d", "state_e", 2),
    ]
    assert (s.base, s.width, s.fields[0].line) == ("packed", 42, 5)
    assert u.width == 42
    assert [(f.type, f.width) for f in loose.fields] == [("other_t", 0), ("logic [3]", 3)]
    assert loose.width == 0
    assert byte.width == 8


def test_interfaces_list_their_signals_and_modports(tmp_path):
    record = record_of(
        tmp_path,
        "interface bus_if (input clk);\n  logic req;\n  logic [7:0] data;\n"
        "  modport host (output req, data, input clk, import task put());\n"
        "  modport device (input req, .d(data[3:0]));\nendinterface\n",
    )
    (bus,) = record.units
    assert [s.name for s in bus.signals] == ["req", "data"]
    assert bus.modports[0].ports == (
        ("output", "req"),
        ("output", "data"),
        ("input", "clk"),
        ("import", "put"),
    )
    assert bus.modports[1].ports == (("input", "req"), ("input", "d"))


def test_signals_say_their_generate_block(tmp_path):
    record = record_of(
        tmp_path,
        "module top;\n  logic a;\n  for (genvar i = 0; i < 2; i++) begin : g_lane\n    logic b;\n"
        "    if (W) begin : g_wide\n      logic c;\n    end\n  end\nendmodule\n",
    )
    assert [(s.name, s.scope) for s in unit(record, "top").signals] == [
        ("a", ""),
        ("b", "g_lane"),
        ("c", "g_lane.g_wide"),
    ]


def test_constants_made_of_each_other_end(tmp_path):
    chain = "".join(f"  localparam C{n} = C{n + 1} + C{n + 1};\n" for n in range(40))
    record = record_of(
        tmp_path,
        f"package p;\n{chain}  localparam C40 = 1;\n  localparam L = M;\n  localparam M = L;\n"
        "  typedef logic [C30-1:0] wide_t;\n  typedef logic [L:0] loop_t;\nendpackage\n",
    )
    assert [t.width for t in record.units[0].types] == [1024, 0]


def test_nets_of_a_long_concatenation_end(tmp_path):
    names = ", ".join(f"n{i}" for i in range(6_000))
    started = time.process_time()
    top = unit(record_of(tmp_path, f"module top;\n  assign {{{names}}} = 0;\nendmodule\n"), "top")
    assert sum(s.implicit for s in top.signals) == 4_000  # the most that is kept of a unit
    assert time.process_time() - started < 8


def test_a_range_of_an_enumeration_stands_for_its_members(tmp_path):
    record = record_of(
        tmp_path,
        "package p;\n  typedef enum {E[3], F[2:3] = 7, G[3:1], H[N], I[0], J[99999], K[1],\n"
        "    L} e;\nendpackage\n",
    )
    (kind,) = unit(record, "p").types
    names = "E0 E1 E2 F2 F3 G3 G2 G1 H I J K0 L"
    assert list(kind.members) == names.split()
    assert {field.name: field.type for field in kind.fields if field.type} == {"F2": "7"}
