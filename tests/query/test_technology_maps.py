"""Technology maps: modules that stand for internal cells, by attribute or by their own name."""

from __future__ import annotations

import pytest
from _texts import indexed, rows

from hdlgraph.project import Project

BARE = """(* techmap_celltype = "$_HOLD_[NP]_" *)
module $_HOLD_x_(input C, D, output Q);
  OAK_HOLD hold (.D(D), .C(C), .Q(Q));
  $_REG_N_ other (.D(D), .C(C), .Q(Q));
endmodule
"""
MODELS = """module \\$sum (A, B, Y);
  input A, B; output Y;
  assign Y = A ^ B;
endmodule
module \\$_REG_P_ (input D, C, output reg Q);
  always @(posedge C) Q <= D;
endmodule
module \\$_REG_N_ (input D, C, output reg Q);
  always @(negedge C) Q <= D;
endmodule
"""
OAK = """(* techmap_celltype = "$sum $carry" *)
module _80_oak_sum (A, B, Y);
  input A, B; output Y;
  wire _TECHMAP_FAIL_ = 0;
  OAK_LUT lut (.A(A), .B(B), .Y(Y));
endmodule
(* techmap_celltype = "$_REG_[NP]_" *)
(* keep_hierarchy *)
module _oak_reg (input D, C, output Q);
  parameter _TECHMAP_CELLTYPE_ = "";
  OAK_FF ff (.D(D), .C(C), .Q(Q));
endmodule
"""
ELM = """module \\$_REG_P_ (input D, C, output Q); ELM_FF _TECHMAP_REPLACE_ (.D(D)); endmodule
module \\$sum (A, B, Y);
  parameter _TECHMAP_CONSTMSK_A_ = 0;
  input A, B; output Y;
  ELM_LUT lut (.A(A), .Y(Y));
endmodule
module ELM_HELP (input A, output Y); endmodule
"""


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("maps")
    return indexed(
        folder,
        {
            "models.v": MODELS,
            "oak/sum_map.v": OAK,
            "elm/cells_map.v": ELM,
            "oak/hold_map.v": BARE,
            "elm/sum.v": "module SUM (input a, output sum); assign sum = a; endmodule // sum sum\n",
        },
    )


def mapping(project: Project, name: str) -> list[tuple[str, str]]:
    users = project.who(name)["users"]
    return [(one["user_name"], one["location"]) for one in users if one["kind"] == "MAPS"]


@pytest.mark.parametrize("name", ["$sum", "\\$sum", "\\$sum "])
def test_who_tells_the_modules_that_map_a_cell(design: Project, name: str) -> None:
    assert mapping(design, name) == [
        ("$sum", "elm/cells_map.v:2"),
        ("_80_oak_sum", "oak/sum_map.v:1"),
    ]


def test_a_pattern_names_several_cells(design: Project) -> None:
    assert mapping(design, "$_REG_N_") == [("_oak_reg", "oak/sum_map.v:7")]
    assert mapping(design, "$_REG_P_") == [
        ("$_REG_P_", "elm/cells_map.v:1"),
        ("_oak_reg", "oak/sum_map.v:7"),
    ]


def test_a_cell_without_a_model_is_found(design: Project) -> None:
    assert mapping(design, "$carry") == [("_80_oak_sum", "oak/sum_map.v:1")]


def test_a_name_that_is_not_escaped_is_read(design: Project) -> None:
    assert mapping(design, "$_HOLD_N_") == [("$_HOLD_x_", "oak/hold_map.v:1")]


def test_a_file_that_was_not_read_whole_may_use_a_cell(design: Project) -> None:
    found = design.who("$_REG_N_")
    known = [one["location"] for one in found["users"]]
    broken = [(one["path"], one["lines"]) for one in found["broken"]]
    assert "oak/hold_map.v:4" in known or broken == [("oak/hold_map.v", [4])]


def test_other_modules_of_a_map_map_nothing(design: Project) -> None:
    assert not mapping(design, "ELM_HELP")


@pytest.mark.parametrize(
    "question",
    ["what maps $sum on oak?", "which file maps \\$sum on oak", "how is $sum mapped for oak?"],
)
def test_a_question_for_the_map_of_a_cell(design: Project, question: str) -> None:
    found = rows(design, question)
    assert found[0] == (
        "$sum is mapped by 1 module; 1 further ones elsewhere: `hdlgraph who '$sum'` lists them."
    )
    assert found[1] == "- _80_oak_sum maps $sum [oak/sum_map.v:1]"
    assert "OAK_LUT" in found[2]


def test_without_a_place_all_maps_are_told(design: Project) -> None:
    found = rows(design, "what maps $_REG_P_?")
    assert found[0] == "$_REG_P_ is mapped by 2 modules."
    assert '    7| (* techmap_celltype = "$_REG_[NP]_" *)' in found


@pytest.mark.parametrize("name", ["$sum", "\\$sum"])
def test_a_search_for_a_cell_finds_those_who_declare_it(design: Project, name: str) -> None:
    found = [hit.path for hit in design.search(name).hits]
    assert set(found[:2]) == {"models.v", "elm/cells_map.v"}
