"""Indexing with a model: what is asked, what is paid, what survives faults, limits and kills."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hdlgraph.eval.stubs.faults import always, matching, seeded
from hdlgraph.eval.stubs.server import Stub

from hdlgraph.errors import UsageError
from hdlgraph.index.explain.model.kept import read_kept
from hdlgraph.project import Project
from hdlgraph.results import IndexReport
from hdlgraph.serve.cli.main import run

FILES = 20
MODEL = "stub-model"
SETTINGS = """
hdlgraph:
  llm:
    provider: openai
    base_url: {url}
    build_model: stub-model
    concurrency: {concurrency}
    retries: {retries}
    build_input_price: {input_price}
    build_output_price: {output_price}
"""


def explanation(body: dict[str, Any]) -> dict[str, Any]:
    """Returns what a model might say; the name of the module is in it, and one it made up."""
    text = body["messages"][-1]["content"]
    if '"links"' in json.dumps(body.get("response_format", {})):
        numbers = range(1, text.count("<file ") + 1)
        idea = {"concept": "lane control", "description": "", "element": "", "relation": ""}
        return {"files": [{"file": n, "concepts": [idea]} for n in numbers], "links": []}
    name = next(word for word in text.split() if word.startswith("lane_"))
    return {
        "purpose": f"Written by a model for `{name}` which drives one lane of the bank.",
        "behaviour": "It adds the two operands. It raises `made_up_flag_q` in the end.",
        "interfaces": "",
        "parameters": "",
        "instances": "",
        "concepts": ["lane of a bank"],
    }


def write_bank(root: Path) -> None:
    """Writes a repository of small files, each different; the first four are a chain."""
    (root / "rtl").mkdir(parents=True)
    for n in range(FILES):
        lines = [
            f"// Lane {n} of the bank.",
            f"module lane_{n:02} (input a, output b);",
            f"  assign b = a ^ 1'd{n % 2};",
            *([f"  lane_{n + 1:02} below (.a(a), .b());"] if n < 3 else []),
            "endmodule",
        ]
        (root / f"rtl/lane_{n:02}.v").write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="session")
def parsed_bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bank, its facts in the cache and nothing else indexed."""
    root = tmp_path_factory.mktemp("parsed") / "bank"
    write_bank(root)
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    for path in (root / ".hdlgraph").iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != "cache.sqlite":
            path.unlink()
    return root


@pytest.fixture
def bank(parsed_bank: Path, tmp_path: Path) -> Path:
    """A copy of the bank, free to be edited."""
    return Path(shutil.copytree(parsed_bank, tmp_path / "bank"))


@pytest.fixture
def new_bank(tmp_path: Path) -> Path:
    """A bank that was never indexed."""
    write_bank(tmp_path / "bank")
    return tmp_path / "bank"


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub(explanation, retry_after_s=0.01) as server:
        yield server


def settings(
    tmp_path: Path,
    stub: Stub,
    *,
    concurrency: int = 4,
    prices: tuple[Any, Any] = (1.0, 4.0),
    retries: int = 8,
) -> Path:
    path = tmp_path / "llm.yaml"
    values = {"input_price": prices[0], "output_price": prices[1], "retries": retries}
    path.write_text(SETTINGS.format(url=stub.base_url, concurrency=concurrency, **values))
    return path


def index(root: Path, file: Path, **options: Any) -> IndexReport:
    options = {"explain": "model", **options}
    return Project(root, settings=file).index(embeddings=False, graphrag="never", jobs=1, **options)


def writers(root: Path) -> dict[str, int]:
    return Project(root).status()["writers"]


def test_every_file_is_explained_once_and_only_once(bank: Path, tmp_path: Path, stub: Stub) -> None:
    file = settings(tmp_path, stub)
    report = index(bank, file)
    assert (stub.calls, report.models.done["explain"], report.models.fallbacks) == (
        FILES,
        FILES,
        (),
    )
    assert writers(bank) == report.writers == {MODEL: FILES}
    told = Project(bank).explanations()["rtl/lane_07.v"]
    assert told.purpose.startswith("Written by a model for `lane_07`")
    assert "made_up_flag_q" not in told.to_text()
    generation = Project(bank).manifest().generation
    again = index(bank, file)
    assert (stub.calls, again.models.usage) == (FILES, ())
    assert Project(bank).manifest().generation == generation


def test_the_report_tells_usage_price_and_how_far_to_trust(
    bank: Path, tmp_path: Path, stub: Stub
) -> None:
    report = index(bank, settings(tmp_path, stub))
    (usage,) = report.models.usage
    assert (usage.stage, usage.calls, usage.failed) == ("explain", FILES, 0)
    assert (usage.input_tokens, usage.output_tokens) == (stub.input_tokens, stub.output_tokens)
    cost = (stub.input_tokens * 1.0 + stub.output_tokens * 4.0) / 1e6
    assert report.models.cost == pytest.approx(cost)
    (trust,) = report.trust
    assert (trust.model, trust.files, trust.names, trust.invented) == (MODEL, FILES, 40, 20)
    assert trust.rate == 0.5
    assert "hallucin" not in json.dumps(report.to_dict())  # plain words


