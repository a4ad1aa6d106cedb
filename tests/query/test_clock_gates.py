"""Gates of clocks: in wrappers, in branches that are left out, and units within themselves."""

from __future__ import annotations

from typing import Any

import pytest
from _texts import indexed

from hdlgraph.project import Project

DESIGN = """module cell_gate(input clk_i, input en_i, input test_en_i, output clk_o);
  reg on;
  always @(clk_i or en_i or test_en_i) if (!clk_i) on = en_i | test_en_i;
  assign clk_o = clk_i & on;
endmodule
module wrapped_gate(input clk_i, input en_i, input test_en_i, output clk_o);
  cell_gate u_cell (.*);
endmodule
module leaf(input clk, input d, output reg q);
  always @(posedge clk) q <= d;
endmodule
module chip #(parameter FPU = 0)
  (input clk_i, input busy, input wake, input scan, output a, output b);
  wire core_clk, apu_clk;
  wire clock_on = busy | wake;
  wrapped_gate u_gate (.clk_i(clk_i), .en_i(clock_on), .test_en_i(scan), .clk_o(core_clk));
  leaf u_core (.clk(core_clk), .d(busy), .q(a));
  generate if (FPU) begin : g_fpu
    cell_gate u_apu_gate (.clk_i(clk_i), .en_i(busy), .test_en_i(scan), .clk_o(apu_clk));
    leaf u_apu (.clk(apu_clk), .d(busy), .q(b));
  end endgenerate
endmodule
module tree #(parameter W = 8) (input clk, input [W-1:0] d, output q);
  generate if (W == 1) begin : g_end
    leaf u_leaf (.clk(clk), .d(d[0]), .q(q));
  end else begin : g_two
    wire [1:0] h;
    tree #(.W(W / 2)) u_low (.clk(clk), .d(d[W/2-1:0]), .q(h[0]));
    tree #(.W(W / 2)) u_high (.clk(clk), .d(d[W-1:W/2]), .q(h[1]));
    assign q = ^h;
  end endgenerate
endmodule
module known(input clk, input [3:0] d, output q);
  tree #(.W(4)) u_tree (.clk(clk), .d(d), .q(q));
endmodule
module unknown #(parameter W = some_pkg::WIDTH) (input clk, input [W-1:0] d, output q);
  tree #(.W(W)) u_tree (.clk(clk), .d(d), .q(q));
endmodule
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("gates") / "all"
    folder.mkdir()
    return indexed(folder, {"all.sv": DESIGN})


def line_of(words: str) -> int:
    return DESIGN[: DESIGN.index(words)].count("\n") + 1


def steps(found: dict[str, Any]) -> list[tuple[tuple[str, ...], str]]:
    return [(tuple(one["enable"]), one["placed"]) for c in found["clocks"] for one in c["steps"]]


def test_the_enable_of_a_wrapped_gate_is_the_net_at_the_wrapper(project: Project) -> None:
    found = project.clock_tree("chip")
    place = f"all.sv:{line_of('wrapped_gate u_gate')}"
    assert steps(found) == [(("en_i(clock_on)", "test_en_i(scan)"), place)]


def test_a_gate_that_a_parameter_leaves_out_is_noted(project: Project) -> None:
    (note,) = project.clock_tree("chip")["notes"]
    assert note.endswith(f"g_fpu.u_apu_gate (all.sv:{line_of('cell_gate u_apu_gate')}) if FPU")


def test_a_unit_within_itself_ends_where_no_parameter_tells_its_depth(project: Project) -> None:
    found = project.clock_tree("known")
    assert (found["instances"], found["left_out"], found["notes"]) == (1 + 7 + 4, 0, [])
    found = project.clock_tree("unknown")
    assert (found["instances"], found["left_out"]) == (3, 0)
    assert found["notes"][0].startswith(f"tree (all.sv:{line_of('u_low')}) instantiate")


def test_what_limits_an_answer_stands_before_the_listing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hdlgraph.serve.clocks import text

    said: list[str] = []
    monkeypatch.setattr(text, "put", lambda line: said.append(str(line)))
    monkeypatch.setattr(text, "say", lambda line: said.append(str(line)))
    text.show_clocks(project.clock_tree("chip"))
    assert said[1].startswith("hdlgraph: note: gates that the parameters leave out")
    assert said[2].startswith("chip.clk_i")
    found = {**project.clock_tree("chip"), "left_out": 7}
    said.clear()
    text.show_clocks(found)
    assert said[0].endswith("instances, 7 more left out")
