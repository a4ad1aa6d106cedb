"""`who` of parameters, functions, tasks and macros lists every line that means them."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from _texts import indexed

from hdlgraph.project import Project
from hdlgraph.query.mentions.lines import matching

FILES = {
    "pkg.sv": """\
package pkg;
  parameter int WIDTH = 8;
  parameter int DEPTH = WIDTH * 2;
  function automatic int twice(int x);
    twice = 2 * x;
  endfunction : twice
endpackage
""",
    "top.sv": """\
module top import pkg::*; #(parameter int N = WIDTH) (input logic [N-1:0] d);
  // WIDTH is said in a comment
  localparam int M = N + 1;
  logic [M-1:0] q;
  if (N > 4) begin : g
    leaf #(.N(N)) u_leaf (.d(q));
  end
  function automatic logic same(logic a);
    same = a;
  endfunction
  assign q = same(d[0]) ? twice(M) : `LIMIT;
  initial $display("WIDTH %0d", `LIMIT);
endmodule
""",
    "leaf.sv": """\
module leaf #(parameter int N = 1) (input logic [8:0] d);
  localparam int WIDTH = 3;
  logic [WIDTH-1:0] w = pkg::WIDTH;
endmodule
""",
    "limits.svh": "`define LIMIT 7\n",
    "agent.sv": """\
package agent_pkg;
  class driver;
    task send(int x);
    endtask
    task run();
      send(1);
    endtask
  endclass
  class agent;
    driver d;
    task go();
      d.send(2);
    endtask
  endclass
