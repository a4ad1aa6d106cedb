"""Questions for a macro: what it expands to, where it is defined, and under which defines."""

from __future__ import annotations

import pytest
from _texts import indexed, rows

from hdlgraph.project import Project

FILES = {
    "rtl/defs.vh": """`ifndef DEFS_VH
`define DEFS_VH
`ifdef WIDE_BUS
  `define BUS_BITS 64
`else
  `define BUS_BITS 32
`endif
`ifndef DEPTH
  `define DEPTH 16
`endif
`define pulse(sig) \\
  (sig & \\
   ~sig``_q)
`endif
""",
    "rtl/checks.vh": "`define CHECK(x) assert (x)\n",
    "rtl/top.v": """`include "defs.vh"
`ifdef SIM
`include "checks.vh"
`endif
module top (input clk, output [`BUS_BITS-1:0] o);
  reg [`BUS_BITS-1:0] a, a_q;
  reg b, b_q;
  assign o = `pulse(a);
  reg [7:0] mem [0:`DEPTH-1];
endmodule
""",
    "rtl/named.v": "module named #(parameter DEPTH = 3) ();\nendmodule\n",
}


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return indexed(tmp_path_factory.mktemp("macros"), FILES)


@pytest.mark.parametrize(
    "question",
    [
        "what does `BUS_BITS expand to?",
        "where is BUS_BITS defined",
        "under which define is `BUS_BITS defined?",
        "what is the value of `BUS_BITS",
        "which ifdefs guard BUS_BITS",
        "which files define the macro BUS_BITS?",
    ],
)
def test_each_definition_is_told_with_what_it_asks_for(design: Project, question: str) -> None:
    found = rows(design, question)
    assert found[0] == "`BUS_BITS is defined in 2 places and used on 2 lines:"
    at = found.index("- defined, only if WIDE_BUS:")
    assert found[at + 1].endswith("`define BUS_BITS 64")
    at = found.index("- defined, only if !WIDE_BUS:")
    assert found[at + 1].endswith("`define BUS_BITS 32")
    assert not any(row.startswith("Most likely") for row in found)


def test_a_default_is_told_as_one(design: Project) -> None:
    found = rows(design, "what is `DEPTH defined as?")
    assert "- defined as a default, unless it is defined before:" in found


def test_a_body_of_several_lines_is_shown_whole(design: Project) -> None:
    found = rows(design, "what does the macro pulse expand to?")
    assert found[0] == "`pulse is defined once and used on 1 line:"
    assert any(row.startswith("   13|") for row in found)


def test_the_condition_of_the_include_is_told(design: Project) -> None:
    found = rows(design, "under which ifdef is `CHECK defined?")
    assert "  its file is included only if SIM [rtl/top.v:3]" in found


def test_a_name_of_other_things_too_is_no_macro_without_its_sign(design: Project) -> None:
    assert not any("`DEPTH is defined" in row for row in rows(design, "where is DEPTH defined?"))


def test_a_macro_that_no_file_defines_is_told_so(design: Project) -> None:
    found = rows(design, "where is `SIM defined?")
    assert found[0] == (
        "`SIM is defined nowhere in this repository: the build may define it (+define+SIM). "
        "It is used or tested in 1 place:"
    )
    assert "    2| `ifdef SIM" in found
