"""Indexing with a model that fails, or is killed: nothing is lost and nothing is paid twice."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from _bank import FILES, MODEL, explanation, index, settings

from hdlgraph.eval.stubs.faults import matching, seeded
from hdlgraph.eval.stubs.server import Stub
from hdlgraph.index.explain.by_model.kept import read_kept
from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub(explanation, retry_after_s=0.01) as server:
        yield server


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
    quick = ("--no-embeddings", "--graphrag", "never", "--jobs", "1")
    return [*start, *quick, "--settings", str(file), *more]


def end_at(process: subprocess.Popen, stub: Stub, calls: int, how: int) -> str:
    """Sends a signal once so many calls were answered; returns what was said on stderr."""
    end = time.monotonic() + 60
    while stub.answered < calls:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.005)
    process.send_signal(how)
    return process.communicate(timeout=30)[1]


@pytest.mark.kill
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


@pytest.mark.kill
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
