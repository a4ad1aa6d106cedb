"""`doctor --parsers`, the report of an index, and the witnesses that structural commands show."""

import json
import shutil

import pytest

from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run

LOST = """\
module mux_out(input clk, input [7:0] di, output [7:0] do);
  wire [7:0] mid;
  stage #(.W(8)) first (.clk(clk), .d(di), .q(mid));
  stage #(.W(8)) final (.clk(clk), .d(mid), .q(do));
endmodule
module stage #(parameter W = 8) (input clk, input [W-1:0] d, output reg [W-1:0] q);
  always @(posedge clk) q <= d;
endmodule
"""


@pytest.fixture(scope="module")
def indexed(tmp_path_factory):
    root = tmp_path_factory.mktemp("witnesses")
    (root / "mux_out.v").write_text(LOST)
    report = Project(root).index(embeddings=False, graphrag="never", jobs=1)
    return root, report


def test_the_report_counts(indexed, capsys):
    root, report = indexed
    assert report.readers == {"slang": 1, "tree-sitter": 1, "pyverilog": 1, "regex": 1}
    assert report.agreement["agreed"] > 10
    assert report.disagreements == report.agreement["disputed"] > 0
    assert run(["index", str(root), "--no-embeddings", "--graphrag", "never"]) == 0
    assert "read by slang 1, tree-sitter 1, pyverilog 1, regex 1;" in capsys.readouterr().out


def test_doctor_compares_the_readers(indexed, capsys):
    root, report = indexed
    assert run(["doctor", str(root), "--parsers", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found == Project(root).agreement()
    assert found["total"] == report.disagreements
    assert run(["doctor", str(root), "--parsers", "--limit", "1"]) == 0
    printed = capsys.readouterr()
    assert "pyverilog read 1: 1 of 1 Verilog files with a module" in printed.out
    assert printed.out.count("mux_out.v:") == 1
    assert f"{report.disagreements - 1} more disputed facts" in printed.err


def test_doctor_without_an_index_says_what_to_do(tmp_path, capsys):
    assert run(["doctor", str(tmp_path), "--parsers"]) == 2
    assert "create it with `hdlgraph index REPO`" in capsys.readouterr().err


def test_a_damaged_facts_file_is_one_clear_error(indexed, tmp_path, capsys):
    root = tmp_path / "copy"
    shutil.copytree(indexed[0], root)
    next(root.glob(".hdlgraph/gen-*/facts.msgpack")).write_bytes(b"\x93\x01")
    assert run(["doctor", str(root), "--parsers"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "facts.msgpack" in err


def test_structural_commands_name_the_witnesses(indexed, capsys):
    root, _ = indexed
    at = ["--index", str(root / ".hdlgraph"), "--json"]
    assert run(["tree", "mux_out", *at]) == 0
    children = json.loads(capsys.readouterr().out)["tops"][0]["children"]
    final = next(child for child in children if child["name"] == "final")
    assert (final["witnesses"], final["trust"]) == (["pyverilog"], "disputed")
    assert run(["who", "stage", *at]) == 0
    users = json.loads(capsys.readouterr().out)["users"]
    assert {user["trust"] for user in users} == {"agreed", "disputed"}
    assert run(["show", "mux_out.final", *at]) == 0
    shown = json.loads(capsys.readouterr().out)["definitions"][0]
    assert shown["units"][0]["witnesses"] == ["pyverilog"]
    assert {one["trust"] for one in shown["overrides"]} == {"disputed"}


@pytest.mark.parametrize("format", ["json", "graphml", "gexf", "cypher"])
def test_exports_name_the_witnesses(indexed, tmp_path, format):
    target = tmp_path / f"graph.{format}"
    Project(indexed[0]).export_graph(format, target)
    text = target.read_text()
    assert "slang+tree-sitter+pyverilog+regex" in text
    assert "disputed" in text
