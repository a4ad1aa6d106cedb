"""The programs that compare facts of signals with elaboration agree on a little design."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hdlgraph.eval.structural import machines, mentions, signals
from hdlgraph.eval.structural.elaborated import Elaborated
from hdlgraph.eval.structural.truth import Place, truth
from hdlgraph.project import Project

DESIGN = Path(__file__).parent.parent / "designs" / "signals"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("structural") / "link"
    shutil.copytree(DESIGN, folder)
    Project(folder).index(graphrag="never", embeddings=False, jobs=1)
    return folder


def test_elaboration_says_what_is_driven_and_read(root: Path) -> None:
    design = Elaborated(Project(root), "top")
    assert design.files == ["link.sv"]
    seen = truth(design)
    stage = seen["link.sv", "stage"]
    assert stage.drives == {("y", Place(56))}
    assert stage.reads == {("a", Place(56))}
    assert seen["link.sv", "sender"].clocked["count_q"] == {("clk_i", "rst_ni")}
    top = seen["link.sv", "top"]
    assert ("hop", Place(67, "y")) in top.drives
    assert ("hop", Place(67, "a")) in top.reads


def test_the_index_agrees(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    signals.measure(root, root / ".hdlgraph", "top", worst=20)
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines[1].startswith("DRIVES")
    assert lines[1].endswith("recall 1.0000, precision 1.0000")
    assert lines[2].startswith("READS")
    assert lines[2].endswith("recall 1.0000, precision 1.0000")
    assert lines[3] == "clock known of 3 of 3 registers of processes"


def test_machines_agree(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machines.measure(root, root / ".hdlgraph", "top", worst=20)
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines[1:] == ["machines 1 of 1", "transitions 4, recall 1.0000, precision 1.0000"]


def test_lines_that_use_names_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pkg.sv").write_text(
        "package pkg;\n  parameter int WIDTH = 8;\n"
        "  function automatic int twice(int x);\n    return 2 * x;\n  endfunction\nendpackage\n"
    )
    (tmp_path / "top.sv").write_text(
        "module top import pkg::*; #(parameter int N = 3) (input int a, output int b, c);\n"
        "  assign b = a + WIDTH;\n  assign c = twice(N) + pkg::WIDTH;\nendmodule\n"
    )
    Project(tmp_path).index(graphrag="never", embeddings=False, jobs=1)
    mentions.measure(tmp_path, tmp_path / ".hdlgraph", "top", worst=20)
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        "top: 2 files, 0 errors, 3 names",
        "lines that slang binds 4, told 1.0000",
        "lines told 4, with the name in their code 1.0000",
    ]
