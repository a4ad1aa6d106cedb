"""The measure of fidelity: what elaboration finds beside what the graph says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.eval.structural.close import close, top_of
from hdlgraph.eval.structural.compare import Compared, Score, compare, facts_of
from hdlgraph.eval.structural.fidelity import elaborated, main, measure
from hdlgraph.graph.graph import Graph
from hdlgraph.project import Project

SOURCES = {
    "rtl/top.sv": """
module top import defs::*; (input logic clk_i, output word_t q_o);
  word_t d;
  port_if bus (.clk_i);
  stage #(.W(8)) u_stage [1:0] (.clk_i, .d_i(d), .q_o(d), .bus(bus));
  if (0) begin : g_never
    stage u_never (.clk_i, .d_i(d), .q_o(), .bus(bus));
  end
  assign q_o = d;
endmodule
""",
    "rtl/stage.sv": """
module stage #(parameter int W = 1, parameter int D = 2) (
  input logic clk_i, input logic [W-1:0] d_i, output logic [W-1:0] q_o,
  port_if.target bus, input logic en_i = 1'b1
);
  always_ff @(posedge clk_i) if (en_i) q_o <= d_i;
endmodule
""",
    "rtl/port_if.sv": """
interface port_if (input logic clk_i);
  logic req;
  modport target (input req);
endinterface
""",
    "rtl/defs.sv": "package defs; typedef logic [7:0] word_t; endpackage\n",
    "old/stage.sv": "module stage (input logic clk_i); endmodule\n",
}


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("fidelity")
    for path, text in SOURCES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    return root


@pytest.fixture(scope="module")
def graph(repo: Path) -> Graph:
    return Project(repo).graph()


def compared(graph: Graph, truth: dict[str, Any]) -> Compared:
    return compare(facts_of(graph, [tuple(one) for one in truth["bodies"]]), truth)


def test_files_are_those_that_the_top_needs(graph: Graph) -> None:
    assert close(graph, top_of(graph, "top")).files == (
        "rtl/defs.sv", "rtl/port_if.sv", "rtl/stage.sv", "rtl/top.sv"
    )  # fmt: skip


def test_the_graph_agrees_with_elaboration(repo: Path, graph: Graph) -> None:
    found = measure(graph, repo, ["top"], [])
    assert found["tops"]["top"]["errors"] == 0
    assert found["examples"] == []
    assert found["scores"] == {
        "instances": [2, 2, 2],
        "ports": [5, 5, 5],
        "connections": [5, 5, 5],
        "overrides": [1, 1, 1],
        "definitions": [2, 2, 2],
        "contested": [1, 1, 1],
    }


def test_what_differs_is_counted_and_named(repo: Path, graph: Graph) -> None:
    truth = elaborated(graph, repo, top_of(graph, "top"), "top", [])
    where = ["rtl/top.sv", "top"]
    for one in truth["connections"]:
        if one[3] == "q_o":
            one[4] = "load"
    truth["instances"].append([*where, "u_more", "rtl/stage.sv", "stage"])
    truth["overrides"].clear()
    found = compared(graph, truth)
    assert found.instances == Score(2, 3, 2)
    assert found.connections == Score(4, 5, 5)
    truth["connections"].append([*where, "u_more", "clk_i", "load"])
    assert compared(graph, truth).connections == Score(4, 6, 5)
    assert found.overrides == Score(0, 0, 1)
    assert ("connection", "wrong", (*where, "u_stage", "q_o", "driver")) in found.examples
    for one in truth["instances"]:
        one[3] = "old/stage.sv" if one[4] == "stage" else one[3]
    assert compared(graph, truth).contested == Score(0, 1, 1)


def test_a_table_has_a_row_for_each_repository(
    repo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [f"--{key}=a={value}" for key, value in (("repo", repo), ("top", "top"))]
    out = tmp_path / "found.json"
    assert main([*given, f"--index=a={repo / '.hdlgraph'}", "--lists", f"--json={out}"]) == 0
    head, row = capsys.readouterr().out.splitlines()
    assert head.split()[:3] == ["repository", "files", "errors"]
    assert row.split()[:5] == ["a", "4", "0", "1.0000/1.0000", "2"]
    assert out.is_file()


def test_project_files_say_what_is_elaborated(repo: Path, graph: Graph) -> None:
    (repo / "x.f").write_text("rtl/top.sv\nold/stage.sv\n")
    try:
        truth = elaborated(graph, repo, top_of(graph, "top"), "top", [], lists=True)
    finally:
        (repo / "x.f").unlink()
    units = {one[2]: one[3] for one in truth["instances"]}
    assert units["u_stage"] == "old/stage.sv"
    assert compared(graph, truth).contested == Score(0, 1, 1)


def test_a_top_that_is_no_unit_is_named(graph: Graph) -> None:
    with pytest.raises(UsageError, match="word_t"):
        top_of(graph, "word_t")


def test_another_builder_is_set_beside(repo: Path, graph: Graph, tmp_path: Path) -> None:
    def node(kind: str, name: str, path: str, **attrs: str) -> dict[str, Any]:
        short = name.rpartition(".")[2]
        told = {"kind": kind, "name": short, "qualified_name": name, "file": path}
        return {**told, "id": f"{kind}:{name}", "attrs_json": json.dumps(attrs)}

    def link(kind: str, target: str) -> dict[str, Any]:
        source = "instance:top.u_stage"
        return {"kind": kind, "source": source, "target": target, "confidence": 0.8}

    nodes = [
        node("instance", "top.u_stage", "rtl/top.sv"),
        node("module", "stage", "rtl/stage.sv"),
        node("port", "stage.clk_i", "rtl/stage.sv", direction="input"),
        node("port", "stage.q_o", "rtl/stage.sv", direction="inout"),
    ]
    links = [
        link("instantiates", "module:stage"),
        link("connects", "port:stage.clk_i"),
        link("connects", "port:stage.q_o"),
    ]
    export = tmp_path / "other.json"
    export.write_text(json.dumps({"nodes": nodes, "links": links}))
    found = measure(graph, repo, ["top"], [], other=export)["other"]
    assert found["instances"] == [1, 2, 1]
    assert found["ports"] == [2, 5, 2]
    assert found["connections"] == [1, 5, 2]


BRANCHES = """
module top (input logic clk_i, output logic q_o);
  leaf #(
