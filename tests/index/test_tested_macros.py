"""Who tests a macro: each `ifdef is an edge at its own line, from the unit around it."""

from __future__ import annotations

from pathlib import Path

import pytest
from _texts import indexed

from hdlgraph.project import Project

TOP = """\
`ifndef TOP_SV
`define TOP_SV
`include "config.svh"
module top (input logic clk);
`ifdef WITH_CACHE
  cache u_cache (.clk(clk));
  cache u_second (.clk(clk));
`else
  bypass u_bypass (.clk(clk));
`endif
`ifndef SYNTHESIS
  probe u_probe (.clk(clk));
`elsif FPGA
  bypass u_fpga (.clk(clk));
`elsif ASIC
`elsif (SIM && !FAST)
  bypass u_sim (.clk(clk));
`elsif (LINT)
  bypass u_lint (.clk(clk));
`else
  bypass u_other (.clk(clk));
`endif
  bypass u_always (.clk(clk));
endmodule
`ifdef WITH_PROBE
`ifdef DEEP
`endif
module probe (input logic clk);
endmodule
`endif
`endif
"""
PARTS = "module cache (input logic clk); endmodule\nmodule bypass (input logic clk); endmodule\n"
CONFIG = "`ifndef CONFIG_SVH\n`define CONFIG_SVH\n`define WITH_PROBE 1\n`endif\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("guards")
    return indexed(root, {"top.sv": TOP, "parts.sv": PARTS, "config.svh": CONFIG})


def uses(project: Project, name: str) -> list[tuple[str, str, str, str]]:
    users = project.who(name)["users"]
    return [(u["words"], u["user"], u["location"], u["text"]) for u in users]


def test_a_macro_that_no_file_defines_is_known_by_its_tests(project: Project) -> None:
    assert uses(project, "WITH_CACHE") == [
        (
            "has code guarded by",
            "module:top.sv#top",
            "top.sv:5",
            "lines 6 to 7 if WITH_CACHE, else line 9",
        )
    ]


def test_every_branch_of_a_chain_stands_at_its_own_line(project: Project) -> None:
    assert [
        uses(project, name)[0][2:] for name in ("SYNTHESIS", "FPGA", "ASIC", "FAST", "LINT")
    ] == [
        ("top.sv:11", "line 12 if !SYNTHESIS, else lines 14 to 21"),
        ("top.sv:13", "line 14 if SYNTHESIS && FPGA, else lines 16 to 21"),
        ("top.sv:15", "nothing if SYNTHESIS && !FPGA && ASIC, else lines 17 to 21"),
        (
            "top.sv:16",
            "line 17 if SYNTHESIS && !FPGA && !ASIC && (SIM && !FAST), else lines 19 to 21",
        ),
        (
            "top.sv:18",
            "line 19 if SYNTHESIS && !FPGA && !ASIC && !(SIM && !FAST) && (LINT), else line 21",
        ),
    ]


def test_a_macro_of_a_header_is_tested_by_the_file_where_no_unit_is_around(
    project: Project,
) -> None:
    found = project.who("WITH_PROBE")
    assert [one["location"] for one in found["targets"]] == ["config.svh:3"]
    assert uses(project, "WITH_PROBE") == [
        ("has code guarded by", "file:top.sv", "top.sv:25", "lines 26 to 29 if WITH_PROBE")
    ]


@pytest.mark.parametrize("name", ["TOP_SV", "CONFIG_SVH"])
def test_include_guards_are_no_tests(project: Project, name: str) -> None:
    assert uses(project, name) == []


def test_what_is_tested_stands_at_the_line_that_is_told(project: Project) -> None:
    lines = TOP.splitlines()
    for name in ("WITH_CACHE", "SYNTHESIS", "FPGA", "ASIC", "SIM", "LINT", "WITH_PROBE"):
        for _, _, location, _ in uses(project, name):
            assert name in lines[int(location.rpartition(":")[2]) - 1]


def test_a_macro_given_on_the_command_line_is_not_told_as_missing(project: Project) -> None:
    assert project.index(embeddings=False, graphrag="never", jobs=1).unresolved == 0


def test_a_change_of_a_macro_affects_the_units_that_test_it(project: Project) -> None:
    found = project.impact("WITH_CACHE")
    assert [user["name"] for user in found["levels"][0]["users"]] == ["top"]


def test_a_macro_that_a_later_file_defines_is_found_there(tmp_path: Path) -> None:
    project = indexed(tmp_path, {"top.sv": TOP, "parts.sv": PARTS})
    assert project.who("WITH_PROBE")["targets"][0]["path"] == ""
    (tmp_path / "config.svh").write_text(CONFIG)
    project.index(embeddings=False, graphrag="never", jobs=1)
    assert [one["path"] for one in project.who("WITH_PROBE")["targets"]] == ["config.svh"]


def test_a_unit_tells_the_macros_that_it_tests(project: Project) -> None:
    (top,) = project.show("top")["definitions"]
    assert [(one["name"], one["stated_at"]) for one in top["guards"]] == [
        ("WITH_CACHE", "top.sv:5"),
        ("SYNTHESIS", "top.sv:11"),
        ("FPGA", "top.sv:13"),
        ("ASIC", "top.sv:15"),
        ("FAST", "top.sv:16"),
        ("SIM", "top.sv:16"),
        ("LINT", "top.sv:18"),
    ]


def test_a_branch_inside_of_another_one_says_so(project: Project) -> None:
    assert uses(project, "DEEP")[0][2:] == ("top.sv:26", "nothing if DEEP, inside WITH_PROBE")


def test_branches_within_one_line_end(tmp_path: Path) -> None:
    text = (
        "module one (input a, output y);\n"
        "`ifdef FIRST `ifdef INNER assign y = a; `else assign y = 1'b0; `endif `endif\n"
        "`ifdef ALONE assign y = ~a; `endif\n"
        "endmodule\n"
    )
    project = indexed(tmp_path, {"one.v": text})
    assert uses(project, "ALONE")[0][2:] == ("one.v:3", "part of line 3 if ALONE")
    assert [one[2] for one in uses(project, "INNER")] == ["one.v:2"]
