"""Registers in branches of `ifdefs: the default build's are counted, others told with it."""

from __future__ import annotations

import pytest
from _texts import indexed

from hdlgraph.project import Project

TOP = """module leaf(input logic ck, rst, d, output logic q);
always_ff @(posedge ck) if (rst) q <= 1'b0; else q <= d;
endmodule
module top(input logic ca, cb, rst, d, output logic x, w, y);
logic a;
always_ff @(posedge ca) a <= d;
`ifdef FAST
logic extra;
always_ff @(posedge cb) begin w <= d; extra <= a; end
`else
logic slow;
always_ff @(posedge cb) begin w <= rst; slow <= rst; end
`endif
`ifndef SYNTHESIS
leaf u_in (.ck(cb), .rst, .d, .q(x));
`ifdef SIM
leaf u_out (.ck(cb), .rst, .d, .q(y));
`endif
`endif
endmodule
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("ifdefs")
    return indexed(folder, {"top.sv": TOP})


def test_clocks_count_those_of_the_default_build(project: Project) -> None:
    told = {one["name"]: one for one in project.clock_tree("top")["clocks"]}
    assert told["top.cb"]["registers"] == 3  # w slow u_in.q
    assert told["top.cb"]["others"] == [
        {"condition": "!SYNTHESIS && SIM", "registers": 1},
        {"condition": "FAST", "registers": 1},
    ]
    assert (told["top.ca"]["registers"], told["top.ca"]["others"]) == (1, [])


def test_resets_count_those_of_the_default_build(project: Project) -> None:
    found = project.clock_tree("top", resets=True)
    (reset,) = found["resets"]
    assert (reset["registers"], found["without_reset"]) == (1, 3)
    assert reset["others"] == [{"condition": "!SYNTHESIS && SIM", "registers": 1}]


def test_a_crossing_of_another_build_is_told_with_its_condition(project: Project) -> None:
    found = project.crossings("top")
    assert (found["registers"], sum(one["registers"] for one in found["others"])) == (4, 2)
    (one,) = found["crossings"]
    assert (one["target"], one["condition"]) == ("top.extra", "FAST")


def test_a_file_that_asks_for_a_macro_has_the_registers_of_the_branch_that_is_read(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("asks")
    (folder / "top.v").write_text(
        "module top(input ca, d, output reg q);\n`ifdef A\nalways @(posedge ca) q <= d;\n"
        "`else\ndefine one of these\n`endif\nendmodule\n"
    )
    project = Project(folder)
    project.index(graphrag="never", embeddings=False, jobs=1)
    (clock,) = project.clock_tree("top")["clocks"]
    assert (clock["registers"], clock["others"]) == (1, [])


APART = """module apart(input ca, cb, d, output reg x, y, z, w);
reg s, t;
wire u;
`ifdef FAST
always @(posedge ca) s <= d;
always @(posedge ca) t <= d;
assign u = t;
always @(posedge cb) z <= s;
`else
always @(posedge cb) x <= s;
always @(posedge cb) z <= d;
assign u = d;
always @(posedge cb) w <= u;
`endif
`ifdef SIM
always @(posedge cb) y <= t;
`endif
endmodule
"""


def test_registers_of_opposite_branches_are_not_crossed(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("apart")
    project = indexed(folder, {"apart.v": APART})
    found = project.crossings("apart")["crossings"]
    assert sorted((one["source"], one["target"]) for one in found) == [
        ("apart.s", "apart.z"), ("apart.t", "apart.y"),
    ]  # fmt: skip
