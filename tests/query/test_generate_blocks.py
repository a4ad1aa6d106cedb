"""Labels of generate blocks: `show` and `who` derive them from the sources."""

from __future__ import annotations

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.project import Project

TOP = """module top #(parameter bit Safe = 0, parameter int N = 2) (input logic clk_i);
  // begin : gen_comment
  if (Safe) begin : gen_safe
    localparam int W = 4;
    logic [W-1:0] mirror;
    leaf u_one (.clk_i);
    for (genvar k = 0; k < N; k++) begin : gen_ways
      leaf u_way (.clk_i);
    end
  end else begin : gen_plain
    logic unused;
    assign unused = clk_i;
  end
  always_ff @(posedge clk_i) begin : p_regs
    if (Safe) begin : in_process
    end
  end
  logic after;
endmodule
"""
LEAF = """module leaf (input logic clk_i);
endmodule
module bench;
  logic c;
  top u_top (.clk_i(c));
  initial $display(u_top.gen_safe.mirror, u_top.gen_safe.gen_ways[1].u_way.clk_i);
  if (1) begin : gen_safe
    logic x;
  end
endmodule
"""


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("blocks")
    for name, text in (("top", TOP), ("leaf", LEAF)):
        (folder / f"{name}.sv").write_text(text)
    project = Project(folder)
    project.index(graphrag="never", embeddings=False, jobs=1)
    return project


def last(block: dict, key: str) -> list[str]:
    return [one["name"].rpartition(".")[2] for one in block[key]]


def test_a_block_tells_its_unit_condition_and_parts(design: Project) -> None:
    found = design.show("top.gen_safe")
    (block,) = found["definitions"]
    assert (block["kind"], block["name"]) == ("generate block", "top.gen_safe")
    assert (block["location"], block["end_line"]) == ("top.sv:3", 10)
    assert (block["condition"], block["detail"]) == ("Safe", "if (Safe)")
    assert [one["name"] for one in block["declared_by"]] == ["top"]
    assert last(block, "parameters") == ["W"]
    assert last(block, "signals") == ["mirror"]
    assert last(block, "instances") == ["u_one", "u_way"]
    assert found["total"] == 1


def test_labels_alone_nested_and_of_other_branches(design: Project) -> None:
    names = [one["name"] for one in design.show("gen_safe")["definitions"]]
    assert names == ["bench.gen_safe", "top.gen_safe"]
    for name in ("gen_ways", "top.gen_ways", "gen_safe.gen_ways", "top.gen_safe.gen_ways[0]"):
        (block,) = design.show(name)["definitions"]
        assert (block["name"], block["line"]) == ("top.gen_safe.gen_ways", 7)
        assert block["detail"] == "for (genvar k = 0; k < N; k++)"
    (block,) = design.show("bench.u_top.gen_plain")["definitions"]
    assert (block["line"], block["detail"]) == (10, "else of if (Safe)")
    assert last(block, "signals") == ["unused"]


def test_who_reaches_into_a_block(design: Project) -> None:
    found = design.who("top.gen_safe")
    assert [one["name"] for one in found["targets"]] == ["top.gen_safe"]
    assert [(one["location"], one["user_name"]) for one in found["users"]] == [
        ("leaf.sv:6", "bench")
    ]


def test_processes_comments_and_unknown_labels_are_no_blocks(design: Project) -> None:
    for name in ("p_regs", "in_process", "gen_comment", "leaf.gen_ways", "gen_nothing"):
        with pytest.raises(UsageError):
            design.show(name)
