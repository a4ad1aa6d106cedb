"""What an elaboration takes where the sources leave a choice: definitions, headers, macros."""

from __future__ import annotations

from pathlib import Path

from _elaborating import project, tree, values


def test_of_several_definitions_those_near_the_users_or_the_top_are_taken(tmp_path: Path) -> None:
    package = "package regs_pkg; parameter int {0} = {1}; endpackage\n"
    made = project(
        tmp_path,
        {
            "chip/rtl/chip.sv": "module chip; timer t (); endmodule\n",
            "chip/gen/regs_pkg.sv": package.format("DEPTH", 8),
            "ip/timer/timer.sv": "module timer; localparam D = regs_pkg::DEPTH; endmodule\n",
            "ip/timer/regs_pkg.sv": package.format("OLD", 4),
        },
    )
    done = made.elaborate()
    assert (done["errors"], done["near_top"]) == (0, True)
    assert values(tree(made)["t"]) == {"D": "8"}
    assert [one for one in done["differing"] if one["kind"] == "definition"] == [
        {
            "kind": "definition",
            "name": "regs_pkg",
            "location": "ip/timer/timer.sv:1",
            "graph": "ip/timer/regs_pkg.sv:1",
            "elaborated": "chip/gen/regs_pkg.sv:1",
        }
    ]
    (tmp_path / "ip/timer/regs_pkg.sv").write_text(package.format("DEPTH", 4))
    made.index(embeddings=False, graphrag="never", jobs=1)
    done = made.elaborate()
    assert (done["errors"], done["near_top"], done["differing"]) == (0, False, [])
    assert values(tree(made)["t"]) == {"D": "4"}


def test_an_include_is_the_header_that_the_graph_found(tmp_path: Path) -> None:
    made = project(
        tmp_path,
        {
            "top.sv": "module top; one a (); two b (); endmodule\n",
            "one/one.sv": '`include "width.svh"\nmodule one; localparam W = `WIDTH; endmodule\n',
            "one/width.svh": "`undef WIDTH\n`define WIDTH 1\n",
            "two/two.sv": '`include "width.svh"\nmodule two; localparam W = `WIDTH; endmodule\n',
            "two/width.svh": "`undef WIDTH\n`define WIDTH 2\n",
        },
    )
    assert made.elaborate()["headers"] == ["one/width.svh", "two/width.svh"]
    assert {name: values(one)["W"] for name, one in tree(made).items()} == {"a": "1", "b": "2"}


def test_macros_of_one_file_count_in_the_next(tmp_path: Path) -> None:
    made = project(
        tmp_path,
        {
            "a_top.sv": "module top; localparam W = `WIDTH; endmodule\n",
            "z_defines.sv": "`define WIDTH 12\n",
        },
    )
    done = made.elaborate()
    assert (done["errors"], done["files"]) == (0, ["z_defines.sv", "a_top.sv"])
    assert values(made.elaborated_tree()["tops"][0]) == {"W": "12"}


def test_a_header_that_another_file_includes_comes_first_where_its_macro_is_used(
    tmp_path: Path,
) -> None:
    header = "`ifndef LINKS\n`define LINKS\n`define LINK_WIDTH 5\n`endif\n"
    made = project(
        tmp_path,
        {
            "a_user.sv": "module a_user; localparam W = `LINK_WIDTH; endmodule\n",
            "links.svh": header,
            "top.sv": '`include "links.svh"\nmodule top; a_user u (); endmodule\n',
        },
    )
    done = made.elaborate()
    assert (done["errors"], done["files"]) == (0, ["links.svh", "a_user.sv", "top.sv"])
    assert values(tree(made)["u"]) == {"W": "5"}


def test_a_guarded_header_belongs_to_the_package_beside_it(tmp_path: Path) -> None:
    header = "`ifndef STATES\n`define STATES\ntypedef enum logic {IDLE, BUSY} state_e;\n`endif\n"
    made = project(
        tmp_path,
        {
            "common/states.svh": header,
            "common/common_pkg.sv": 'package common_pkg;\n`include "states.svh"\nendpackage\n',
            "a/a_pkg.sv": 'package a_pkg;\n`include "states.svh"\nparameter A = 1; endpackage\n',
            "top.sv": "module top import a_pkg::*, common_pkg::*; (); state_e s; endmodule\n",
        },
    )
    done = made.elaborate()
    assert done["files"][:2] == ["common/common_pkg.sv", "a/a_pkg.sv"]
    assert done["errors"] == 0


def test_an_undefined_module_is_taken_from_what_it_may_stand_for(tmp_path: Path) -> None:
    made = project(
        tmp_path,
        {
            "top.sv": "module top (input clk, d, output q);\n"
            "  prim_flop f (.clk, .d, .q);\nendmodule\n",
            "prim_generic/prim_generic_flop.sv": "module prim_generic_flop #(int W = 1)\n"
            "  (input clk, d, output logic q);\n  always_ff @(posedge clk) q <= d;\nendmodule\n",
        },
    )
    done = made.elaborate()
    place = "prim_generic/prim_generic_flop.sv:1"
    assert done["stand_ins"] == [{"name": "prim_flop", "location": place}]
    assert (done["errors"], done["missing"]) == (0, [])
    assert tree(made)["f"]["defined_at"] == place


def test_instances_that_only_macros_write_are_told_as_differences(tmp_path: Path) -> None:
    made = project(
        tmp_path,
        {
            "top.sv": "`define CELL(n) cell_a n ();\nmodule top;\n  `CELL(u_x)\n"
            "`ifdef LATER\n  cell_a u_y ();\n`endif\n  cell_a u_z ();\nendmodule\n",
            "cell_a.sv": "module cell_a; endmodule\n",
        },
    )
    before = made.show("top")["definitions"][0]["instances"]
    done = made.elaborate()
    told = {(one["kind"], one["name"]) for one in done["differing"]}
    assert ("absent", "top.u_y") in told
    assert set(tree(made)) == {"u_x", "u_z"}
    # Nothing of that changes the graph.
    assert made.show("top")["definitions"][0]["instances"] == before
    assert {one["name"] for one in before} >= {"top.u_y", "top.u_z"}


def test_what_simulators_accept_is_no_error(tmp_path: Path) -> None:
    made = project(
        tmp_path,
        {
            "top.sv": "`timescale 1ns/1ps\nmodule top;\n  typedef enum logic {A, B} e_t;\n"
            "  e_t e;\n  logic l;\n  assign e = l;\n  sub s ();\nendmodule\n",
            "sub.sv": "module sub;\n`default_nettype none\n  logic [3:0] x = y;\n"
            "  logic [3:0] y;\nendmodule\n`default_nettype wire\n",
        },
    )
    assert made.elaborate()["errors"] == 0
