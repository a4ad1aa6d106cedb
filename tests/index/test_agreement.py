"""What the readers of the source agree on: in the columns of edges, and counted."""

import pytest
from _parsing import record_of

from hdlgraph.graph.graph import Graph
from hdlgraph.index.link.agreement import agreement, trust_of
from hdlgraph.index.link.link import link
from hdlgraph.index.link.trust import Readers, seen_by
from hdlgraph.model import BIT, Layer

SLANG, TREE, PYVERILOG, REGEX = (BIT[layer] for layer in Layer)
STAGE = """\
module stage #(parameter W = 8) (input clk, input [W-1:0] d, output reg [W-1:0] q);
  always @(posedge clk) q <= d;
endmodule
"""
LOST = """\
module mux_out(input clk, input [7:0] di, output [7:0] do);
  wire [7:0] mid;
  stage #(.W(8)) first (.clk(clk), .d(di), .q(mid));
  stage #(.W(8)) final (.clk(clk), .d(mid), .q(do));
endmodule
"""
HIDDEN = """\
module picker(input logic clk, input logic d, output logic q);
  stage #(.W(1)) u_always (.clk(clk), .d(d), .q(q));
`ifdef NEVER
  stage #(.W(1)) u_hidden (.clk(clk), .d(d), .q());
`endif
  import none_pkg::*;
endmodule
"""


@pytest.fixture
def records(tmp_path):
    files = {"lost.v": LOST, "picker.sv": HIDDEN, "stage.v": STAGE}
    return [record_of(tmp_path, text, name, files) for name, text in files.items()]


def columns(graph: Graph, kind: str, ending: str) -> set[tuple[str, str]]:
    return {
        (edge.witnesses, edge.trust)
        for edge in graph.edges
        if edge.kind == kind and edge.source.endswith(ending)
    }


def test_edges_say_who_saw_them(records):
    graph = link(records)
    seen_alone = {("pyverilog", "disputed")}
    assert columns(graph, "INSTANTIATES", ".final") == seen_alone
    assert columns(graph, "PARAMETERIZES", ".final") == seen_alone
    assert columns(graph, "CONNECTS", "#mux_out.do") == seen_alone
    everyone = {("slang+tree-sitter+pyverilog+regex", "agreed")}
    assert columns(graph, "INSTANTIATES", ".first") == everyone
    ports = [edge for edge in graph.edges if edge.target == "port:stage.v#stage.clk"]
    defined = next(edge for edge in ports if edge.kind == "DEFINES")
    assert (defined.witnesses, defined.trust) == ("slang+pyverilog", "agreed")


def test_a_branch_that_is_not_taken_is_no_dispute(records):
    graph = link(records)
    assert columns(graph, "INSTANTIATES", ".u_hidden") == {("slang+tree-sitter+regex", "agreed")}
    assert columns(graph, "PARAMETERIZES", ".u_hidden") == {("slang+tree-sitter", "agreed")}
    of_picker = [one for one in agreement(records)["disagreements"] if one["path"] == "picker.sv"]
    assert of_picker == []


def test_what_no_reader_states_has_no_witness(records):
    graph = link(records)
    kinds = {edge.kind for edge in graph.edges if not edge.witnesses}
    mentioned = {"IMPORTS", "INCLUDES", "USES", "GUARDED_BY"}
    assert kinds <= {*mentioned, "DEFINES", "IMPLEMENTS", "DESCRIBED_BY"}
    assert all(not edge.trust for edge in graph.edges if not edge.witnesses)


@pytest.mark.parametrize(
    ("witnesses", "readers", "told"),
    [
        (SLANG, SLANG, ("slang", "single")),
        (SLANG, SLANG | REGEX, ("slang", "single")),  # regular expressions miss without telling
        (SLANG, SLANG | PYVERILOG, ("slang", "disputed")),
        (REGEX, SLANG | REGEX, ("regex", "disputed")),
        (SLANG | REGEX, SLANG | PYVERILOG | REGEX, ("slang+regex", "agreed")),
        (SLANG | TREE | PYVERILOG, 15, ("slang+tree-sitter+pyverilog", "agreed")),
        (0, SLANG, ("", "")),
    ],
)
def test_trust(witnesses, readers, told):
    assert seen_by(witnesses, readers) == told


def test_lines_of_a_branch_decide_who_could_see():
    readers = Readers(SLANG | TREE | PYVERILOG, ((10, 12),))
    assert readers.at(TREE, 11) == TREE
    assert readers.at(TREE, 13) == SLANG | TREE | PYVERILOG
    assert readers.at(SLANG, 11) == SLANG | TREE | PYVERILOG


def test_tree_sitter_is_no_reader_of_what_a_macro_makes(tmp_path):
    text = HIDDEN.replace(".q(q)", "`REST").replace(
        "module picker", "`define REST .q(q)\nmodule picker"
    )
    record = record_of(tmp_path, text, "picker.sv", {"stage.v": STAGE})
    made = [edge for edge in link([record]).edges if edge.kind == "INSTANTIATES"]
    assert made
    disputed = agreement([record])["disagreements"]
    assert [one for one in disputed if one["name"] == "u_always.q"] == []
    bound = [c for c in record.units[0].instances[0].connections if c.port == "q"]
    assert [one.witnesses for one in bound] == [SLANG]


def test_agreement_counts_and_lists(records):
    found = agreement(records)
    assert found["files"] == 3
    read = {name: one["files"] for name, one in found["readers"].items()}
    assert read == {"slang": 3, "tree-sitter": 2, "pyverilog": 2, "regex": 3}
    assert found["readers"]["pyverilog"]["verilog"] == {"files": 2, "read": 2}
    assert found["readers"]["pyverilog"]["systemverilog"] == {"files": 1, "read": 0}
    pair = next(one for one in found["pairs"] if one["readers"] == ["slang", "pyverilog"])
    assert pair["files"] == 2
    assert pair["facts"]["unit"] == {"both": 2, "first": 0, "second": 0}
    final = next(one for one in found["disagreements"] if one["name"] == "stage final")
    assert final == {
        "kind": "instance",
        "unit": "mux_out",
        "name": "stage final",
        "path": "lost.v",
        "line": 4,
        "location": "lost.v:4",
        "seen_by": ["pyverilog"],
        "not_seen_by": ["slang", "tree-sitter", "regex"],
        "in_graph": True,
    }
    disputed = sum(kind["disputed"] for kind in found["trust"].values())
    assert found["total"] == disputed == len(found["disagreements"])
    assert trust_of(records)["disputed"] == disputed


def test_the_list_is_bounded_and_the_count_is_not(records):
    every = agreement(records)
    assert every["total"] > 2
    few = agreement(records, limit=2)
    assert few["disagreements"] == every["disagreements"][:2]
    assert few["total"] == every["total"]
    assert agreement(records, limit=0)["disagreements"] == []


def test_order_of_records_changes_nothing(records):
    assert agreement(records) == agreement(records[::-1])


def test_witnesses_survive_the_disk(records, tmp_path):
    link(records).save(tmp_path / "one")
    link(records[::-1]).save(tmp_path / "two")
    names = ("nodes", "edges", "unresolved", "file_edges")
    for name in names:
        one, two = ((tmp_path / folder / f"{name}.parquet") for folder in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
    loaded = Graph.load(tmp_path / "one")
    assert list(loaded.edges) == list(link(records).edges)