endpackage
""",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("mentions")
    return indexed(root, FILES)


def places(project: Project, name: str, words: str = "uses") -> list[str]:
    return [one["location"] for one in project.who(name)["users"] if one["words"] == words]


def test_a_parameter_of_a_package_is_used_where_it_is_imported_or_scoped(project: Project) -> None:
    found = project.who("pkg.WIDTH")
    lines = [(one["location"], one["user_name"]) for one in found["users"]]
    assert lines == [("leaf.sv:3", "leaf"), ("pkg.sv:3", "pkg"), ("top.sv:1", "top")]
    assert found["total"] == 3


def test_a_parameter_of_a_module_is_used_inside_of_it(project: Project) -> None:
    assert places(project, "top.N") == ["top.sv:1", "top.sv:3", "top.sv:5", "top.sv:6"][1:]
    assert places(project, "top.M") == ["top.sv:4", "top.sv:11"]
    assert places(project, "leaf.WIDTH") == ["leaf.sv:3"]


def test_an_override_is_told_beside_the_lines(project: Project) -> None:
    users = project.who("leaf.N")["users"]
    assert [(one["words"], one["location"]) for one in users] == [("parameterizes", "top.sv:6")]


def test_a_function_is_called_and_its_own_lines_are_no_calls(project: Project) -> None:
    assert places(project, "twice", "calls") == ["top.sv:11"]
    assert places(project, "same", "calls") == ["top.sv:11"]


def test_a_method_is_called_inside_its_class_and_by_a_handle(project: Project) -> None:
    users = project.who("send")["users"]
    assert [(one["location"], one["resolved"]) for one in users] == [
        ("agent.sv:6", "unique"),
        ("agent.sv:12", "candidate"),
    ]


def test_every_line_that_expands_a_macro_is_listed(project: Project) -> None:
    assert places(project, "LIMIT") == ["top.sv:11", "top.sv:12"]


def test_the_name_stands_at_each_line(project: Project) -> None:
    for name in ("pkg.WIDTH", "top.N", "top.M", "twice", "same", "send", "LIMIT"):
        for one in project.who(name)["users"]:
            line = FILES[one["path"]].splitlines()[one["line"] - 1]
            assert name.rpartition(".")[2] in line


def test_a_line_without_end_takes_time_in_proportion() -> None:
    def seconds(count: int) -> float:
        """The least of three: other work on the machine only adds."""
        took = []
        for _ in range(3):
            began = time.process_time()
            assert list(matching("// " + "name " * count, re.compile("name"))) == []
            took.append(time.process_time() - began)
        return min(took)

    assert seconds(400_000) < 12 * max(seconds(100_000), 0.01)  # 4; the square is 16


def test_the_limit_counts_lines_as_well(project: Project) -> None:
    found = project.who("pkg.WIDTH", limit=1)
    assert (len(found["users"]), found["total"]) == (1, 3)


def test_what_a_unit_includes_stands_inside_of_it(tmp_path: Path) -> None:
    files = {
        "way_pkg.sv": "package way_pkg;\n  typedef enum {READ, WRITE} rw_e;\n"
        '  `include "item.svh"\nendpackage\n',
        "item.svh": "class item;\n  rand rw_e way;\nendclass\n",
        "box.sv": "module box #(parameter int W = 3)\n (input [W-1:0] a);\n"
        '  `include "body.svh"\nendmodule\n`include "after.svh"\n',
        "body.svh": '`include "deep.svh"\nwire [W-1:0] b = a;\n',
        "deep.svh": "localparam int TWICE = 2 * W;\n",
        "after.svh": "module after #(parameter int V = W) ();\nendmodule\n",
    }
    project = indexed(tmp_path, files)
    assert places(project, "way_pkg.rw_e") == ["item.svh:2"]
    assert places(project, "box.W") == ["body.svh:2", "box.sv:2", "deep.svh:1"]
    (near, *_) = project.impact("way_pkg.rw_e")["levels"]
    assert "item" in [one["name"] for one in near["users"]]


def test_a_path_through_an_instance_reaches_a_signal(tmp_path: Path) -> None:
    (tmp_path / "core.sv").write_text(
        "module core (input logic a, output logic b);\n  logic busy;\n  assign busy = a;\n"
        "  assign b = busy;\nendmodule\n"
    )
    (tmp_path / "tb.sv").write_text(
        "module tb;\n  logic a, b;\n  core u_core [1:0] (.a(a), .b(b));\n"
        "  // u_core[0].busy\n  initial $display(u_core[1].busy, other.busy, u_core.busy_too);\n"
        "endmodule\n"
    )
    project = Project(tmp_path)
    project.index(embeddings=False, graphrag="never", jobs=1)
    users = [(one["location"], one["user_name"]) for one in project.who("core.busy")["users"]]
    assert ("tb.sv:5", "tb") in users
    assert ("tb.sv:4", "tb") not in users


@pytest.mark.parametrize(
    ("question", "path", "line"),
    [
        ("which module uses depth_of?", "user.sv", 3),
        ("where is MAX_DEPTH used?", "user.sv", 4),
        ("who uses own_width?", "inner.sv", 3),
    ],
)
def test_questions_who_uses_find_the_lines(
    tmp_path: Path, question: str, path: str, line: int
) -> None:
    texts = {
        "lib_pkg.sv": "package lib_pkg;\n  parameter int MAX_DEPTH = 8;\n"
        "  function automatic int depth_of(int x); return x; endfunction\nendpackage\n",
        "user.sv": "module user import lib_pkg::*; (input logic a);\n"
        "  logic q;\n  localparam int D = depth_of(3);\n  logic [MAX_DEPTH-1:0] r;\nendmodule\n",
        "other.sv": "module other (input logic a);\n  // depth_of and MAX_DEPTH of another world\n"
        "endmodule\n",
        "inner.sv": "module inner (input logic a);\n  localparam int own_width = 4;\n"
        "  logic [own_width-1:0] r;\nendmodule\n",
    }
    project = indexed(tmp_path, texts)
    first = project.search(question, rerank=False).hits[0]
    assert first.path == path
    assert (path, line) in {(one.path, one.line) for one in first.evidence}


def test_a_parameter_that_shares_its_name_with_a_signal_keeps_its_lines(tmp_path: Path) -> None:
    (tmp_path / "a.sv").write_text(
        "module a (output logic [3:0] q);\n  localparam int depth = 2;\n  assign q = depth;\n"
        "endmodule\nmodule b (input logic c);\n  logic depth;\n  assign depth = c;\nendmodule\n"
    )
    project = Project(tmp_path)
    project.index(embeddings=False, graphrag="never", jobs=1)
    assert places(project, "depth") == ["a.sv:3"]


def test_what_a_macro_declares_is_told_once_at_the_line_of_its_body(tmp_path: Path) -> None:
    texts = {
        "defs.svh": "`define DECLARE_PKT(width) \\\n  typedef struct packed { \\\n"
        "    logic [width-1:0] load; \\\n  } pkt_s; \\\n  typedef logic [width-1:0] word_t;\n"
        "`define BOTH(width) \\\n  `DECLARE_PKT(width) \\\n  localparam int both_p = 2;\n",
        **{
            f"{name}.sv": f'`include "defs.svh"\nmodule {name};\n  `BOTH({at})\n'
            "  logic own;\n  pkt_s pkt;\n  logic [both_p-1:0] b;\nendmodule\n"
            for at, name in enumerate("abc", 2)
        },
    }
    project = indexed(tmp_path, texts)
    found = project.show("pkt_s")
    (one,) = found["definitions"]
    assert (one["macro"]["name"], one["macro"]["location"]) == ("DECLARE_PKT", "defs.svh:4")
    assert (one["n_expansions"], one["expansions"]) == (3, ["a.sv:3", "b.sv:3", "c.sv:3"])
    assert found["total"] == 1
    who = project.who("both_p")
    (target,) = who["targets"]
    assert (target["macro"]["location"], target["n_expansions"]) == ("defs.svh:8", 3)
    assert places(project, "both_p") == ["a.sv:6", "b.sv:6", "c.sv:6"]
    assert places(project, "pkt_s") == ["a.sv:5", "b.sv:5", "c.sv:5"]
    (own, *_) = project.show("a.own")["definitions"]
    assert "macro" not in own
    assert project.show("pkt_s", limit=1)["definitions"][0]["n_expansions"] == 3
