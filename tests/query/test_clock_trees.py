"""Register cells, clock and reset trees, and data between clocks, of a small chip."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from _texts import indexed

from hdlgraph.errors import UsageError
from hdlgraph.project import Project
from hdlgraph.query.clocks.keys import below, key_of, overlap
from hdlgraph.query.clocks.parameters.arithmetic import evaluate

DESIGN = Path(__file__).parent.parent / "designs" / "clocks"


@pytest.fixture(scope="module")
def chip(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("clocks") / "chip"
    shutil.copytree(DESIGN, folder)
    project = Project(folder)
    project.index(graphrag="never", embeddings=False, jobs=1)
    return project


def outputs(project: Project, name: str) -> list[dict[str, Any]]:
    (one,) = project.show(name)["definitions"]
    return one.get("register_outputs", [])


def test_cells_are_known_by_what_is_in_them(chip: Project) -> None:
    (plain,) = outputs(chip, "keep")
    assert (plain["clock"], plain["edge"], plain["reset"], plain["data"], plain["stages"]) == (
        "c", "posedge", "rn", ("i",), 1,
    )  # fmt: skip
    (enabled,) = outputs(chip, "keep_if")
    assert (enabled["clock"], set(enabled["data"])) == ("c", {"en", "i"})
    assert outputs(chip, "keep_twice")[0]["stages"] == 2
    assert outputs(chip, "keep_low")[0]["edge"] == "negedge"
    assert outputs(chip, "keep_or_pass")[0]["clock"] == "c"
    assert outputs(chip, "keep_gated")[0]["clock"] == "clk"
    assert outputs(chip, "adder") == []


def test_nets_at_cells_are_registers(chip: Project) -> None:
    told = {clock.edge: clock for clock in chip.clocks("user")}
    assert told["posedge"].registers == ("held", "kept", "seen")
    assert told["posedge"].through == ("u_if", "u_kept", "u_seen")
    assert (told["negedge"].signal, told["negedge"].registers) == ("clk", ("low",))
    (driver,) = chip.drivers("user", "held")
    assert (driver.clock, driver.cell_reset, driver.sure) == (("posedge", "clk"), "rst_n", True)
    (guessed,) = chip.drivers("user", "seen")
    assert (guessed.clock, guessed.sure) == (("posedge", "clk"), False)
    assert chip.drivers("user", "sum")[0].clock == ("", "")


def test_who_and_show_tell_the_register(chip: Project) -> None:
    users = chip.who("user.held")["users"]
    assert [one["text"] for one in users if one["kind"] == "DRIVES"] == [
        "u_if.o of keep_if, a register @(posedge clk)"
    ]
    (one,) = chip.show("user.low")["definitions"]
    (clocked,) = one["clocked"]
    assert (clocked["edge"], clocked["reset"], clocked["through"]) == (
        "negedge", "rst_n", "u_low.o of keep_low",
    )  # fmt: skip


def test_a_state_in_a_cell_has_its_clock(chip: Project) -> None:
    (machine,) = chip.machines("stepper")
    assert (machine.register, machine.next, machine.clock) == ("now", "later", "clk")


def test_clocks_begin_at_ports_muxes_and_dividers(chip: Project) -> None:
    found = chip.clock_tree("chip")
    told = {one["name"]: one for one in found["clocks"]}
    assert {name: one["kind"] for name, one in told.items()} == {
        "chip.clk_a": "port",
        "chip.clk_b": "port",
        "chip.u_pick.o": "mux",
        "chip.u_half.q": "register",
    }
    assert set(told["chip.u_pick.o"]["inputs"]) == {"chip.u_half.q", "chip.clk_b"}
    assert told["chip.u_half.q"]["inputs"] == ["chip.clk_a"]
    assert told["chip.u_pick.o"]["registers"] == 1
    (step,) = told["chip.clk_b"]["steps"]
    assert (step["name"], step["how"], step["registers"]) == (
        "chip.u_take.u_gate.clk_o", "gated", 1,
    )  # fmt: skip
    assert step["location"].startswith("chip.sv:")
    assert told["chip.clk_b"]["falling"] == 1
    assert (found["total"], found["left_out"]) == (4, 0)


def test_resets_have_level_kind_and_synchronisers(chip: Project) -> None:
    found = chip.clock_tree("chip", resets=True)
    told = {one["name"]: one for one in found["resets"]}
    assert set(told) == {"chip.rst_n", "chip.u_rst.q[1]"}
    first, second = told["chip.rst_n"], told["chip.u_rst.q[1]"]
    assert (first["kind"], first["active"], first["synchronous"]) == ("port", {"low": 6}, 0)
    assert first["asynchronous"] == 6
    (sync,) = second["synchronisers"]
    assert (sync["stages"], sync["clock"], sync["source"]) == (2, "chip.clk_b", "chip.rst_n")
    assert found["without_reset"] > 0


def test_crossings_are_told_apart(chip: Project) -> None:
    found = chip.crossings("chip")
    kinds = {one["target"]: one["kind"] for one in found["crossings"]}
    assert kinds == {
        "chip.u_take.bare": "none",
        "chip.u_take.good": "handshake",
        "chip.u_take.g_safe.u_flag.s": "synchroniser",
        "chip.seen": "fifo",
        "chip.u_fifo.to_r.one": "synchroniser",
        "chip.u_fifo.to_w.one": "synchroniser",
    }
    assert found["crossings"][0]["target"] == "chip.u_take.bare"
    assert found["crossings"][0]["source"] == "chip.u_send.data"
    pairs = {(one["source"], one["target"]): one for one in found["pairs"]}
    assert set(pairs) == {("chip.clk_a", "chip.clk_b"), ("chip.clk_b", "chip.clk_a")}
    assert pairs["chip.clk_a", "chip.clk_b"]["none"] == 1
    assert "candidates" in found["about"]


def test_branches_follow_the_parameters(tmp_path: Path) -> None:
    text = (DESIGN / "chip.sv").read_text().replace("take u_take", "take #(.SAFE(0)) u_take")
    project = indexed(tmp_path, {"chip.sv": text})
    found = project.crossings("chip", kind="none")
    assert {one["target"] for one in found["crossings"]} == {
        "chip.u_take.bare",
        "chip.u_take.good",
        "chip.u_take.last",
    }


def test_limits_and_wrong_names(chip: Project) -> None:
    few = chip.crossings("chip", limit=1)
    assert (len(few["crossings"]), few["total"]) == (1, 6)
    with pytest.raises(UsageError, match="did you mean chip"):
        chip.crossings("chp")
    with pytest.raises(UsageError, match="none, handshake, fifo, synchroniser or all"):
        chip.crossings("chip", kind="many")


def test_time_that_is_over_is_told(chip: Project) -> None:
    found = chip.clock_tree("chip", seconds=0.0)
    assert found["left_out"] > 0
    assert "left out" in found["notes"][0]
    assert chip.crossings("chip", seconds=0.0)["crossings"] == []
    assert chip.clock_tree("chip")["left_out"] == 0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("A == 4 && !(A > 5)", 1),
        ("$clog2(A + 1)", 3),
        ("(A == 1) ? 8'hff : 3 ** 2", 9),
        ('S == "RW"', 1),
        ("B", None),
        ("A / 0", None),
        ("2 ** 4000", None),
        ("(" * 300 + "1", None),
    ],
)
def test_constants_of_conditions(text: str, value: int | None) -> None:
    known: dict[str, int | str] = {"A": 4, "S": '"RW"'}
    assert evaluate(text, known.get) == value


def test_parts_of_names_that_overlap() -> None:
    assert overlap(key_of("bus"), key_of("bus.valid"))
    assert not overlap(key_of("bus.valid"), key_of("bus.ready"))
    assert not overlap(key_of("a", "[7:4]"), key_of("a", "[3:0]"))
    assert overlap(key_of("a", "[7:4]"), key_of("a", "[i]"))
    assert not overlap(key_of("a", "[p::First]"), key_of("a", "[Second]"))
    assert below(key_of("bus.lane.valid"), key_of("bus")) == ("lane", "valid")


LOOPS = """module loops(input clk_a, input clk_b, input d, output q);
  typedef struct packed { logic b; logic c; } t;
  t a, z; wire x, y, k, m;
  assign a = a.b; assign z = {a, z.c}; assign x = y & clk_a; assign y = x | m;
  assign k = m; assign m = k;
  reg r, s; always_ff @(posedge x) r <= a.b ^ z.c ^ d;
  always_ff @(posedge k) s <= r; assign q = s;
  loops inner(.clk_a(clk_b), .clk_b(clk_a), .d(s), .q());
