"""Two readers of one file: union, confidence, disagreement; regressions seen in peers' tools."""

import pytest
from _parsing import design, record_of, unit

from hdlgraph.model import layers_of


def names(record, unit_name):
    return [i.name for i in unit(record, unit_name).instances]


def test_second_module_survives_a_syntax_error(tmp_path):
    record = record_of(
        tmp_path,
        "module one;\n  always begin if (x y = ; end\n  leaf u_one ();\nendmodule\n"
        "module two;\n  leaf u_two ();\nendmodule\n",
    )
    assert names(record, "one") == ["u_one"]
    assert names(record, "two") == ["u_two"]


def test_lost_endmodule_credits_the_right_module(tmp_path):
    record = record_of(
        tmp_path,
        "module one;\n  leaf u_one ();\nmodule two;\n  leaf u_two ();\nendmodule\n",
    )
    assert names(record, "one") == ["u_one"]
    assert names(record, "two") == ["u_two"]


def test_truncated_file_keeps_what_was_there(tmp_path):
    record = record_of(tmp_path, "module one (input a);\n  leaf u_one (.a(a));\n  leaf u_tw")
    assert "u_one" in names(record, "one")
    assert [p.name for p in unit(record, "one").ports] == ["a"]


def test_unit_of_the_other_branch(tmp_path):
    record = record_of(
        tmp_path,
        "`ifdef FPGA\nmodule ram (input a);\n  block u_b (.a(a));\nendmodule\n`else\n"
        "module ram (input a);\n  cells u_c (.a(a));\nendmodule\n`endif\n",
    )
    assert [(u.name, u.line) for u in record.units] == [("ram", 2), ("ram", 6)]
    assert [i.unit for u in record.units for i in u.instances] == ["block", "cells"]
    assert record.units[0].confidence == record.units[1].confidence


def test_class_included_by_a_package_is_stored_once(tmp_path):
    others = {"item.svh": "class item; int x; endclass\n"}
    record = record_of(
        tmp_path, '`include "x.svh"\npackage p;\n`include "item.svh"\nendpackage\n', "p.sv", others
    )
    assert [u.name for u in record.units] == ["p"]


def test_wildcard_and_members_make_no_signals(tmp_path):
    record = record_of(
        tmp_path,
        "module m;\n  leaf i0 ();\n  leaf i1 (.*, .a(i0.s), .b());\nendmodule\n",
    )
    last = unit(record, "m").instances[-1]
    assert [s for c in last.connections for s in c.signals] == []


def test_bind_goes_to_its_target(tmp_path):
    record = record_of(
        tmp_path, "module m; endmodule\nbind m checks u_c (.*);\nmodule n; endmodule\n"
    )
    assert [(b.target, b.unit, b.line) for b in record.binds] == [("m", "checks", 2)]
    assert all(not u.instances for u in record.units)


def test_sva_is_no_parse_error(tmp_path):
    record = record_of(
        tmp_path,
        "module m(input c, a, b);\n  p: assert property (@(posedge c) a |=> ##[0:10] b);\n"
        "  leaf u_l ();\nendmodule\n",
    )
    assert not record.diagnostics
    assert [a.name for a in unit(record, "m").assertions] == ["p"]


def test_default_parameters_hide_nothing(tmp_path):
    record = record_of(
        tmp_path, "module m #(parameter bit P = 0);\n if (P) begin : g pmp u_p (); end\nendmodule\n"
    )
    assert names(record, "m") == ["u_p"]


def test_pyverilog_confirms_verilog_2001():
    record = design("timer.v")
    assert record.language == "verilog"
    assert record.layers == ("slang", "pyverilog", "regex")
    assert record.sightings == ()
    for module in record.units:
        assert module.confidence == 1.0
        for item in module.instances:
            assert layers_of(item.witnesses)[:2] == ("slang", "pyverilog")
            assert item.confidence == 1.0
    timer = unit(record, "timer")
    assert [(p.name, p.direction, p.type) for p in timer.ports] == [
        ("clk", "input", ""),
        ("rst", "input", ""),
        ("load", "input", "[WIDTH-1:0]"),
        ("irq", "output", ""),
    ]
    assert timer.ports[2].comment == "start value"
    assert names(record, "timer") == ["u_zero", "u_edge"]


def test_silent_witness_is_a_note(tmp_path):
    loop = "for (g = 0; g < 2; g = g + 1) begin : x leaf u_l (); end"
    text = f"module m (input a);\n  {loop}\nendmodule\n"
    record = record_of(tmp_path, text, "m.v")
    assert record.sightings == ()
    assert [d.layer for d in record.diagnostics] == ["pyverilog"]
    assert record.units[0].confidence == 0.95


def test_systemverilog_in_a_v_file_is_judged_by_content(tmp_path):
    record = record_of(tmp_path, "module m (input logic a);\nendmodule\n", "m.v")
    assert record.language == "systemverilog"
    assert record.units[0].confidence == 0.95


@pytest.mark.parametrize("level", ["tree-sitter", "text"])
def test_weaker_levels_still_know_the_units(level):
    record = design("fifo_bus.sv", level=level, reason="asked")
    assert [u.name for u in record.units] == ["word_bus", "fifo_pkg", "item", "fifo"]
    assert record.degraded == "asked"
    fifo = unit(record, "fifo")
    assert {"u_stage", "u_trace", "u_silence"} <= {i.name for i in fifo.instances}
    assert {"clk_i", "state_o"} <= {p.name for p in fifo.ports}
