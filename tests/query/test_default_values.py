"""A question for a default is answered by the line that declares the parameter."""

from __future__ import annotations

import pytest
from _texts import indexed, rows

from hdlgraph.project import Project

FILES = {
    "rtl/queue.sv": """module queue #(
  parameter int Depth = 8,
  parameter int SlotWidth = 32
) (input clk_i);
endmodule
""",
    "rtl/ring.sv": "module ring #(parameter int Depth = 3) (input clk_i);\nendmodule\n",
    "cells.v": """// Spread sum unit: a carry is spread over all bits at once.
module ssu (input a, output y);
  parameter WIDTH = 1;
endmodule
""",
    "map.v": "module _90_ssu_slow (input a, output y);\n  parameter WIDTH = 2;\nendmodule\n",
    "rtl/odd.sv": "module odd (input a);\n  parameter width = 5;\nendmodule\n",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return indexed(tmp_path_factory.mktemp("defaults"), FILES)


def test_a_parameter_of_a_unit_that_is_named(project: Project) -> None:
    for question in (
        "what is the default depth of the queue?",
        "how deep is the queue by default?",
    ):
        assert rows(project, question)[:3] == [
            "- queue.Depth is 8 by default:",
            "    2|   parameter int Depth = 8,",
            "[rtl/queue.sv:2]",
        ], question


def test_a_parameter_of_several_units(project: Project) -> None:
    found = rows(project, "what is the default of parameter Depth?")
    assert any("parameter int = 8" in row and "[rtl/queue.sv:2]" in row for row in found)
    assert any("parameter int = 3" in row and "[rtl/ring.sv:1]" in row for row in found)


def test_a_parameter_and_its_unit_by_their_names(project: Project) -> None:
    found = rows(project, "what is the default value of Depth in queue?")
    assert found[0] == "queue.Depth: parameter int = 8 [rtl/queue.sv:2]"


def test_a_unit_is_known_by_its_comment_and_by_its_short_name(project: Project) -> None:
    found = rows(project, "what is the default width of the spread sum unit?")
    assert [row for row in found if " by default:" in row] == [
        "- ssu.WIDTH is 1 by default:",
        "- _90_ssu_slow.WIDTH is 2 by default:",
    ]
    assert "[map.v:2]" in found


def test_other_defaults_are_not_taken_for_parameters(project: Project) -> None:
    for question in ("what is the default state of the queue?", "what is the default clock?"):
        assert not [row for row in rows(project, question) if " by default:" in row], question
