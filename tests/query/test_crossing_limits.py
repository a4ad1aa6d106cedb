"""A search of crossings that ends at its limit says so, with the registers it ended at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hdlgraph.project import Project
from hdlgraph.query.clocks.analysis import Analysis
from hdlgraph.query.clocks.listing import crossings
from hdlgraph.query.clocks.network import Limits
from hdlgraph.query.clocks.units import Units

DEPTH = 40


def analysed(folder: Path, cone: int) -> dict[str, Any]:
    chain = "".join(
        f"assign n[{i + 1}] = n[{i}] ^ w[{i}]; assign w[{i}] = n[{i}] & d;\n" for i in range(DEPTH)
    )
    (folder / "top.sv").write_text(
        f"module top(input logic ca, cb, d, output logic near, far);\nlogic a, b;\n"
        f"logic [{DEPTH}:0] n, w;\nalways_ff @(posedge ca) a <= d;\nassign n[0] = a;\n{chain}"
        f"always_ff @(posedge cb) near <= a & d;\nalways_ff @(posedge cb) far <= n[{DEPTH}];\n"
        "endmodule\n"
    )
    project = Project(folder)
    project.index(graphrag="never", embeddings=False, jobs=1)
    design = project._signals()
    (row,) = design.units("top")
    return crossings(Analysis(Units(design), row, Limits(cone=cone)), "all", 20)


def test_a_search_that_ends_at_the_limit_is_told(tmp_path: Path) -> None:
    found = analysed(tmp_path, 10)
    assert [(one["target"], one["cut"]) for one in found["crossings"]] == [("top.near", False)]
    assert found["cut"] == 1
    (note,) = found["notes"]
    assert note.startswith("the search ended at 10 nets around top.far; ")


def test_one_that_does_not_end_finds_the_far_source(tmp_path: Path) -> None:
    found = analysed(tmp_path, 1000)
    assert sorted(one["target"] for one in found["crossings"]) == ["top.far", "top.near"]
    assert (found["cut"], found["notes"]) == (0, [])
