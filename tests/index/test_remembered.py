"""Options of `index` are remembered by the index, shown, changed and forgotten."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run
from hdlgraph.settings.remembered import Options, keepable, remembered, words
from hdlgraph.store.manifest import read_manifest, write_manifest

QUICK = ["--no-embeddings", "--graphrag", "never", "-j", "1"]


@pytest.fixture
def soc(tmp_path: Path) -> Path:
    """A repository of a few lines."""
    root = tmp_path / "soc"
    for name in ("rtl/uart_tx.sv", "rtl/uart_rx.sv", "dv/uart_tb.sv", "formal/uart_fv.sv"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        unit = name.rpartition("/")[2].removesuffix(".sv")
        (root / name).write_text(f"// Part of a serial line.\nmodule {unit}; endmodule\n")
    return root


@pytest.fixture
def indexed_soc(soc: Path) -> Path:
    """The same with an index by words."""
    Project(soc).index(embeddings=False, graphrag="never", jobs=1)
    return soc


def index(capsys: pytest.CaptureFixture[str], root: Path, *options: str) -> dict[str, Any]:
    assert run(["index", str(root), "-j", "1", "--json", *options]) == 0
    return json.loads(capsys.readouterr().out)


def plain(capsys: pytest.CaptureFixture[str], root: Path, *options: str) -> dict[str, Any]:
    """What the next plain run would read, told without running it."""
    assert run(["index", str(root), "--dry-run", "--json", *options]) == 0
    return json.loads(capsys.readouterr().out)


def said(report: dict[str, Any]) -> list[str]:
    return [note for note in report["notes"] if "remembered" in note]


def test_the_next_plain_index_takes_them_and_says_so(
    soc: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = index(capsys, soc, *QUICK, "--exclude", "dv/**", "--exclude", "formal/**")
    assert said(first) == []
    second = index(capsys, soc)
    assert second["files"] == first["files"] > 0
    assert second["removed"] == second["added"] == []
    assert said(second) == [
        "using remembered options: --exclude 'dv/**' --exclude 'formal/**' --no-embeddings "
        "--graphrag never (--reset-options forgets)"
    ]
    assert second["options"] == first["options"] == {
        "exclude": ["dv/**", "formal/**"], "embeddings": False, "graphrag": "never"
    }  # fmt: skip
    assert run(["status", "--index", str(soc)]) == 0
    assert "exclude dv/** formal/**, graphrag never, no embeddings" in capsys.readouterr().out
    assert run(["status", "--index", str(soc), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["options"] == first["options"]


def test_given_again_they_change_and_reset_forgets(
    indexed_soc: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert index(capsys, indexed_soc, "--exclude", "dv/**")["files"] == 3
    assert plain(capsys, indexed_soc)["files"] == 3
    other = index(capsys, indexed_soc, "--exclude", "rtl/**")
    assert other["options"]["exclude"] == ["rtl/**"]
    assert (other["files"], other["added"]) == (2, ["dv/uart_tb.sv"])
    anew = index(capsys, indexed_soc, "--reset-options", *QUICK)
    assert anew["files"] == 4
    assert "exclude" not in anew["options"]
    assert said(anew) == []
    assert plain(capsys, indexed_soc)["files"] == 4


def test_a_filelist_is_remembered_by_its_place_in_the_repository(
    soc: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (soc / "lists").mkdir()
    (soc / "lists" / "all.f").write_text("../rtl/uart_tx.sv\n../rtl/uart_rx.sv\n")
    monkeypatch.chdir(soc / "lists")
    first = index(capsys, soc, *QUICK, "-f", "all.f")
    assert first["options"]["filelist"] == "lists/all.f"
    monkeypatch.chdir(soc.parent)
    assert first["files"] == 2
    moved = soc.rename(soc.parent / "elsewhere")
    assert plain(capsys, moved)["files"] == 2
    (moved / "lists" / "all.f").unlink()
    assert run(["index", str(moved)]) == 2
    error = capsys.readouterr().err
    assert "lists/all.f: no such file, and the index remembers it" in error
    assert "--reset-options" in error
    assert plain(capsys, moved, "--reset-options")["files"] == 4


def test_what_a_repository_may_not_set_is_not_remembered(
    soc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside.f"
    outside.write_text(f"{soc}/rtl/uart_tx.sv\n")
    first = index(capsys, soc, *QUICK, "-f", str(outside))
    assert "filelist" not in first["options"]
    assert f"-f {outside} lies outside of the repository" in said(first)[0]
    second = plain(capsys, soc)
    assert second["files"] == 4 > first["files"]
    assert any(f"-f {outside} of the former run is not remembered" in n for n in second["notes"])
    monkeypatch.setenv("RTL_HOME", "rtl")
    (soc / "own.f").write_text("$RTL_HOME/uart_tx.sv\n")
    third = index(capsys, soc, "-f", str(soc / "own.f"))
    assert "filelist" not in third["options"]
    assert any("takes $RTL_HOME from the environment" in note for note in third["notes"])


def test_an_index_of_a_stranger_may_not_do_more_than_settings(
    indexed_soc: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.f"
    secret.write_text("x\n")
    crafted = {
        "filelist": "../secret.f",
        "graphrag": "always",
        "explain": "model",
        "extract": "llm",
        "include": ["a" * 300, "rtl/**"],
        "exclude": {"no": "list"},
        "data_type": "anything",
        "embeddings": "yes",
    }
    taken = remembered(crafted, indexed_soc)
    assert taken == Options(include=("rtl/**",))
    (indexed_soc / "link.f").symlink_to(secret)
    assert remembered({"filelist": "link.f"}, indexed_soc).filelist is None
    assert remembered({"filelist": str(secret)}, indexed_soc).filelist is None
    folder = indexed_soc / ".hdlgraph"
    made = msgspec.structs.replace(read_manifest(folder), options=crafted)
    write_manifest(folder, made)
    report = Project(indexed_soc).index(jobs=1, embeddings=False)
    assert report.options == {"include": ["rtl/**"], "embeddings": False}


def test_a_remembered_filelist_expands_no_variable(
    indexed_soc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RTL_HOME", "rtl")
    (indexed_soc / "own.f").write_text("$RTL_HOME/uart_tx.sv\nrtl/uart_rx.sv\n")
    folder = indexed_soc / ".hdlgraph"
    options = {"filelist": "own.f", "embeddings": False}
    write_manifest(folder, msgspec.structs.replace(read_manifest(folder), options=options))
    report = Project(indexed_soc).index(jobs=1, graphrag="never")
    assert any("$RTL_HOME is not expanded" in note for note in report.notes)


def test_a_damaged_index_remembers_nothing(indexed_soc: Path) -> None:
    (indexed_soc / ".hdlgraph" / "manifest.json").write_text('{"options": [')
    report = Project(indexed_soc).index(jobs=1, embeddings=False)
    assert report.options == {"embeddings": False}


def test_options_of_another_index_version_are_kept(indexed_soc: Path) -> None:
    manifest = indexed_soc / ".hdlgraph" / "manifest.json"
    text = manifest.read_text().replace('"schema": 4', '"schema": 3', 1)
    manifest.write_text(text)
    report = Project(indexed_soc).index(jobs=1)
    assert report.options == {"embeddings": False, "graphrag": "never"}


def test_words_are_those_of_a_command_line(tmp_path: Path) -> None:
    options = Options(Path("a b.f"), ("x y/**",), (), "code", False, "never")
    assert words(keepable(options, tmp_path)[0].to_dict()) == (
        "-f 'a b.f' --include 'x y/**' --data-type code --no-embeddings --graphrag never"
    )
