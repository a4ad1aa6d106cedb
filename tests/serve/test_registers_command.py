"""`hdlgraph registers` as a user meets it."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run

DESIGN = Path(__file__).parent.parent / "designs" / "registers" / "pulse"
PAGE = Path(__file__).parent.parent.parent / "docs" / "json.md"


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    root = tmp_path_factory.mktemp("design") / "pulse"
    shutil.copytree(DESIGN, root)
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    return ["--index", str(root)]


def test_blocks_are_listed(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["registers", *at]) == 0
    out = capsys.readouterr().out
    assert out == "pulse (data/pulse.hjson:2): 8 registers, 12 fields, 8 found in RTL\n"


def test_a_register_and_its_fields(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["registers", "pulse.ctrl", *at]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "  0xc CTRL rw (data/pulse.hjson:10)  Control.",
        "    rtl/pulse_reg_pkg.sv:19  declares PULSE_CTRL_OFFSET",
        "    [0] EN rw reset 0 (data/pulse.hjson:13)  Counts.",
        "      rtl/pulse_reg_top.sv:7  implements u_ctrl_en",
        "      rtl/pulse.sv:12  reads reg2hw.ctrl.en.q",
        "    [15:8] STEP rw reset 0x4 (data/pulse.hjson:14)",
        "      rtl/pulse_reg_top.sv:9  implements u_ctrl_step",
        "      rtl/pulse.sv:12  reads reg2hw.ctrl.step.q",
    ]


@pytest.mark.parametrize(
    "name", ["CTRL.EN", "reg2hw.ctrl.en.q", "ctrl_en", "en", "pulse.ctrl.en", "Pulse.Ctrl_en"]
)
def test_names_are_matched_as_they_are_written_anywhere(
    at: list[str], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["registers", name, *at]) == 0
    assert "    [0] EN rw" in capsys.readouterr().out


def test_a_unit_and_a_limit(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["registers", "pulse_lane", *at]) == 0
    out = capsys.readouterr().out
    assert "rtl/pulse.sv:26  reads limit.q" in out
    assert "reg_top" not in out
    assert run(["registers", "limit", "--limit", "1", *at]) == 0
    assert "... and 3 more lines; --limit" in capsys.readouterr().out


def test_json_has_the_keys_that_are_told(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["registers", "pulse", "--json", *at]) == 0
    data = json.loads(capsys.readouterr().out)
    section = PAGE.read_text().partition("## `registers [NAME]`")[2].partition("\n## ")[0]
    told = {word for text in re.findall("`([^`]+)`", section) for word in re.findall(r"\w+", text)}
    (block,) = data["blocks"]
    field = next(one for one in block["registers"][3]["fields"])
    for one in (block, *block["registers"], field, field["rtl"][0]):
        assert set(one) - told == set()
    assert (data["schema"], data["stale"]["changed"], block["n_linked"]) == (1, [], 8)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ctrl.stp", "did you mean pulse.CTRL"),
        ("pulsse", "did you mean pulse (data/pulse.hjson:2)"),
        ("zzz", "`hdlgraph registers` lists the blocks"),
    ],
)
def test_unknown_names_are_told(
    at: list[str], name: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["registers", name, *at]) == 2
    assert words in capsys.readouterr().err


def test_a_repository_without_registers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.sv").write_text("module a; endmodule\n")
    Project(tmp_path).index(embeddings=False, graphrag="never", jobs=1)
    assert run(["registers", "--index", str(tmp_path)]) == 0
    assert "no description of registers" in capsys.readouterr().out
    assert run(["registers", "uart", "--index", str(tmp_path)]) == 2
