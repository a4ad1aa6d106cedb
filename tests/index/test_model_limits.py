"""Limits of money and tokens, what is refused before anything is spent, and dry runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from _bank import FILES, MODEL, explanation, index, settings

from hdlgraph.errors import UsageError
from hdlgraph.eval.stubs.faults import always
from hdlgraph.eval.stubs.server import Stub
from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub(explanation, retry_after_s=0.01) as server:
        yield server


def test_a_limit_of_tokens_stops_and_the_next_run_goes_on(
    bank: Path, tmp_path: Path, stub: Stub
) -> None:
    file = settings(tmp_path, stub)
    limit = 6_000
    report = index(bank, file, max_tokens=limit)
    done = report.writers[MODEL]
    assert 0 < done < FILES
    assert stub.input_tokens + stub.output_tokens <= limit
    assert "--max-tokens 6000 is reached" in report.models.stopped
    assert report.models.pending == {"explain": FILES - done}
    assert len(report.models.fallbacks) == FILES - done
    assert index(bank, file).writers == {MODEL: FILES}
    assert stub.answered == FILES


def test_a_limit_of_money_is_kept(bank: Path, tmp_path: Path, stub: Stub) -> None:
    report = index(bank, settings(tmp_path, stub), max_cost=0.01)
    assert 0 < report.writers[MODEL] < FILES
    assert report.models.cost is not None
    assert report.models.cost <= 0.01


@pytest.mark.parametrize(
    ("options", "prices", "words"),
    [
        ({"max_cost": 1.0}, ("null", "null"), "llm.build_input_price"),
        ({"max_cost": -1.0}, (1, 1), "--max-cost -1"),
        ({"explain": None, "max_tokens": 5}, (1, 1), "--max-tokens: this run asks no model"),
        ({"explain": None, "batch": True}, (1, 1), "--batch: this run asks no model"),
        ({"explain": None, "extract": "llm"}, (1, 1), "--graphrag never"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_spent(
    new_bank: Path, tmp_path: Path, stub: Stub, options: dict, prices: tuple, words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        index(new_bank, settings(tmp_path, stub, prices=prices), **options)
    assert (stub.paths, (new_bank / ".hdlgraph").exists()) == ({}, False)


def test_no_endpoint_no_key_or_a_bad_prompt_end_the_run_at_once(
    new_bank: Path, tmp_path: Path, stub: Stub, capsys: pytest.CaptureFixture[str]
) -> None:
    file = settings(tmp_path, stub)
    assert run(["index", str(new_bank), "--explain", "model"]) == 2
    assert "llm.provider" in capsys.readouterr().err
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/explain_file.txt").write_text("One.\n{path} {code} {facts} {secrets}\n")
    assert run(["index", str(new_bank), "--explain", "model", "--settings", str(file)]) == 2
    assert "explain_file.txt:2" in capsys.readouterr().err
    assert not (new_bank / ".hdlgraph").exists()
    assert not stub.paths


@pytest.mark.parametrize("fault", ["401", "model"])
def test_a_key_or_a_model_that_is_refused_ends_the_run(
    bank: Path, tmp_path: Path, stub: Stub, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    stub.faults = always(fault)
    command = ["index", str(bank), "--explain", "model", "--no-embeddings", "--settings"]
    assert run([*command, str(settings(tmp_path, stub))]) == 2
    assert stub.calls == 1
    assert capsys.readouterr().err.count("hdlgraph: error: ") == 1


def test_a_dry_run_sends_and_writes_nothing(
    new_bank: Path, tmp_path: Path, stub: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = settings(tmp_path, stub)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    project = Project(new_bank, settings=file)
    found = project.estimate(explain="model", neighbours=True, extract="both", jobs=1)
    assert [(one.stage, one.files, one.calls) for one in found.stages] == [
        ("explain", FILES, FILES),
        ("neighbours", 4, 4),
        ("extract", FILES, 3),
        ("total", FILES, FILES + 7),
    ]
    assert not stub.paths
    assert not (new_bank / ".hdlgraph").exists()
    report = index(new_bank, file, neighbours=True, extract="both")
    assert stub.calls == found.total.calls
    assert report.models.cost is not None
    assert found.total.cost_most is not None
    assert report.models.cost < found.total.cost_most
    used, expected = report.models.usage[0], found.stages[0]
    assert used.input_tokens <= expected.input_tokens <= 1.4 * used.input_tokens


def test_a_dry_run_leaves_out_what_is_paid(bank: Path, tmp_path: Path, stub: Stub) -> None:
    file = settings(tmp_path, stub)
    index(bank, file, max_tokens=6_000)
    answered = stub.answered
    before = {path: path.read_bytes() for path in (bank / ".hdlgraph").rglob("*") if path.is_file()}
    project = Project(bank, settings=file)
    assert project.estimate(explain="model", jobs=1).total.calls == FILES - answered
    again = project.estimate(explain="model", fresh=True, jobs=1).total
    assert (again.calls, again.stored) == (FILES, answered)
    after = {path: path.read_bytes() for path in (bank / ".hdlgraph").rglob("*") if path.is_file()}
    assert before == after
    assert stub.answered == answered


def test_a_dry_run_needs_neither_endpoint_nor_price(
    new_bank: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["index", str(new_bank), "--dry-run", "--explain", "model", "--jobs", "1"]
    assert run([*command, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["schema"], data["dry_run"], data["endpoint"]) == (1, True, "")
    total = data["stages"][-1]
    assert (total["calls"], total["cost_most"]) == (FILES, None)
    assert any("llm.build_input_price" in note for note in data["notes"])
    assert run(command) == 0
    assert f"{FILES} files" in capsys.readouterr().out
    assert not (new_bank / ".hdlgraph").exists()
