"""Syntax errors are counted by `index` and `status`, and listed by `unresolved --syntax`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hdlgraph.serve.cli.main import run


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a broken file, a sound one, and a fragment that others include."""
    root = tmp_path_factory.mktemp("broken")
    (root / "sound.sv").write_text("module sound(input logic a); endmodule\n")
    (root / "broken.sv").write_text("// Breaks off.\nmodule broken(input a\n")
    (root / "part.svh").write_text("assign y = a;\nalways_comb z = y;\n")
    return root


def test_they_are_counted_and_listed(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["index", str(broken), "--no-embeddings", "-j", "1"]) == 0
    said = capsys.readouterr().out
    assert "1 syntax error in 1 file (`hdlgraph unresolved --syntax` lists them)" in said
    assert run(["index", str(broken), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["syntax_errors"], report["syntax_error_files"]) == (1, 1)
    at = ["--index", str(broken)]
    assert run(["status", *at]) == 0
    assert "1 syntax error in 1 file" in " ".join(capsys.readouterr().out.split())
    assert run(["unresolved", "--syntax", *at]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("broken.sv:2: expected ")
    assert "1 syntax error in 1 file" in shown.err
    assert run(["unresolved", "--syntax", "--json", *at]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["total"], found["files"]) == (1, 1)
    [error] = found["syntax_errors"]
    assert (error["path"], error["line"], error["reader"]) == ("broken.sv", 2, "slang")
    assert run(["unresolved", "--syntax", "--kind", "module", *at]) == 2


def test_the_one_broken_file_of_a_design_is_told(
    indexed_soc: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["unresolved", "--syntax", "--json", "--index", str(indexed_soc)]) == 0
    errors = json.loads(capsys.readouterr().out)["syntax_errors"]
    assert [one["location"] for one in errors] == ["rtl/broken_decoder.sv:7"]
