"""The width of a structure is told where all members are known, also by types of other files."""

from __future__ import annotations

import pytest
from _texts import indexed

from hdlgraph.project import Project

BASE = """package base;
parameter int W = 12;
localparam int D = 2 * W;
typedef enum logic [1:0] {A, B} kind_e;
typedef struct packed { logic valid; logic [W-1:0] addr; kind_e kind; } req_t;
typedef union packed { logic [15:0] raw; struct packed { logic [7:0] hi, lo; } half; } u_t;
typedef struct { string name; int n; } loose_t;
endpackage
"""
FAR = """package far;
import base::*;
typedef struct packed { base::req_t a; req_t [1:0] b; logic [base::D-1:0] c; } far_t;
typedef base::req_t also_t;
typedef struct packed { absent_pkg::x_t a; logic b; } open_t;
endpackage
module gen #(parameter type T = base::req_t, parameter int N = 4)(input T t);
typedef struct packed { T payload; logic [N-1:0] id; } item_t;
typedef struct packed { logic [7:0] x; logic [base::W:0] y; } fixed_t;
endmodule
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("widths")
    return indexed(folder, {"base.sv": BASE, "far.sv": FAR})


@pytest.mark.parametrize(
    ("name", "width"),
    [
        ("req_t", 15), ("u_t", 16), ("loose_t", 0), ("far_t", 15 + 30 + 24), ("also_t", 15),
        ("open_t", 0), ("item_t", 0), ("fixed_t", 21),
    ],
)  # fmt: skip
def test_a_structure_has_its_width(project: Project, name: str, width: int) -> None:
    (found,) = project.show(name)["definitions"]
    assert found["width"] == width


def test_type_parameters_are_named(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    from hdlgraph.serve.cli.text.definitions import show_definitions

    shown = project.show("item_t")
    assert shown["definitions"][0]["type_parameters"] == [{"name": "T", "default": "base::req_t"}]
    show_definitions(shown)
    assert "T is a type parameter, base::req_t by default" in capsys.readouterr().out
    show_definitions(project.show("far_t"))
    assert "69 bits in all" in capsys.readouterr().out
