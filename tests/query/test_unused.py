"""What a design declares and does not use, and what only looks so."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from _texts import indexed, units

from hdlgraph.errors import UsageError
from hdlgraph.project import Project

DESIGN = Path(__file__).parent.parent / "designs" / "idle"


@pytest.fixture(scope="module")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("unused") / "idle"
    shutil.copytree(DESIGN, folder)
    return units(folder)


def names(found: dict[str, Any], kind: str) -> list[str]:
    return [f"{one['unit']}.{one['name']}" for one in found["findings"] if one["kind"] == kind]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("undriven", ["lane.floating"]),
        ("undriven_output", ["lane.debug_o"]),
        ("unread", ["lane.hold"]),
        ("unused", ["lane.never"]),
        ("unread_input", ["lane.test_i"]),
        ("open_input", ["lane.test_i"]),
        ("open_output", []),
        ("module", ["lane_dead.lane_dead", "lane_stub.lane_stub"]),
        ("package", ["orphan_pkg.orphan_pkg"]),
        ("parameter", ["lane.EXTRA"]),
        ("localparam", ["lane_pkg.Height", "orphan_pkg.Alone", "lane.Least"]),
        ("type", ["lane_pkg.ghost_t"]),
        ("enum_member", ["lane_pkg.High"]),
        ("function", ["lane_pkg.thrice"]),
        ("macro", [".LANE_GONE"]),
    ],
)
def test_each_kind_is_found_and_nothing_else(idle: Project, kind: str, expected: list[str]) -> None:
    found = idle.unused(limit=None)
    assert names(found, kind) == expected
    assert found["counts"].get(kind, 0) == len(expected)


def test_a_finding_says_where_and_why(idle: Project) -> None:
    one = idle.unused("lane", ["unread"])["findings"][0]
    source = (idle.root / one["path"]).read_text().splitlines()
    assert "hold" in source[one["line"] - 1]
    assert one["location"] == f"rtl/lane.sv:{one['line']}"
    driven = next(at for at, line in enumerate(source, 1) if "hold <= 1'b0" in line)
    assert one["why"] == f"driven at line {driven}, and nothing reads it"


def test_what_is_meant_is_told_apart(idle: Project) -> None:
    found = idle.unused(limit=None, deliberate=True)
    reasons = {one["name"]: one["deliberate"] for one in found["findings"]}
    assert reasons["unused_mode"] == "its name"
    assert reasons["waived"] == "lint_off UNUSED"
    assert reasons["later"] == "a comment"
    assert reasons["debug_o"] == "written as open"
    assert reasons["a"] == reasons["b"] == "the unit is empty"
    assert "waits" not in reasons  # an assertion in a branch of an `ifdef reads it
    assert found["total"] == sum(found["deliberate"].values()) == len(found["findings"])


def test_names_that_macros_reach_are_used(idle: Project) -> None:
    every = {
        one["name"]
        for meant in (False, True)
        for one in idle.unused(limit=None, deliberate=meant)["findings"]
    }
    assert not every & {"probe", "full", "copy_src", "copy_src_copy", "filled", "LANE_ZERO", "kept"}


def test_a_unit_a_folder_and_a_limit(idle: Project) -> None:
    whole = idle.unused(limit=None)
    assert idle.unused("rtl", limit=None)["findings"] == whole["findings"]
    assert {one["unit"] for one in idle.unused("lane", limit=None)["findings"]} == {"lane"}
    some = idle.unused(limit=3)
    assert some["findings"] == whole["findings"][:3]
    assert some["total"] == whole["total"] > 3
    assert whole["folders"] == [{"folder": "rtl", "count": whole["total"]}]


@pytest.mark.parametrize(
    ("name", "kinds", "message"),
    [
        ("lan", [], "did you mean lane"),
        ("", ["undrivn"], "take one of undriven, undriven_output"),
    ],
)
def test_unknown_names_and_kinds(idle: Project, name: str, kinds: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        idle.unused(name, kinds)


BOUND = """module watched (input logic clk); logic seen, lost;
  assign seen = clk; assign lost = clk; endmodule
