"""The name of a synthesis attribute is no use of the parameter that is called so."""

from __future__ import annotations

from pathlib import Path

from _texts import indexed

DESIGN = """\
module keeper #(parameter STYLE = "auto", parameter int DEPTH = 4) (input logic clk);
  localparam OWN = STYLE;
  (* STYLE = "block" *) logic [7:0] a [DEPTH];
  (* keep = 1, STYLE = OWN *) logic [7:0] b [DEPTH];
  (* STYLE = STYLE *) logic [7:0] c [DEPTH];
  always @(*) if (STYLE == "none") $stop;
endmodule
"""


def test_the_names_of_attributes_are_no_uses(tmp_path: Path) -> None:
    project = indexed(tmp_path, {"keeper.sv": DESIGN})
    users = project.who("keeper.STYLE")["users"]
    assert [one["line"] for one in users if one["kind"] == "USES"] == [2, 5, 6]
