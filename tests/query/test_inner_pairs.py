"""Edges inside units that may answer: under conditions, deeper, on the way out, at clocks."""

from __future__ import annotations

from pathlib import Path

import pytest

from hdlgraph.project import Project
from hdlgraph.query.relations.design import Design, design_of
from hdlgraph.query.relations.joint import inner, pairs
from hdlgraph.query.relations.joint.pairs import Way

FILES = {
    "top.sv": """module top #(parameter bit FAST = 1)
  (input logic clk_a, input logic clk_b, input logic [7:0] req_i, output logic [7:0] mem_cmd_o);
  logic [7:0] beat, cmd;
  logic gated_clk;
  gate u_gate (.clk_i(clk_a), .clk_o(gated_clk));
  source u_source (.clk_i(gated_clk), .req_i, .beat_o(beat));
  stage u_stage (.clk_i(clk_a), .beat_i(beat), .cmd_o(mem_cmd_o));
  meet u_meet (.src_clk_i(clk_a), .dst_clk_i(clk_b));
  if (FAST) begin : gen_fast
    quick u_mul ();
  end else begin : gen_slow
    frugal u_mul ();
  end
endmodule
""",
    "gate.sv": "module gate (input logic clk_i, output logic clk_o);\n  assign clk_o = clk_i;\n"
    "endmodule\n",
    "source.sv": "module source (input logic clk_i, input logic [7:0] req_i,\n"
    "               output logic [7:0] beat_o);\n  maker u_maker (.beat_o(beat_o));\nendmodule\n",
    "maker.sv": "module maker (output logic [7:0] beat_o);\n  assign beat_o = 8'd3;\nendmodule\n",
    "stage.sv": "module stage (input logic clk_i, input logic [7:0] beat_i,\n"
    "              output logic [7:0] cmd_o);\n  keeper u_keeper (.beat_i(beat_i));\n"
    "  assign cmd_o = beat_i;\nendmodule\n",
    "keeper.sv": "module keeper (input logic [7:0] beat_i);\nendmodule\n",
    "meet.sv": "module meet (input logic src_clk_i, input logic dst_clk_i);\nendmodule\n",
    "quick.sv": "module quick;\nendmodule\n",
    "frugal.sv": "module frugal;\nendmodule\n",
}


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Design:
    root: Path = tmp_path_factory.mktemp("inner")
    for name, text in FILES.items():
        (root / name).write_text(text)
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    found = design_of(Project(root).searcher().index)
    assert found is not None
    return found


def unit(design: Design, name: str) -> int:
    (row,) = [row for row in design.units if design.names[row] == name]
    return row


@pytest.mark.parametrize(
    ("question", "agreeing"),
    [
        ("with FAST set, what multiplies in top?", "quick"),
        ("with FAST = 0, what multiplies in top?", "frugal"),
        ("top without FAST: which multiplier is left?", "frugal"),
    ],
)
def test_a_condition_picks_the_part_of_its_branch(
    design: Design, question: str, agreeing: str
) -> None:
    top = unit(design, "top")
    found = list(inner.guarded(design, [top], lambda name: name == "FAST", question))
    assert {design.names[one.rows[1]] for one in found} == {"quick", "frugal"}
    assert [design.names[one.rows[1]] for one in found if one.agrees > 0] == [agreeing]
    assert all(one.way is Way.GUARDED and "FAST" in one.names for one in found)
    assert not list(inner.guarded(design, [top], lambda name: name == "other", question))


@pytest.mark.parametrize(("known", "drive", "leaf"), [("source", False, "keeper"),
                                                      ("stage", True, "maker")])  # fmt: skip
def test_a_net_goes_on_inside_the_units_it_meets(
    design: Design, known: str, drive: bool, leaf: str
) -> None:
    first = list(pairs.passed(design, [unit(design, known)], drive=drive))
    found = list(inner.deeper(design, first, lambda name: "beat" in name, drive))
    assert unit(design, leaf) in {one.rows[1] for one in found if one.way is Way.DEEPER}
    assert list(inner.deeper(design, first, lambda _: False, drive)) == first


def test_what_stands_before_a_port_lies_on_the_way_out(design: Design) -> None:
    source, stage = unit(design, "source"), unit(design, "stage")
    found = list(inner.outwards(design, [source], lambda name: "mem" in name))
    assert {one.rows[1] for one in found} == {stage}
    assert not list(inner.outwards(design, [source], lambda _: False))


def test_two_clocks_meet_in_a_part(design: Design) -> None:
    found = list(inner.crossing(design, [unit(design, "top")]))
    assert [design.names[one.rows[1]] for one in found] == ["meet"]


def test_the_clock_of_a_part_is_made_above_it(design: Design) -> None:
    source, stage, top = (unit(design, name) for name in ("source", "stage", "top"))
    found = list(inner.clocked_in(design, [source, stage]))
    assert {(one.rows[0], one.rows[1]) for one in found} == {(source, top)}


def test_what_lies_between_two_is_on_the_way_from_one_to_the_other(design: Design) -> None:
    names = ("gate", "stage", "source")
    gate, stage, source = (unit(design, name) for name in names)
    found = {one.rows[1]: one.agrees for one in pairs.between(design, [gate, source, stage])}
    assert found.get(source, -1.0) <= 0  # nothing goes from the gate to the stage but a clock
