"""Imported and model-written explanations can be forgotten; hdlgraph's own are not imported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.index.explain.by_model.kept import FIRST, ModelExplanation, add_kept, read_kept
from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run
from hdlgraph.store.explanations import read_imported, read_jsonl, write_jsonl


def by(project: Project, model: str, *paths: str) -> list[ModelExplanation]:
    """Explanations of files as they are, by a model."""
    told = project.explanations()
    return [
        ModelExplanation(path=p, sha256=told[p].sha256, purpose=f"Said by {model}.", model=model)
        for p in paths
    ]


@pytest.fixture
def project(indexed_soc: Path, tmp_path: Path) -> Project:
    """The little system with two imported explanations and two of a model."""
    made = Project(indexed_soc)
    shared = tmp_path / "shared.jsonl"
    write_jsonl(by(made, "team", "rtl/timer.v", "dv/soc_tb.sv"), shared)
    made.import_explanations(shared)
    add_kept(made.folder / FIRST, by(made, "gpt-x", "rtl/uart_tx.sv", "rtl/uart_rx.sv"))
    return made


def test_its_own_export_is_refused(
    indexed_soc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own.jsonl"
    assert run(["explanations", "export", str(own), "--index", str(indexed_soc)]) == 0
    assert run(["explanations", "import", str(own), "--index", str(indexed_soc)]) == 2
    error = capsys.readouterr().err
    assert "all 14 explanations are hdlgraph's own (`model: deterministic`)" in error
    assert not (indexed_soc / ".hdlgraph" / "imported.jsonl").exists()


def test_of_a_mixed_file_the_rest_is_taken(
    indexed_soc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Project(indexed_soc)
    mixed = tmp_path / "mixed.jsonl"
    made.export_explanations(mixed)
    [one] = by(made, "team", "rtl/timer.v")
    write_jsonl({**read_jsonl(mixed), one.path: one}.values(), mixed)
    at = ["--index", str(indexed_soc)]
    assert run(["explanations", "import", str(mixed), *at]) == 0
    assert "13 left out: they are hdlgraph's own" in capsys.readouterr().err
    assert run(["explanations", "import", str(mixed), *at, "--json"]) == 0
    counts = json.loads(capsys.readouterr().out)
    assert (counts["read"], counts["refused"], counts["imported"]) == (14, 13, 1)


def test_own_ones_that_a_former_version_imported_do_not_count(
    indexed_soc: Path, tmp_path: Path
) -> None:
    made = Project(indexed_soc)
    file = made.folder / "imported.jsonl"
    write_jsonl([*made.explanations().values()], file)
    assert read_imported(file) == {}


def test_forget_by_model_and_the_next_index_writes_by_rules(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    report = project.index(jobs=1)
    assert report.writers == {"deterministic": 10, "gpt-x": 2, "imported": 2}
    at = ["--index", str(project.folder)]
    assert run(["explanations", "forget", "--model", "gpt-x", *at, "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert done == {"schema": 1, "forgotten": {"gpt-x": 2}, "files": 2, "left": 2}
    report = project.index(jobs=1)
    assert report.writers == {"deterministic": 12, "imported": 2}
    assert "gpt-x" not in project.explanations()["rtl/uart_tx.sv"].purpose


@pytest.mark.parametrize(
    ("arguments", "forgotten"),
    [
        (["rtl"], {"gpt-x": 2, "imported": 1}),
        (["rtl/uart_tx.sv", "./dv/"], {"gpt-x": 1, "imported": 1}),
        (["--model", "imported"], {"imported": 2}),
        (["--model", "team", "rtl"], {"imported": 1}),
        (["--all"], {"gpt-x": 2, "imported": 2}),
    ],
)
def test_forget_by_path_writer_or_all(
    project: Project,
    arguments: list[str],
    forgotten: dict[str, int],
    capsys: pytest.CaptureFixture[str],
) -> None:
    at = ["--index", str(project.folder), "--json"]
    assert run(["explanations", "forget", *arguments, *at]) == 0
    done = json.loads(capsys.readouterr().out)
    assert done["forgotten"] == forgotten
    held = len(read_kept(project.folder / FIRST)) + len(
        read_imported(project.folder / "imported.jsonl")
    )
    assert done["left"] == held == 4 - sum(forgotten.values())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name PATHS, --model NAME, or --all"),
        (["--model", "nobody"], "nobody: wrote no explanation here; there are those of gpt-x"),
        (["formal"], "formal: no explanation of it was imported"),
        (["--all", "rtl"], "--all leaves nothing to choose"),
    ],
)
def test_a_wish_that_fits_nothing_is_wrong_use(
    project: Project, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["explanations", "forget", *arguments, "--index", str(project.folder)]) == 2
    assert said in capsys.readouterr().err
    assert len(read_kept(project.folder / FIRST)) == 2


def test_forget_without_an_index(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is none"):
        Project(tmp_path).forget_explanations(everything=True)
    assert list(tmp_path.iterdir()) == []
