"""Elaboration by itself: the top, its files and their order, values, generates, definitions."""

from __future__ import annotations

from pathlib import Path

import pytest
from _elaborating import instances, project, tree, values

from hdlgraph.errors import UsageError

CHIP = {
    "rtl/chip.sv": """
module chip import cfg_pkg::*; #(parameter int WIDTH = 2 * cfg_pkg::UNIT, parameter bit FAST = 0)
  (input logic clk, input logic [WIDTH-1:0] a, output logic [WIDTH-1:0] q);
  if (FAST) begin : gen_fast
    slice #(.W(WIDTH)) u_all (.clk, .a, .q);
  end else begin : gen_slow
    for (genvar i = 0; i < WIDTH / 4; i++) begin : part
      slice #(.W(4)) u (.clk, .a(a[4*i+:4]), .q(q[4*i+:4]));
    end
  end
  logic [7:0] mixed;
  assign mixed[3:0] = '0;
  always_comb mixed[7:4] = '1;
endmodule
""",
    "rtl/slice.sv": """
module slice #(parameter int W = 1, localparam int LAST = W - 1)
  (input logic clk, input logic [W-1:0] a, output logic [LAST:0] q);
  always_ff @(posedge clk) q <= a;
endmodule
""",
    "rtl/cfg_pkg.sv": """
package cfg_pkg;
  import base_pkg::*;
  parameter int UNIT = BASE + 1;
endpackage
""",
    "rtl/z_base_pkg.sv": "package base_pkg; parameter int BASE = 3; endpackage\n",
    "tb/chip_tb.sv": "module chip_tb; logic clk; chip dut (.clk, .a('0), .q()); endmodule\n",
    "other/broken.sv": "module broken (input x; assign = endmodule\n",
}


@pytest.fixture(scope="module")
def chip(tmp_path_factory: pytest.TempPathFactory):
    made = project(tmp_path_factory.mktemp("chip"), CHIP)
    made.elaborate()
    return made


def test_the_top_and_its_files_are_found_packages_first(chip) -> None:
    done = chip.elaborate()
    assert [top["name"] for top in done["tops"]] == ["chip"]  # a testbench is no design
    assert done["files"] == [
        *("rtl/z_base_pkg.sv", "rtl/cfg_pkg.sv", "rtl/chip.sv", "rtl/slice.sv"),
    ]  # fmt: skip
    assert (done["errors"], done["said"], done["missing"]) == (0, [], [])
    assert (done["instances"], done["units"], done["forms"]) == (2, 2, 2)
    assert done["reused"]


def test_parameters_generates_and_definitions_are_resolved(chip) -> None:
    top = chip.elaborated_tree()["tops"][0]
    assert values(top) == {"WIDTH": "8", "FAST": "1'b0"}
    taken = {one["name"]: (one["taken"], one["condition"]) for one in top["branches"]}
    assert taken["gen_fast"] == (False, "FAST")
    assert taken["gen_slow"] == (True, "!(FAST)")
    found = instances(top)
    assert set(found) == {"gen_slow.part[0].u", "gen_slow.part[1].u"}
    part = found["gen_slow.part[1].u"]
    assert values(part) == {"W": "4", "LAST": "3"}
    assert [one["local"] for one in part["parameters"]] == [False, True]
    assert part["defined_at"] == "rtl/slice.sv:2"
    assert part["location"] == "rtl/chip.sv:8"


def test_configurations_stand_side_by_side(chip) -> None:
    fast = chip.elaborate(parameters=["FAST=1", "WIDTH=32"], name="fast")
    assert (fast["instances"], fast["parameters"]) == (1, ["FAST=1", "WIDTH=32"])
    assert values(tree(chip, "fast")["gen_fast.u_all"])["W"] == "32"
    assert set(tree(chip)) == {"gen_slow.part[0].u", "gen_slow.part[1].u"}
    assert [one["name"] for one in chip.elaborations()["configurations"]] == ["default", "fast"]


def test_units_ports_and_drivers_are_shown(chip) -> None:
    one = chip.elaborated_show("chip")["definitions"][0]["elaborated"][0]
    assert {port["name"]: (port["direction"], port["width"]) for port in one["ports"]} == {
        "clk": ("input", 1), "a": ("input", 8), "q": ("output", 8)
    }  # fmt: skip
    driven = {(d["name"], d["msb"], d["lsb"]): d["kind"] for d in one["driven"]}
    assert driven["mixed", 3, 0] == "assign"
    assert driven["mixed", 7, 4] == "always_comb"
    assert driven["q", 3, 0] == driven["q", 7, 4] == "instance"
    slice_ = chip.elaborated_show("slice")["definitions"][0]["elaborated"][0]
    assert (slice_["count"], slice_["paths"]) == (
        2, ["chip.gen_slow.part[0].u", "chip.gen_slow.part[1].u"]
    )  # fmt: skip
    parameter = chip.elaborated_show("slice.W")["definitions"][0]["elaborated"][0]
    assert [value["value"] for value in parameter["parameters"]] == ["4"]


