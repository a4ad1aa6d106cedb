"""`hdlgraph export` of pictures, from the command line to the file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run

SOC = Path(__file__).parents[1] / "designs" / "soc"


@pytest.fixture(scope="module")
def soc_index(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = shutil.copytree(SOC, tmp_path_factory.mktemp("drawn") / "soc")
    (root / "rtl" / "again").mkdir()
    (root / "rtl" / "again" / "timer.v").write_text("module timer (input clk); endmodule\n")
    project = Project(root)
    project.index(embeddings=False, graphrag="never")
    return project


@pytest.fixture
def at(soc_index: Project) -> list[str]:
    return ["--index", str(soc_index.folder)]


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("a.svg", '<?xml version="1.0" encoding="UTF-8"?>\n<svg '),
        ("a.dot", 'digraph "soc_top" {'),
        ("a.gv", 'digraph "soc_top" {'),
        ("a.mmd", "%% soc_top rtl/soc_top.sv:2\nflowchart LR\n"),
        ("a.mermaid", "%% soc_top"),
        ("a.html", "<!doctype html>\n"),
    ],
)
def test_the_name_of_the_file_says_the_format(
    name: str, begins: str, at: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / name
    assert run(["export", str(target), "--unit", "soc_top", *at]) == 0
    assert target.read_text(encoding="utf-8").startswith(begins)
    assert capsys.readouterr().err.rstrip().endswith(f"to {target}")
    assert list(tmp_path.iterdir()) == [target]


def test_the_same_index_gives_the_same_file(at: list[str], tmp_path: Path) -> None:
    for fmt in ("svg", "dot", "mermaid", "html"):
        for name in ("a", "b"):
            target = str(tmp_path / name)
            assert run(["export", target, "--format", fmt, "--unit", "uart", *at]) == 0
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_picture_goes_to_stdout_too(at: list[str], capfdbinary: pytest.CaptureFixture) -> None:
    assert run(["export", "-", "--format", "svg", "--unit", "uart", *at]) == 0
    ElementTree.fromstring(capfdbinary.readouterr().out)


def test_a_page_has_the_units_below_and_the_tree(at: list[str], tmp_path: Path) -> None:
    def titles(depth: int) -> list[str]:
        page = tmp_path / f"{depth}.html"
        assert run(["export", str(page), "--unit", "soc_top", "--depth", str(depth), *at]) == 0
        text = page.read_text(encoding="utf-8")
        assert '<nav aria-label="Hierarchy">' in text
        return [part.partition("</h2>")[0] for part in text.split('"><h2>')[1:]][1:]

    assert titles(1) == ["soc_top"]
    assert titles(3) == ["soc_top", "uart"]


def test_json_tells_what_was_drawn(
    at: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["export", str(tmp_path / "a.dot"), "--unit", "soc_top", "--json", *at]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {key: told[key] for key in ("format", "pictures", "boxes", "notes")} == {
        "format": "dot", "pictures": 1, "boxes": 9, "notes": [],
    }  # fmt: skip
    page = (Path(__file__).parents[2] / "docs" / "json.md").read_text()
    section = next(one for one in page.split("\n## ") if one.startswith("`export"))
    assert all(f"`{key}`" in section for key in set(told) - {"schema"})


def test_of_several_units_of_a_name_it_says_which_is_drawn(
    at: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["export", str(tmp_path / "a.svg"), "--unit", "timer", *at]) == 0
    told = "timer stands in rtl/again/timer.v and also in rtl/timer.v"
    assert told in capsys.readouterr().err


def test_a_limit_says_what_it_left_out(
    at: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "a.svg"
    assert run(["export", str(target), "--unit", "soc_top", "--limit", "3", *at]) == 0
    assert "note: 4 of 6 instances are in one box (--limit 3 boxes)" in capsys.readouterr().err
    assert "4 more instances" in target.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["a.svg"], "give --unit NAME, or --overview"),
        (["a.svg", "--unit", "uart", "--overview"], "exclude each other"),
        (["a.graphml", "--unit", "uart"], "--format graphml writes the whole graph"),
        (["a.json", "--limit", "3"], "--format json writes the whole graph"),
        (["a.svg", "--unit", "zzzz"], "nothing is called 'zzzz'"),
        (["a.svg", "--unit", "uart.clk_i"], "is a port, not a module"),
        (["a.svg", "--unit", "vendor_sram_1k"], "defined nowhere here"),
        (["-", "--format", "svg", "--unit", "uart", "--json"], "would both write to stdout"),
        (["a.svg", "--unit", "uart", "--limit", "0"], "--limit"),
    ],
)
def test_what_cannot_be_drawn_is_told_in_one_line(
    arguments: list[str], says: str, at: list[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert run(["export", *arguments, *at]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert says in shown.err
    assert len(shown.err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_programs_draw_by_the_same_facade(soc_index: Project) -> None:
    picture = soc_index.picture("soc_top")
    assert [box.title for box in picture.boxes][:2] == ["u_reset_sync", "bus"]
    assert picture == soc_index.picture("module:rtl/soc_top.sv#soc_top")
