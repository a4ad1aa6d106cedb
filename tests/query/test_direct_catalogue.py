"""Questions that the catalogue of the design answers: declarations, lists of units, tops."""

from __future__ import annotations

from pathlib import Path

import pytest
from _texts import rows

from hdlgraph.project import Project


@pytest.mark.parametrize(
    "question",
    [
        "where is frame_err_o declared?",
        "what is frame_err_o?",
        "which modules have a port called frame_err_o?",
        "where is the port frame_err_o of uart_rx defined?",
    ],
)
def test_a_port_is_told_with_its_unit_and_line(soc_project: Project, question: str) -> None:
    found = rows(soc_project, question)
    at = found.index("- port frame_err_o of uart_rx:")
    assert found[at + 1] == "   10|   output logic       frame_err_o  // stop bit was low"
    assert not any(row.startswith("Most likely") for row in found)


def test_a_name_of_several_units_is_told_of_each(soc_project: Project) -> None:
    found = rows(soc_project, "what is clk_i?")
    count = sum(row.startswith("- ") for row in found)
    assert count > 1
    assert found[0] == f"clk_i is declared in {count} places:"


def test_a_constant_and_a_value_of_an_enum_are_told(soc_project: Project) -> None:
    found = rows(soc_project, "what does UartBase mean?")
    assert found[0] == "- parameter UartBase of soc_pkg:"
    assert "UartBase = 16'h4000" in found[1]
    found = rows(soc_project, "where is BUS_READ defined")
    assert found[0] == "- a member of type soc_pkg.bus_cmd_e:"
    assert found[1].endswith("BUS_READ,")


def test_a_kind_narrows_the_declarations(tmp_path: Path) -> None:
    (tmp_path / "a.sv").write_text(
        "`define LEN_X 4\nmodule a;\n  localparam int LEN_X = 3;\nendmodule\n"
    )
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False, jobs=1)
    assert rows(project, "what is LEN_X?")[0] == "LEN_X is declared in 2 places:"
    found = rows(project, "what is the macro `LEN_X?")
    assert found[:2] == ["`LEN_X is defined once and used on no line:", "    1| `define LEN_X 4"]
    assert rows(project, "where is the parameter LEN_X defined?")[0] == "- parameter LEN_X of a:"


def test_a_type_is_told_with_its_width_and_its_macro(tmp_path: Path) -> None:
    (tmp_path / "a.sv").write_text(
        "`define DECLARE_REQ(w) \\\n  typedef struct packed { logic v; logic [w-1:0] d; } req_t;\n"
        "package p;\n  typedef struct packed {\n    logic [6:0] id;\n    logic ok;\n  } rsp_t;\n"
        "endpackage\nmodule a;\n  `DECLARE_REQ(4)\nendmodule\n"
    )
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False, jobs=1)
    for question in ("how wide is rsp_t?", "what is the width of rsp_t", "where is rsp_t defined"):
        found = rows(project, question)
        assert found[0] == "- type rsp_t of p, 8 bits:"
        assert found[1:5] == [
            "    4|   typedef struct packed {",
            "    5|     logic [6:0] id;",
            "    6|     logic ok;",
            "    7|   } rsp_t;",
        ]
    found = rows(project, "where is req_t declared?")
    assert found[0] == "- type req_t, declared by the macro DECLARE_REQ in 1 place:"
    assert found[1].startswith("    2|   typedef struct packed { logic v;")


@pytest.mark.parametrize(
    "question",
    [
        "where does frame_err_o come from?",
        "what is the reset value of valid_o in uart_rx?",
        "where is frame_err_o used?",
        "what is a framing error?",
        "frame_err_o bits: 3 width 1",
    ],
)
def test_other_questions_are_not_taken_for_declarations(
    soc_project: Project, question: str
) -> None:
    assert not any(row.startswith("- port ") for row in rows(soc_project, question)[:2])


def test_units_are_listed_with_their_number(soc_project: Project) -> None:
    found = rows(soc_project, "how many packages are there?")
    assert found[:2] == ["1 package:", "- soc_pkg [rtl/soc_pkg.sv:2]"]
    found = rows(soc_project, "list all modules below rtl")
    count = sum(row.startswith("- ") for row in found)
    assert found[0] == f"{count} modules below rtl/:"
    assert not any("dv/" in row for row in found)


def test_files_of_a_folder_are_listed(soc_project: Project) -> None:
    found = rows(soc_project, "which files are in dv/?")
    assert found[:3] == [
        "2 files below dv/:",
        "- [dv/fifo_checks.sv:1]",
        "- [dv/soc_tb.sv:1]",
    ]


def test_a_folder_that_is_none_is_searched_for(soc_project: Project) -> None:
    assert not any(" below " in row for row in rows(soc_project, "list all modules in nowhere")[:1])


def test_tops_are_told_with_what_is_below(soc_project: Project) -> None:
    found = rows(soc_project, "what is the top level module?")
    assert found[0].endswith(" that nothing instantiates:")
    assert any(row.startswith("- soc_tb, ") and "instances below" in row for row in found)


def test_a_level_alone_asks_for_no_tops(soc_project: Project) -> None:
    assert "that nothing instantiates" not in rows(soc_project, "what is the level?")[0]