endmodule"""


def test_loops_come_to_an_end(tmp_path: Path) -> None:
    (tmp_path / "loops.sv").write_text(LOOPS)
    for name in ("one", "two"):
        (tmp_path / f"{name}.sv").write_text("module twice(input c); endmodule")
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False, jobs=1)
    kinds = {one["kind"] for one in project.clock_tree("loops", limit=1000)["clocks"]}
    assert {"port", "open"} <= kinds
    found = project.crossings("loops", limit=0)
    assert found["instances"] == 61
    assert found["left_out"] == 1
    assert "left out" in found["notes"][0]
    with pytest.raises(UsageError, match=r"2 units: module:one.sv#twice .*give one of these ids"):
        project.clock_tree("twice")
    assert project.clock_tree("module:two.sv#twice")["clocks"] == []


def test_parts_in_branches_that_exclude_each_other_count_once(tmp_path: Path) -> None:
    arms = " else ".join(
        f"if (W == {one}) begin : g keep u (.c, .rn, .i(i), .o(o)); end" for one in range(9)
    )
    ports = "input c, input rn, input [8:0] i, output [8:0] o"
    parts = "".join(f"keep u{one} (.c, .rn, .i(i[{one}]), .o(o[{one}]));\n" for one in range(9))
    (tmp_path / "x.sv").write_text(
        "module keep (input c, input rn, input i, output logic o);\n"
        "always_ff @(posedge c) o <= i;\nendmodule\n"
        f"module one #(parameter W = 1) ({ports});\n{arms}\nendmodule\n"
        f"module many ({ports});\n{parts}endmodule\n"
    )
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False, jobs=1)
    assert [one["clock"] for one in outputs(project, "one")] == ["c"]
    assert outputs(project, "many") == []


def test_a_cell_with_a_model_for_simulation_and_tied_bits(tmp_path: Path) -> None:
    (tmp_path / "x.sv").write_text(
        "module sync (input clk, input i, output o);\n"
        "reg [1:0] s; integer d;\nalways @(posedge clk) s <= {s[0], i};\n"
        "`ifdef SIM\nalways @(posedge clk) d <= $random;\nassign o = |d ? s[1] : s[0];\n"
        "`else\nassign o = s[1];\n`endif\nendmodule\n"
        "module tied (input clk, input [3:0] i, output [7:0] o);\n"
        "reg [3:0] q;\nalways @(posedge clk) q <= i;\nwire [7:0] all;\n"
        "assign all[3:0] = q;\nassign all[7:4] = '0;\nassign o = all;\nendmodule\n"
        "module chosen (input clk, input x, input i, output reg o);\n"
        "reg q;\nalways @(posedge clk) q <= i;\n"
        "always @* begin o = 1'b0; if (x) o = q; end\nendmodule\n"
        "module released (input clk, input rn, output o);\nreg [1:0] q;\nassign o = q[1];\n"
        "always @(posedge clk or negedge rn) if (!rn) q <= 0; else q <= {q[0], 1'b1};\nendmodule\n"
    )
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False, jobs=1)
    assert [one["clock"] for one in outputs(project, "sync")] == ["clk"]
    assert [one["clock"] for one in outputs(project, "tied")] == ["clk"]
    assert outputs(project, "chosen") == []
    assert [(one["clock"], one["reset"]) for one in outputs(project, "released")] == [("clk", "rn")]