`ifdef WIDE
    .W(8)
`else
    .D(2)
`endif
  ) u_leaf (
`include "clock.svh"
`ifdef SCAN
    .scan_i(clk_i),
`endif
    .q_o(q_o)
  );
`define LATER
  leaf u_other (
`include "clock.svh"
    .q_o()
  );
endmodule
module leaf #(parameter int W = 1, D = 1) (
  input logic clk_i, input logic scan_i, late_i, output logic q_o
);
endmodule
"""
CLOCK = """`ifdef LATER
.late_i(clk_i),
`endif
.clk_i(clk_i),
"""


@pytest.mark.parametrize(
    ("defines", "connections", "overrides"),
    [([], {"clk_i", "q_o"}, {"D"}), (["SCAN", "WIDE"], {"clk_i", "q_o", "scan_i"}, {"W"})],
)
def test_lines_under_an_ifdef_that_is_off_count_for_nothing(
    tmp_path: Path, defines: list[str], connections: set[str], overrides: set[str]
) -> None:
    (tmp_path / "top.sv").write_text(BRANCHES)
    (tmp_path / "clock.svh").write_text(CLOCK)
    Project(tmp_path).index(embeddings=False, graphrag="never", jobs=1)
    graph = Project(tmp_path).graph()
    told = facts_of(graph, [("top.sv", "top")])
    assert {key[3] for key in told["connections"]} >= {"clk_i", "q_o", "scan_i"}
    assert {key[3] for key in told["overrides"]} == {"W", "D"}
    truth = elaborated(graph, tmp_path, top_of(graph, "top"), "top", defines)
    assert {one[3] for one in truth["connections"] if one[2] == "u_leaf"} == connections
    assert {one[3] for one in truth["overrides"]} == overrides
    assert truth["off"].get("clock.svh", []) == []  # one of two inclusions takes each line
    found = measure(graph, tmp_path, ["top"], defines)
    assert [one for one in found["examples"] if one[1] == "wrong"] == []
    assert found["scores"]["overrides"] == [1, 1, 1]