module top (input logic clk); watched u (.clk); watcher w (.s(1'b0)); endmodule
module watcher (input logic s); assert property (@(s) s); endmodule
bind watched watcher u_w (.s(seen));
module loose (input logic a, output logic y); logic x; unknown u (.a(a), .x(x), .y(y)); endmodule
module starred (input logic a); logic b; absent u (.*); endmodule
"""


def test_binds_and_unknown_modules_use_what_they_are_connected_to(tmp_path: Path) -> None:
    found = units(tmp_path / "bound", bound=BOUND).unused(limit=None)
    assert names(found, "unread") == ["watched.lost"]
    assert names(found, "undriven") == names(found, "undriven_output") == []
    assert names(found, "unused") == []


def test_a_package_counts_for_files_that_name_it(tmp_path: Path) -> None:
    project = units(
        tmp_path / "seen",
        a="package a_pkg; localparam int Size = 1; localparam int Same = 2; endpackage",
        b="module b import a_pkg::*; (output int y); assign y = Size; endmodule",
        c="module c (output int y); localparam int Same = 3; assign y = Same; endmodule",
    )
    assert names(project.unused(limit=None), "localparam") == ["a_pkg.Same"]


def test_a_path_through_an_instance_is_a_use(tmp_path: Path) -> None:
    project = units(
        tmp_path / "reached",
        core="module core (input logic a, output logic b);\n"
        "  logic seen, hidden, forced;\n"
        "  assign b = a, seen = a, hidden = a & forced;\nendmodule\n",
        top="module top (input logic a, output logic b, output logic c);\n"
        "  core u_core [1:0] (.a(a), .b(b));\n  assign c = u_core[0].seen;\nendmodule\n",
        tb="module tb;\n  logic a, b, c;\n  top dut (.a, .b, .c);\n"
        "  initial force dut.u_core[1].forced = a ^ b ^ c;\nendmodule\n",
    )
    found = project.unused(limit=None)
    of_core = [one["name"] for one in found["findings"] if one["unit"] == "core"]
    assert of_core == ["hidden"]


def test_bodies_of_methods_and_routines_reached_in_their_own_file_are_used(tmp_path: Path) -> None:
    project = units(
        tmp_path / "methods",
        one="package kp;\nclass kc;\n  extern function int get_a();\n  extern task run_it(int n);\n"
        "endclass\nfunction int kc::get_a(); return 1; endfunction\n"
        "task kc::run_it(int n); $display(n); endtask\n"
        "class user;\n  kc c;\n  function void go(); c.run_it(c.get_a()); endfunction\nendclass\n"
        "function int lost(); return 2; endfunction\nendpackage\n"
        "class derv; extern function void f(int x); endclass\n"
        "function void derv::f(int x); endfunction\n"
        "interface bus_if; logic d;\n  function automatic void put(logic v); d = v; endfunction\n"
        "  function automatic void never(); d = 0; endfunction\nendinterface\n"
        "module top; bus_if b0(); derv d;\n  initial begin b0.put(1); d.f(1); end\nendmodule\n",
    )
    found = project.unused(limit=None)
    assert names(found, "function") == ["kp.lost", "bus_if.never"]
    assert names(found, "task") == []


CELL = """module cell{n} #(parameter KIND = "DEFAULT", parameter OWN = 1) (input a, output [9:0] z);
  assign z = a + {{10{{OWN[0]}}}};
endmodule
"""


def test_a_name_that_many_cells_declare_is_listed_once_where_the_list_is_cut(
    tmp_path: Path,
) -> None:
    cells = {f"cell{n}": CELL.format(n=n) for n in range(6)}
    cells["cell3"] = cells["cell3"].replace("OWN[0]", "a")
    project = units(tmp_path / "cells", **cells)
    cut = project.unused(kinds=["parameter"], limit=3)
    assert names(cut, "parameter") == ["cell0.KIND", "cell3.OWN"]
    assert [one["alike"] for one in cut["findings"]] == [5, 0]
    assert (cut["total"], cut["more"]) == (7, 0)
    whole = project.unused(kinds=["parameter"], limit=7)
    assert len(whole["findings"]) == 7
    assert {one["alike"] for one in whole["findings"]} == {0}


def test_a_library_of_cells_takes_little_longer_than_its_cells(tmp_path: Path) -> None:
    def seconds(cells: int) -> float:
        texts = {
            f"{name}.v": "".join(
                f"module {name}_{n} #(parameter INIT = 0)(input c, output q); assign q = c;\n"
                f"// {'x' * 200}\nendmodule\n"
                for n in range(cells)
            )
            for name in ("left", "right")
        }
        project = indexed(tmp_path / str(cells), texts)
        project.unused("left_0")
        project._unused = None
        begin = time.process_time()
        counts = project.unused("left.v")["counts"]
        took = time.process_time() - begin
        assert counts["parameter"] == cells
        return took

    assert seconds(800) < 8 * seconds(200) + 0.1  # the square is 16


def test_a_parameter_that_a_path_reaches_is_used(tmp_path: Path) -> None:
    cell = "module cell_a #(parameter INIT = 0, parameter MODE = 0)(input c); endmodule\n"
    top = "module top; cell_a u(.c(1'b0)); localparam W = u . INIT; cell_a v(.MODE (1)); endmodule"
    found = indexed(tmp_path, {"cell.v": cell, "top.v": top}).unused("cell_a")
    names = {one["name"] for one in found["findings"] if one["kind"] == "parameter"}
    assert names == {"MODE"}
