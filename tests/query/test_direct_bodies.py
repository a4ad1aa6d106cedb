"""The difference of two units: how their registers are timed, and which lines one alone has."""

from __future__ import annotations

import pytest
from _texts import indexed, rows

from hdlgraph.project import Project

CELLS = """// cells
module CELL_A (output reg q, input c, r, d);
  // asynchronous
  always @(posedge c, posedge r)
    if (r) q <= 0;
    else q <= d;
endmodule
module CELL_S (output reg q, input c, r, d);
  always @(posedge c)
    if (r) q <= 0;
    else q <= d;
endmodule
module CELL_N (output reg q, input c, r, d);
  always @(negedge c)
    if (r) q <= 0;
    else q <= ~d;
endmodule
module CELL_T (output reg q, input c, r, d);
  always @(posedge c)   // as CELL_S
    if (r) q <= 0;
    else q <= d;
endmodule
"""


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return indexed(tmp_path_factory.mktemp("cells"), {"cells.v": CELLS})


def test_a_reset_of_another_kind_is_told_with_lines_of_both(design: Project) -> None:
    found = rows(design, "what differs between CELL_A and CELL_S?")
    assert "Ports: 4 in both, 0 of them unlike." in found
    told = "changes @(posedge c) and is reset to 0 asynchronously by r (active high)"
    assert f"- in CELL_A q {told} [cells.v:4]" in found
    told = "changes @(posedge c) and gets 0 there if r (synchronously)"
    assert f"- in CELL_S q {told} [cells.v:9]" in found
    at = found.index("- only CELL_A:")
    assert found[at + 1] == "    4|   always @(posedge c, posedge r)"
    at = found.index("- only CELL_S:")
    assert found[at + 1] == "    9|   always @(posedge c)"
    assert "what the units below do is not compared" in found[at + 3]


def test_assignments_are_compared(design: Project) -> None:
    found = rows(design, "compare CELL_S and CELL_N")
    assert any("changes @(negedge c)" in row for row in found)
    assert any(row.startswith("   16|") and row.endswith("else q <= ~d;") for row in found)
    assert (
        "Lines of code, without comments: 2 alike, 2 of CELL_S alone, 2 of CELL_N alone." in found
    )


def test_comments_and_names_make_no_difference(design: Project) -> None:
    found = rows(design, "what is the difference between CELL_S and CELL_T?")
    assert "Lines of code, without comments: 4 alike, none of one alone." in found
