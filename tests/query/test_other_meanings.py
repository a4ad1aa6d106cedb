"""`who` and `impact` say what else a name means, and which files may hold more of its uses."""

from __future__ import annotations

import pytest
from _texts import indexed

from hdlgraph.project import Project

FILES = {
    "lib/tally.sv": """module tally #(parameter int unsigned STEP = 1) (input logic clk_i);
endmodule
""",
    "rtl/top.sv": """module top (input logic clk_i);
  logic tally;
  assign tally = clk_i;
  other #(.tally(3)) u_other (.clk_i);
  tally #(.STEP(2)) u_tally (.clk_i);
endmodule
""",
    "rtl/other.sv": """module other #(parameter int tally = 4) (input logic clk_i);
endmodule
""",
    "rtl/both.sv": """module both #(parameter int gauge = 4) (input logic clk_i);
endmodule
module other_gauge (input logic clk_i, output logic gauge);
  assign gauge = clk_i;
endmodule
""",
    "rtl/same.sv": """module same (input logic clk_i);
  worker worker (.clk_i);
endmodule
module worker (input logic clk_i);
endmodule
""",
    "rtl/broken.sv": """module broken (input logic clk_i);
  always_comb begin if (( ;
  tally #(.STEP(5)) u_one (.clk_i)
  wire x = tally_no + 1;
endmodule
""",
}


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return indexed(tmp_path_factory.mktemp("meanings"), FILES)


def test_who_tells_the_other_meanings_of_a_name(design: Project) -> None:
    found = design.who("tally")
    assert {one["kind"] for one in found["targets"]} == {"module"}
    told = [(one["kind"], one["count"], one["places"][0]["name"]) for one in found["meanings"]]
    assert told == [("parameter", 1, "other.tally"), ("signal", 1, "top.tally")]
    (note,) = [one for one in found["notes"] if "is also the name of" in one]
    assert "1 parameter (other.tally rtl/other.sv:1)" in note
    assert "ask for one as other.tally" in note


def test_impact_tells_the_other_meanings_of_a_name(design: Project) -> None:
    kinds = [one["kind"] for one in design.impact("tally")["meanings"]]
    assert kinds == ["parameter", "signal"]


def test_a_name_that_says_whose_it_is_has_no_other_meaning(design: Project) -> None:
    assert design.who("top.tally")["meanings"] == []


def test_an_instance_called_as_its_unit_is_no_other_meaning(design: Project) -> None:
    assert design.who("worker")["meanings"] == []


@pytest.mark.parametrize("name", ["tally", "STEP", "tally.STEP"])
def test_files_that_were_not_read_whole_may_hold_more(design: Project, name: str) -> None:
    found = design.who(name)
    (one,) = found["broken"]
    assert (one["location"], one["lines"], one["total"]) == ("rtl/broken.sv:2", [3], 1)
    assert any("may hold more uses" in note for note in found["notes"])


def test_impact_names_files_that_were_not_read_whole(design: Project) -> None:
    found = design.impact("tally")
    assert [one["path"] for one in found["broken"]] == ["rtl/broken.sv"]
    assert any("may hold more uses" in note for note in found["notes"])


def test_a_whole_file_is_not_told(design: Project) -> None:
    assert design.who("worker")["broken"] == []


def test_an_answer_of_several_kinds_of_things_says_so(design: Project) -> None:
    (note,) = [one for one in design.who("gauge")["notes"] if "means several things" in one]
    assert "1 parameter (both.gauge rtl/both.sv:1); 1 port (other_gauge.gauge" in note
    assert not any("means several" in one for one in design.who("clk_i")["notes"])
