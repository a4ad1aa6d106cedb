"""Facts that an include or a macro brings in are cited by the line that does so."""

from __future__ import annotations

import pytest
from _texts import indexed

from hdlgraph.project import Project

FILES = {
    "rtl/gauge_defs.svh": "`define gauge_widths(depth) \\\n  localparam span_lp = depth + 1; \\\n"
    "  localparam reach_lp = depth + 2\n",
    "rtl/probe.svh": "spring i_spring (.clk_i(clk_i));\n",
    "rtl/spring.sv": "module spring (input logic clk_i);\nendmodule\n",
    "rtl/gauge.sv": '`include "gauge_defs.svh"\nmodule gauge (input logic clk_i);\n'
    '  `gauge_widths(4);\n  `include "probe.svh"\nendmodule\n',
    "rtl/meter.sv": "module meter (input logic clk_i, input logic go_i);\nendmodule\n",
}


@pytest.fixture
def gauge(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("gauge")
    (root / "rtl").mkdir()
    return indexed(root, FILES)


@pytest.mark.parametrize(
    ("question", "row", "shown"),
    [
        (
            "which modules does gauge instantiate?",
            "- gauge instantiates spring as i_spring, through:",
            '    4|   `include "probe.svh"',
        ),
        (
            "what is the difference between gauge and meter?",
            "- only gauge has span_lp: localparam = 4 + 1, through:",
            "    3|   `gauge_widths(4);",
        ),
    ],
)
def test_the_line_that_brings_it_in_is_cited(
    gauge: Project, question: str, row: str, shown: str
) -> None:
    rows = gauge.ask(question).text.splitlines()
    assert not any("no longer stands" in one for one in rows)
    at = rows.index(row)
    assert rows[at + 1] == shown


def test_a_file_that_changed_is_told_to_have_changed(gauge: Project) -> None:
    source = gauge.root / "rtl" / "gauge.sv"
    source.write_text("// one more line\n" + source.read_text())
    text = gauge.ask("which modules does gauge instantiate?").text
    assert "through:" not in text
