"""`hdlgraph clocks` and `hdlgraph crossings` as a user meets them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run

DESIGN = Path(__file__).parent.parent / "designs" / "clocks"
PAGE = Path(__file__).parent.parent.parent / "docs" / "json.md"


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    root = tmp_path_factory.mktemp("design") / "chip"
    shutil.copytree(DESIGN, root)
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    return ["--index", str(root)]


def test_clocks_and_resets_as_text(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["clocks", "chip", *at]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("chip (chip.sv:74): 4 clocks, ")
    assert any("chip.u_half.q" in line and "register of chip.clk_a" in line for line in lines)
    gated = "  gated: chip.u_take.u_gate.clk_o from chip.clk_b"
    assert any(line.startswith(gated) for line in lines)
    assert run(["clocks", "chip", "--resets", "--limit", "1", *at]) == 0
    out = capsys.readouterr().out
    assert "6 registers" in out
    assert "6 asynchronous, active low" in out
    assert "... and 1 more resets; --limit" in out


def test_crossings_as_text(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["crossings", "chip", "--limit", "1", *at]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "chip (chip.sv:74): 6 crossings, 11 instances"
    assert lines[1].startswith("  chip.clk_a -> chip.clk_b: 1 nothing seen, ")
    assert lines[3:6] == [
        "nothing seen",
        "  chip.u_send.data (chip.sv:52) of chip.clk_a",
        "  chip.u_take.bare (chip.sv:70) of chip.clk_b",
    ]
    assert lines[-1].startswith("candidates from the text")


def test_keys_are_on_the_page(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    page = PAGE.read_text()
    for command in (["clocks", "chip"], ["clocks", "chip", "--resets"], ["crossings", "chip"]):
        assert run([*command, *at, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        part = page[page.index(f"## `{command[0]} UNIT`") :]
        keys = set(found)
        for name in ("clocks", "resets", "pairs", "crossings"):
            for one in found.get(name, []):
                keys |= set(one)
                for inner in (*one.get("steps", []), *one.get("synchronisers", [])):
                    keys |= set(inner)
        told = set(re.findall(r"`(\w+)`", part)) | {"schema", "notes", "stale", "path", "line"}
        assert keys <= told


def test_wrong_use_is_one_message(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["crossings", "chap", *at]) == 2
    assert "did you mean chip" in capsys.readouterr().err
    assert run(["crossings", "chip", "--kind", "all of them", *at]) == 2
    assert "write none, handshake" in capsys.readouterr().err


FAN = (
    """module top(input logic ca, cb, d, output logic [5:0] q);
logic a;
always_ff @(posedge ca) a <= d;
"""
    + "".join(
        f"logic r{n};\nalways_ff @(posedge cb) if (!r{n}) r{n} <= a;\nassign q[{n}] = r{n};\n"
        for n in range(6)
    )
    + "endmodule\n"
)


def test_crossings_of_one_register_stand_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "top.sv").write_text(FAN)
    assert run(["index", str(tmp_path), "-q", "--no-embeddings", "--graphrag", "never"]) == 0
    capsys.readouterr()
    assert run(["crossings", "top", "--index", str(tmp_path / ".hdlgraph")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("  top.a ") for line in lines) == 1
    assert [line.split()[:2] for line in lines if line.startswith("  also")] == [
        ["also", f"top.r{n}"] for n in range(1, 5)
    ] + [["also", "1"]]
