"""`hdlgraph unused`, `reach` and `impact --parameter` without elaboration, as a user meets them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run

DESIGNS = Path(__file__).parent.parent / "designs"
PAGE = Path(__file__).parent.parent.parent / "docs" / "json.md"


def told_in(section: str) -> set[str]:
    text = PAGE.read_text().partition(f"## `{section}`")[2].partition("\n## ")[0]
    return set(re.findall(r"\w+", " ".join(re.findall("`([^`]+)`", text))))


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    root = tmp_path_factory.mktemp("design") / "both"
    for name in ("idle", "address"):
        shutil.copytree(DESIGNS / name, root, dirs_exist_ok=True)
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    return ["--index", str(root)]


def test_the_summary_comes_first(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["unused", "rtl", "--limit", "2", *at]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"\d+ unused in rtl", lines[0])
    assert any(re.match(r" +1 undriven +signals read, never driven", one) for one in lines)
    assert any("(1 on purpose)" in one for one in lines)
    assert lines[-3].startswith("undriven lane.floating rtl/lane.sv:")
    assert lines[-1].startswith("... and ")


def test_the_object_is_documented(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["unused", "--full", "--json", *at]) == 0
    found = json.loads(capsys.readouterr().out)
    told = told_in("unused [NAME]") | {"schema", "notes", "stale"}
    assert set(found) <= told
    assert set(found["findings"][0]) | set(found["folders"][0]) <= told
    assert set(found["counts"]) <= told
    assert found["total"] == len(found["findings"]) == sum(found["counts"].values())


def test_what_is_meant_has_its_reason(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["unused", "lane", "--deliberate", *at]) == 0
    assert "(lint_off UNUSED)" in capsys.readouterr().out
    assert run(["unused", "nothing_such", *at]) == 2
    assert "no unit, file or folder" in capsys.readouterr().err


def test_who_reaches_an_address(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reach", "0x40001004", *at]) == 0
    out = capsys.readouterr().out
    assert out.startswith("lamp1 (lamp) 0x40001000 + 0x4, 4096 bytes data/xbar_slow.hjson:7")
    assert "register lamp.MODE data/lamp.hjson:8" in out
    assert "from cpu (tiny_core) data/xbar_main.hjson:5  through crossbar main" in out
    assert run(["reach", "0x80000000", *at]) == 0
    assert "hosts: the repository does not tell them" in capsys.readouterr().out
    assert run(["reach", "0xdead0000", *at]) == 0
    assert "nothing is known to answer at 0xdead0000" in capsys.readouterr().out
    assert run(["reach", "lamp.MODES", *at]) == 2
    assert "did you mean lamp.MODE" in capsys.readouterr().err


def test_the_answer_is_documented(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reach", "lamp.MODE", "--json", *at]) == 0
    found = json.loads(capsys.readouterr().out)
    told = told_in("reach NAME") | {"schema", "notes", "stale"}
    assert set(found) <= told
    for one in found["answers"]:
        assert set(one) <= told
        assert set(one["hosts"][0]) | set(one["register"]) | set(one["decoders"][0]) <= told


def test_a_parameter_without_a_value_is_told_from_the_text(
    at: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["impact", "--parameter", "lane.W", *at]) == 0
    out, err = capsys.readouterr()
    assert "from the text alone, not elaborated: no value was named" in err
    assert re.search(r"parameters made of it: 1\n +lane\.Last +rtl/lane\.sv:\d+ +W - 1", out)
    assert re.search(r"ports and signals whose type has it: 2\n +lane\.data_i ", out)
    assert run(["impact", "--parameter", "lane.WW", *at]) == 2
    assert "lane has no parameter 'WW' to set; it has EXTRA, Last, Least, W" in (
        capsys.readouterr().err
    )


def test_the_uses_in_the_text_are_documented(
    at: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["impact", "--parameter", "lane.W=16", "--json", *at]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["elaborated"] is True
    assert {one["name"] for one in found["widths"]} >= {"data_i", "data_o"}
    told = told_in("impact NAME")
    assert set(found["written"]) | set(found["written"]["widths"][0]) <= told
    assert found["written"]["counts"]["widths"] == 2
