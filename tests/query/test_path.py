"""Shortest walks between two names."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path

import pytest
from _graphs import design_graph, module, record
from _random_graphs import graphs
from _texts import indexed
from hypothesis import given, settings

from hdlgraph.errors import UsageError
from hdlgraph.graph.graph import Graph
from hdlgraph.index.link.link import link
from hdlgraph.model.kinds import relation
from hdlgraph.project import Project
from hdlgraph.query.design.between.chain import BELOW, chains, over_both
from hdlgraph.query.design.path import path


def said(walk: dict) -> list[str]:
    """Returns a walk as people read it."""
    return [walk["start"]["name"], *(f"{s['words']} {s['to']['name']}" for s in walk["steps"])]


def test_a_walk_says_each_step_with_its_place():
    found = path(design_graph(), "link_tb", "link_pkg")
    (walk,) = found["walks"]
    assert said(walk) == ["link_tb", "instantiates link_top", "imports link_pkg"]
    first, second = walk["steps"]
    assert (first["kind"], first["forward"], first["location"]) == (
        *("INSTANTIATES", True),
        "dv/link_tb.sv:3",
    )
    assert second["path"] == "rtl/link_top.sv"
    assert second["to"]["kind"] == "package"
    assert walk["cost"] == 5 + 2
    assert found["total"] == 1
    (back,) = path(design_graph(), "link_pkg", "link_tb")["walks"]
    assert said(back) == ["link_pkg", "imported by link_top", "instantiated by link_tb"]
    assert [step["forward"] for step in back["steps"]] == [False, False]


def test_the_hierarchy_comes_before_what_everything_uses():
    # Both use `fifo`, as eight others do; their common parent says how they are connected.
    others = [module(f"o{n}", "fifo", line=10 * n + 1) for n in range(8)]
    files = [
        record("top.sv", module("top", "left", "right")),
        record("left.sv", module("left", "fifo")),
        record("right.sv", module("right", "fifo")),
        record("fifo.sv", module("fifo")),
        record("others.sv", *others),
    ]
    found = path(link(files), "left", "right")
    assert [said(walk) for walk in found["walks"]] == [
        ["left", "instantiated by top", "instantiates right"]
    ]


def test_equally_short_walks_are_all_counted_and_the_surest_listed():
    files = [record("a.sv", module("a")), record("b.sv", module("b"))]
    files += [record(f"t{n}.sv", module(f"t{n}", "a", "b")) for n in range(5)]
    found = path(link(files), "a", "b", limit=2)
    assert found["total"] == 5
    assert [said(walk)[1] for walk in found["walks"]] == [
        "instantiated by t0",
        "instantiated by t1",
    ]
    assert found == path(link(files), "a", "b", limit=2)


def test_several_instances_are_one_step():
    files = [record("t.sv", module("t", "a", "a", "a")), record("a.sv", module("a"))]
    (walk,) = path(link(files), "t", "a")["walks"]
    (step,) = walk["steps"]
    assert step["more"] == 2
    assert step["text"].startswith("u_a")


def test_of_an_ambiguous_name_the_nearest_definition_counts():
    found = path(design_graph(), "link_cell", "link_top")
    assert [one["path"] for one in found["sources"]] == [
        "lib/generic/link_cell.sv",
        "lib/vendor/link_cell.sv",
    ]
    assert found["walks"]
    assert all(walk["start"]["name"] == "link_cell" for walk in found["walks"])


def test_no_walk_is_said_plainly():
    files = [record("a.sv", module("a")), record("b.sv", module("b"))]
    found = path(link(files), "a", "b")
    assert (found["walks"], found["total"]) == ([], 0)


def test_unknown_and_equal_names_are_wrong_use():
    with pytest.raises(UsageError, match="did you mean link_top"):
        path(design_graph(), "link_topp", "link_pkg")
    with pytest.raises(UsageError, match=r"both mean module link_top rtl/link_top\.sv:3; name two"):
        path(design_graph(), "link_top", "LINK_TOP")


def brute_force(graph: Graph, start: int, end: int) -> tuple[int, int] | None:
    """Returns cost and number of the cheapest walks, by relaxing every edge again and again."""
    ends = list(zip(*(graph.edges.column(c) for c in ("kind", "source", "target")), strict=True))

    def users(kind: str, target: int, which: int = 2) -> int:
        other = 3 - which
        return len({edge[other] for edge in ends if edge[0] == kind and edge[which] == target})

    costs: dict[tuple[int, int], int] = {}
    for kind, source, target in ends:
        if not relation(kind).cost or source == target:
            continue
        many = users(kind, target)
        if kind == "CONNECTS":
            many = max(many, users(kind, source, which=1))
        cost = relation(kind).cost + many.bit_length() - 1
        for pair in ((source, target), (target, source)):
            costs[pair] = min(cost, costs.get(pair, cost))
    reached = {start: 0}
    for _ in range(len(graph.nodes)):
        for (one, other), cost in costs.items():
            if one in reached:
                reached[other] = min(reached[one] + cost, reached.get(other, 10**9))
    if end not in reached:
        return None

    @cache
    def ways(row: int) -> int:
        before = (
            one
            for (one, other), cost in costs.items()
            if other == row and one in reached and reached[one] + cost == reached[row]
        )
        return 1 if row == start else sum(ways(one) for one in before)

    return reached[end], ways(end)


@given(graphs())
@settings(max_examples=60, deadline=None)
def test_walks_are_the_cheapest_of_a_brute_force_search(graph: Graph):
    ids = graph.nodes.column("id")
    kinds = graph.edges.column("kind")
    stated = set(zip(kinds, *(map(ids.__getitem__, graph.edges.column(e)) for e in ENDS)))
    for start, end in product(range(min(len(ids), 4)), (len(ids) - 1, len(ids) // 2)):
        if start == end:
            continue
        found = path(graph, ids[start], ids[end], limit=1000)
        if any(way(graph, [start], [end])[0] for way in (chains, over_both)):  # instances first
            assert {step["kind"] for walk in found["walks"] for step in walk["steps"]} <= BELOW
            continue
        expected = brute_force(graph, start, end)
        if expected is None:
            assert found["walks"] == []
            continue
        cost, total = expected
        assert {walk["cost"] for walk in found["walks"]} == {cost}
        assert found["total"] == total == len(found["walks"])
        assert len({tuple(said(walk)) for walk in found["walks"]}) == total
        for walk in found["walks"]:
            here = walk["start"]["id"]
            for step in walk["steps"]:
                there = step["to"]["id"]
                pair = (here, there) if step["forward"] else (there, here)
                assert (step["kind"], *pair) in stated
                here = there
            assert here == ids[end]


ENDS = ("source", "target")


def test_names_of_members_and_of_macros_that_no_file_defines_have_paths(tmp_path: Path) -> None:
    (tmp_path / "p.sv").write_text("package p; typedef enum {LOW, HIGH} level_e; endpackage\n")
    (tmp_path / "top.sv").write_text(
        "module top import p::*; (input level_e l, output logic h);\n`ifdef FAST\n`endif\n"
        "  assign h = l == HIGH;\nendmodule\n"
    )
    project = Project(tmp_path)
    project.index(embeddings=False, graphrag="never", jobs=1)
    for name, kind in (("HIGH", "USES"), ("FAST", "GUARDED_BY")):
        (walk, *_) = project.path(name, "top")["walks"]
        assert [step["kind"] for step in walk["steps"]] == [kind]
    (level, *_) = project.impact("HIGH")["levels"]
    assert "top" in [user["name"] for user in level["users"]]


def test_a_chain_of_instances_comes_before_a_package_that_both_import(tmp_path: Path) -> None:
    texts = {"p.sv": "package p; typedef logic [3:0] word_t; endpackage\n"}
    below = ""
    for name in ("leaf", "a", "b", "c", "d", "top"):
        inside = f"  {below} u_{below} ();\n" if below else ""
        texts[f"{name}.sv"] = f"module {name} import p::*;\n  word_t w;\n{inside}endmodule\n"
        below = name
    project = indexed(tmp_path, texts)
    (walk,) = project.path("leaf", "top")["walks"]
    assert [step["to"]["name"] for step in walk["steps"]] == ["a", "b", "c", "d", "top"]
    assert {step["words"] for step in walk["steps"]} == {"instantiated by"}
    (walk,) = project.path("top", "leaf")["walks"]
    assert [step["words"] for step in walk["steps"]] == ["instantiates"] * 5


BESIDE = {
    "parts.sv": """\