def test_only_an_edited_file_is_paid_again(bank: Path, tmp_path: Path, stub: Stub) -> None:
    file = settings(tmp_path, stub)
    index(bank, file)
    path = bank / "rtl/lane_05.v"
    path.write_text(path.read_text().replace("assign b = a", "assign b = ~a"))
    (bank / "rtl/lane_09.v").rename(bank / "rtl/lane_moved.v")
    report = index(bank, file)
    assert stub.calls == FILES + 1
    assert "~a" in stub.requests[-1]["messages"][-1]["content"]
    assert (report.models.done["explain"], report.models.usage[0].stored) == (2, 1)
    assert writers(bank) == {MODEL: FILES}


def test_a_run_without_the_switch_keeps_what_was_written(
    bank: Path, tmp_path: Path, stub: Stub
) -> None:
    index(bank, settings(tmp_path, stub))
    path = bank / "rtl/lane_05.v"
    path.write_text(path.read_text() + "// Later.\n")
    plain = Project(bank)
    report = plain.index(embeddings=False, graphrag="never", jobs=1)
    assert report.writers == {"deterministic": 1, MODEL: FILES - 1}
    assert report.models.pending == {"explain": 1}
    assert plain.index(embeddings=False, graphrag="never", explain="deterministic").writers == {
        "deterministic": FILES
    }
    assert plain.index(embeddings=False, graphrag="never").writers[MODEL] == FILES - 1
    assert stub.calls == FILES


def test_imported_explanations_are_not_asked_for(bank: Path, tmp_path: Path, stub: Stub) -> None:
    plain = Project(bank)
    plain.index(embeddings=False, graphrag="never", jobs=1)
    one = next(iter(plain.explanations().values()))
    shared = tmp_path / "shared.jsonl"
    line = {"path": one.path, "sha256": one.sha256, "purpose": "By the team.", "model": "m"}
    shared.write_text(json.dumps(line) + "\n")
    plain.import_explanations(shared)
    report = index(bank, settings(tmp_path, stub))
    assert report.writers == {"imported": 1, MODEL: FILES - 1}
    assert stub.calls == FILES - 1
    assert plain.explanations()[one.path].purpose == "By the team."


def test_fresh_asks_again_and_pays_nothing_for_the_same(
    bank: Path, tmp_path: Path, stub: Stub
) -> None:
    file = settings(tmp_path, stub)
    index(bank, file)
    report = index(bank, file, fresh=True)
    assert stub.calls == FILES
    assert (report.models.usage[0].calls, report.models.usage[0].stored) == (0, FILES)
    assert index(bank, file, fresh=True, explain=None).writers == {"deterministic": FILES}
    assert index(bank, file, explain=None).writers == {MODEL: FILES}


def test_the_second_pass_rewrites_with_the_neighbours(
    bank: Path, tmp_path: Path, stub: Stub
) -> None:
    file = settings(tmp_path, stub)
    index(bank, file)
    report = index(bank, file, neighbours=True)
    assert stub.calls == FILES + 4  # of the chain of four, the others have no neighbours
    assert report.models.done["neighbours"] == 4
    assert report.models.pending == {"explain": 0, "neighbours": 0}
    index(bank, file, neighbours=True)
    assert stub.calls == FILES + 4


def test_concepts_are_kept_for_runs_that_do_not_ask(bank: Path, tmp_path: Path, stub: Stub) -> None:
    file = settings(tmp_path, stub)
    report = index(bank, file, extract="both")
    assert (report.models.done["extract"], stub.calls) == (FILES, FILES + 3)
    names = {node.name for node in Project(bank).graph().nodes if node.origin == "llm"}
    assert names == {"lane control"}
    path = bank / "rtl/lane_05.v"
    path.write_text(path.read_text() + "// Later.\n")
    plain = Project(bank)
    plain.index(embeddings=False, graphrag="never", jobs=1)
    assert "lane control" in {node.name for node in plain.graph().nodes}
    plain.index(embeddings=False, graphrag="never", extract="ast")
    assert "lane control" not in {node.name for node in plain.graph().nodes}
    assert stub.calls == FILES + 3


@pytest.mark.parametrize("share", [0.6])
def test_no_file_is_lost_when_most_calls_fail(
    bank: Path, tmp_path: Path, stub: Stub, share: float
) -> None:
    stub.faults = seeded(3, {"503": share})
    report = index(bank, settings(tmp_path, stub, concurrency=16))
    assert sum(report.writers.values()) == FILES
    assert set(Project(bank).explanations()) == {f"rtl/lane_{n:02}.v" for n in range(FILES)}
    assert len(report.models.fallbacks) == FILES - report.writers.get(MODEL, 0)
    assert report.models.usage[0].retries > FILES / 2
    stub.faults = None
    answered = stub.answered
    assert index(bank, settings(tmp_path, stub)).writers == {MODEL: FILES}
    assert stub.answered == FILES
    assert answered == report.writers.get(MODEL, 0)


