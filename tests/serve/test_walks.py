"""`hdlgraph path` and `hdlgraph impact` as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    root = tmp_path_factory.mktemp("design")
    for name, below in (("leaf", ""), ("left", "leaf u_leaf();"), ("right", "leaf u_leaf();")):
        (root / f"{name}.sv").write_text(f"module {name};\n  {below}\nendmodule\n")
    (root / "top.sv").write_text("module top;\n  left u_left();\n  right u_right();\nendmodule\n")
    (root / "alone.sv").write_text("module alone;\nendmodule\n")
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    return ["--index", str(root)]


def test_path_as_text_and_json(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["path", "top", "leaf", *at]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "top  module  top.sv:1"
    assert lines[1] == "  instantiates left  module  top.sv:2  u_left"
    assert lines[2] == "  instantiates leaf  module  left.sv:2  u_leaf"
    assert lines[3] == ""
    assert "  instantiates right" in lines[5]
    assert run(["path", "top", "leaf", "--limit", "1", *at, "--json"]) == 0
    shown = capsys.readouterr()
    data = json.loads(shown.out)
    assert (data["schema"], data["total"], len(data["walks"])) == (1, 2, 1)
    assert data["walks"][0]["steps"][1]["to"]["path"] == "leaf.sv"
    assert run(["path", "top", "alone", *at]) == 0
    assert capsys.readouterr().out == "no walk leads from top to alone\n"


def test_impact_as_text_and_json(at: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["impact", "leaf", *at]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        ["distance", "1:", "2"],
        ["left", "left.sv:2", "instantiates", "leaf"],
        ["right", "right.sv:2", "instantiates", "leaf"],
        ["distance", "2:", "1"],
        ["top", "top.sv:2", "instantiates", "left"],
    ]
    assert run(["impact", "leaf", "--depth", "1", *at]) == 0
    assert "more lies beyond distance 1 (--depth)" in capsys.readouterr().err
    assert run(["impact", "leaf", "--limit", "1", *at, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["schema"], data["total"], data["deeper"]) == (1, 3, False)
    assert [level["count"] for level in data["levels"]] == [2, 1]
    assert run(["impact", "alone", *at]) == 0
    assert capsys.readouterr().out == "nothing is affected by alone\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["path", "topp", "leaf"], "nothing is called 'topp'; did you mean top"),
        (["path", "top", "leav"], "nothing is called 'leav'; did you mean leaf"),
        (["path", "top", "TOP"], "both mean module top top.sv:1; name two things"),
        (["impact", "lefd"], "nothing is called 'lefd'; did you mean left"),
        (["impact", "leaf", "--depth", "0"], "--depth"),
        (["path", "top", "leaf", "--limit", "0"], "--limit"),
    ],
)
def test_wrong_use_is_one_line(
    at: list[str], arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*arguments, *at]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert says in shown.err
    assert len(shown.err.splitlines()) == 1


def test_they_are_in_the_help_and_the_docs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "json.md").read_text()
    for name in ("path", "impact"):
        assert run([name, "--help"]) == 0
        assert "--json" in capsys.readouterr().out
        assert f"## `{name} " in page