module source (input logic clk_i, output logic [1:0] irq_o, output logic busy_o);
  logic [1:0] irq_q;
  always_ff @(posedge clk_i) irq_q <= irq_q + 1;
  assign irq_o = irq_q;
endmodule
module gather (input logic clk_i, input logic [3:0] src_i, input logic other_i,
               output logic irq_o, output logic other_o);
  assign irq_o = |src_i;
  assign other_o = other_i;
endmodule
module core (input logic clk_i, input logic irq_i, input logic other_i, output logic ack_o);
endmodule
""",
    "chip.sv": """\
module chip (input logic clk_i);
  logic [1:0] irq_source;
  logic [3:0] vector;
  logic irq, other_in, other, busy;
  assign vector = {2'b0, irq_source};
  source u_source (.clk_i, .irq_o(irq_source), .busy_o(busy));
  gather u_gather (.clk_i, .src_i(vector), .other_i(other_in), .irq_o(irq), .other_o(other));
  core u_core (.clk_i, .irq_i(irq), .other_i(other), .ack_o());
endmodule
""",
}


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("beside")
    return indexed(root, BESIDE)


def sentences(walk: dict) -> list[str]:
    return [
        f"{step['words']} {step['to']['name']} {step['location']} {step['text']}"
        for step in walk["steps"]
    ]


def test_units_beside_each_other_are_joined_by_nets(beside: Project) -> None:
    found = beside.path("source", "core")
    by_nets, by_parent = found["walks"]
    assert by_nets["start"]["name"] == "chip.u_source"
    assert sentences(by_nets) == [
        "drives chip.irq_source chip.sv:6 u_source.irq_o(irq_source)",
        "is assigned to chip.vector chip.sv:5 assign",
        "is read by chip.u_gather chip.sv:7 u_gather.src_i(vector)",
        "drives chip.irq chip.sv:7 u_gather.irq_o(irq)",
        "is read by chip.u_core chip.sv:8 u_core.irq_i(irq)",
    ]
    assert "CONNECTS" not in {step["kind"] for step in by_parent["steps"]}
    assert (found["total"], by_nets["cost"]) == (2, 5)


def test_against_the_flow_the_way_is_told_backwards(beside: Project) -> None:
    (by_nets, _) = beside.path("core", "source")["walks"]
    assert [(step["words"], step["to"]["name"]) for step in by_nets["steps"]] == [
        ("reads", "chip.irq"),
        ("is driven by", "chip.u_gather"),
        ("reads", "chip.vector"),
        ("is assigned from", "chip.irq_source"),
        ("is driven by", "chip.u_source"),
    ]
    assert not any(step["forward"] for step in by_nets["steps"])