def test_a_file_that_fails_falls_back_is_listed_and_asked_again(
    bank: Path, tmp_path: Path, stub: Stub
) -> None:
    file = settings(tmp_path, stub)
    stub.faults = matching("lane_04", "refusal")
    report = index(bank, file)
    assert report.writers == {"deterministic": 1, MODEL: FILES - 1}
    (line,) = report.models.fallbacks
    assert line.startswith("rtl/lane_04.v: ")
    assert report.models.pending == {"explain": 1}
    assert Project(bank).status()["pending"] == {"explain": 1}
    stub.faults = None
    calls = stub.calls
    assert index(bank, file).models.pending == {"explain": 0}
    assert stub.calls == calls + 1


def test_a_dead_endpoint_leaves_an_index_all_the_same(
    bank: Path, tmp_path: Path, stub: Stub
) -> None:
    stub.dies_after = 8
    report = index(bank, settings(tmp_path, stub, retries=1))
    assert report.writers[MODEL] == 8
    assert len(report.models.fallbacks) == FILES - 8
    assert Project(bank).search("lane 19").hits


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
    assert run(["index", str(new_bank), "--dry-run", "--explain", "model", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["schema"], data["dry_run"], data["endpoint"]) == (1, True, "")
    total = data["stages"][-1]
    assert (total["calls"], total["cost_most"]) == (FILES, None)
    assert any("llm.build_input_price" in note for note in data["notes"])
    assert run(["index", str(new_bank), "--dry-run", "--explain", "model"]) == 0
    assert f"{FILES} files" in capsys.readouterr().out
    assert not (new_bank / ".hdlgraph").exists()


def command(root: Path, file: Path, *more: str) -> list[str]:
    start = [
        sys.executable,
        "-m",
        "hdlgraph.serve.cli.main",
        "index",
        str(root),
        "--explain",
        "model",
    ]
    return [*start, "--no-embeddings", "--graphrag", "never", "--settings", str(file), *more]


def end_at(process: subprocess.Popen, stub: Stub, calls: int, how: int) -> str:
    """Sends a signal once so many calls were answered; returns what was said on stderr."""
    end = time.monotonic() + 60
    while stub.answered < calls:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.005)
    process.send_signal(how)
    return process.communicate(timeout=30)[1]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_goes_on_where_it_was(
    bank: Path, tmp_path: Path, stub: Stub, how: signal.Signals
) -> None:
    at_once = 2
    file = settings(tmp_path, stub, concurrency=at_once)
    stub.latency_s = 0.1
    process = subprocess.Popen(
        command(bank, file), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    said = end_at(process, stub, FILES * 6 // 10, how)
    assert process.returncode == (130 if how == signal.SIGINT else -how)
    if how == signal.SIGINT:
        assert "interrupted; finished work is kept" in said
        assert "Traceback" not in said
    assert stub.calls < FILES
    assert not (bank / ".hdlgraph/manifest.json").exists()
    stub.latency_s = 0
    kept = len(read_kept(bank / ".hdlgraph/explanations-first.jsonl"))
    assert kept == 0 or how == signal.SIGINT
    done = subprocess.run(
        command(bank, file, "--json"), capture_output=True, text=True, timeout=120, check=True
    )
    report = json.loads(done.stdout)
    assert report["writers"] == {MODEL: FILES}
    # What was under way at the kill is asked again; whatever had arrived is not.
    assert stub.calls <= FILES + at_once
    kept += report["models"]["usage"][0]["stored"]
    assert kept >= FILES * 6 // 10 - at_once
    assert report["models"]["usage"][0]["calls"] == FILES - kept


def test_the_exit_code_tells_what_is_missing(
    bank: Path, tmp_path: Path, stub: Stub, capsys: pytest.CaptureFixture[str]
) -> None:
    file = settings(tmp_path, stub)
    arguments = command(bank, file)[3:]
    stub.faults = matching("lane_04", "refusal")
    assert run(arguments) == 1
    told = capsys.readouterr()
    assert "hdlgraph: error: rtl/lane_04.v: " in told.err
    assert f"{FILES - 1}" in told.out
    assert "a model has still to do: explain 1" in told.out
    stub.faults = None
    assert run(arguments) == 0
    assert "explanations: stub-model 20" in capsys.readouterr().out


def test_a_batch_interrupted_is_collected_and_not_sent_again(
    bank: Path, tmp_path: Path, stub: Stub
) -> None:
    file = settings(tmp_path, stub)
    stub.batch_polls = 10**6  # it never ends by itself
    process = subprocess.Popen(
        command(bank, file, "--batch"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    end = time.monotonic() + 60
    while not stub.batches and time.monotonic() < end:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    time.sleep(0.3)
    process.kill()
    process.communicate()
    stub.batch_polls = 0
    report = index(bank, file, batch=True)
    assert report.writers == {MODEL: FILES}
    assert (len(stub.batches), stub.answered) == (1, FILES)
    live = (stub.input_tokens * 1.0 + stub.output_tokens * 4.0) / 1e6
    assert report.models.cost == pytest.approx(live / 2)