def test_only_a_change_elaborates_again(tmp_path: Path) -> None:
    made = project(tmp_path, CHIP)
    assert not made.elaborate()["reused"]
    assert made.elaborate()["reused"]
    (tmp_path / "other/broken.sv").write_text("module broken; endmodule\n")
    made.index(embeddings=False, graphrag="never", jobs=1)
    assert made.elaborate()["reused"]  # not one of its files
    (tmp_path / "rtl/z_base_pkg.sv").write_text(
        "package base_pkg; parameter int BASE = 7; endpackage\n"
    )
    notes = made.elaborated_tree()["notes"]
    assert any("z_base_pkg.sv" in note for note in notes)
    made.index(embeddings=False, graphrag="never", jobs=1)
    assert any("from other contents of 1 files" in note for note in made.elaborated_tree()["notes"])
    assert not made.elaborate()["reused"]
    assert values(made.elaborated_tree()["tops"][0])["WIDTH"] == "16"
    assert not made.elaborate(fresh=True)["reused"]
    assert not made.elaborate(defines=["X"])["reused"]


def test_unknown_tops_parameters_and_options_are_told(chip) -> None:
    cases = (
        ({"tops": ["chipp"]}, "no unit has that name; did you mean chip"),
        ({"tops": ["cfg_pkg"]}, "is a package, not a module"),
        ({"parameters": ["WDTH=1"]}, "chip has no parameter 'WDTH' to set; it has WIDTH, FAST"),
        ({"tops": ["slice"], "parameters": ["LAST=1"]}, "it has W"),
        ({"parameters": ["WIDTH"]}, "write NAME=VALUE"),
        ({"defines": ["2X"]}, "write NAME or NAME=VALUE"),
        ({"name": "../x"}, "a name has 1 to 60 letters"),
    )
    for options, words in cases:
        with pytest.raises(UsageError, match=words):
            chip.elaborate(**options)
    with pytest.raises(UsageError, match=r"there is none .kept: default"):
        chip.elaborated_tree(config="nope")
    with pytest.raises(UsageError, match="has no unit 'slyce'; did you mean slice"):
        chip.elaborated_tree("slyce")


def test_two_definitions_of_a_top_are_to_be_named(tmp_path: Path) -> None:
    made = project(
        tmp_path,
        {"a/top.sv": "module top; endmodule\n", "b/top.sv": "module top; sub s (); endmodule\n"},
    )
    with pytest.raises(UsageError, match=r"has 2 definitions; name one of them: module:a/top.sv#"):
        made.elaborate(["top"])
    assert made.elaborate(["module:b/top.sv#top"])["files"] == ["b/top.sv"]


def test_errors_are_told_and_the_rest_is_kept(tmp_path: Path) -> None:
    made = project(
        tmp_path,
        {
            "top.sv": "module top;\n  sub s ();\n  assign x = undeclared;\n  gone g ();\n"
            "endmodule\n",
            "sub.sv": "module sub; endmodule\n",
        },
    )
    done = made.elaborate()
    assert done["errors"] == 1
    assert {one["location"] for one in done["said"] if one["severity"] == "error"} == {"top.sv:3"}
    assert set(tree(made)) == {"s", "g"}
    assert tree(made)["g"]["note"] == "external"
    assert done["missing"] == [{"kind": "module", "name": "gone", "location": "top.sv:4"}]


def test_what_an_ifdef_leaves_out_is_no_top_and_no_error(tmp_path: Path) -> None:
    made = project(
        tmp_path,
        {
            "lib.v": "`ifdef TB\nmodule tb; a a (); a b (); d d (); endmodule\n`endif\n",
            "a.v": "module a;\n`ifdef FORMAL\n  checks c ();\n`endif\nendmodule\n",
            "d.v": "module d; endmodule\n",
            "checks.v": "module checks; assign `NOWHERE = ; endmodule\n",
        },
    )
    done = made.elaborate()
    assert [top["name"] for top in done["tops"]] == ["a"]  # below `tb`, which is not there
    with pytest.raises(UsageError, match=r"--top tb: its sources do not give a module.*-D"):
        made.elaborate(["tb"])
    assert made.elaborate(["tb"], defines=["TB"])["instances"] == 3
    assert made.elaborate(["a"])["errors"] == 0  # what `checks` says does not count
    assert made.elaborate(["a"], defines=["FORMAL"])["errors"] > 0
