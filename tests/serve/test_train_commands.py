"""The commands `train` as a user meets them: labels from a model, models, data to export."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from _helped import replies
from _llama import Llama

from hdlgraph.eval.stubs.server import Stub
from hdlgraph.project import Project
from hdlgraph.query.assist.cards import CARDS
from hdlgraph.serve.cli.main import run

FILES = ("bus_arbiter", "sync_fifo", "uart_rx", "uart_tx", "uart", "timer", "soc_pkg", "bus_if")
QUESTIONS = [
    f"which part has to do with {name.replace('_', ' ')} {n}?" for name in FILES for n in "abc"
]
FEW = QUESTIONS[::4]
"""Where nothing is trained: each costs a search."""


@pytest.fixture
def root(soc_project: Project, tmp_path: Path) -> Path:
    """A private copy of the little system with its index."""
    ignored = shutil.ignore_patterns("answers.sqlite*")
    return Path(shutil.copytree(soc_project.root, tmp_path / "soc", ignore=ignored))


def settings(folder: Path, stub: Stub) -> Path:
    path = folder / "model.yaml"
    path.write_text(
        "hdlgraph:\n  llm:\n    provider: openai\n"
        f"    base_url: {stub.base_url}\n    query_model: judge\n    retries: 0\n"
        "    query_input_price: 2\n    query_output_price: 8\n"
    )
    return path


def questions(folder: Path, texts: Sequence[str] = QUESTIONS) -> Path:
    path = folder / "questions.jsonl"
    lines = [{"question": text, "id": n} for n, text in enumerate(texts)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def output(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    return json.loads(capsys.readouterr().out)


def test_labels_are_bought_once_and_recorded(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = tmp_path / "labels.jsonl"
    with Stub(replies(rerank={"order": [2, 1]})) as stub:
        options = ["--index", str(root), "--settings", str(settings(tmp_path, stub)), "--json"]
        command = ["train", "label", str(questions(tmp_path, FEW)), "--out", str(labels), *options]
        assert run([*command, "--dry-run"]) == 0
        estimate = output(capsys)
        assert (stub.requests, labels.exists()) == ([], False)
        assert estimate["calls"] == len(FEW)
        assert estimate["cost"] > 0
        assert run(command) == 0
        found = output(capsys)
        assert (found["labelled"], found["calls"]) == (len(FEW), len(FEW))
        written = labels.read_text()
        assert run(command) == 0
        again = output(capsys)
        assert (again["calls"], again["stored"]) == (0, len(FEW))
        assert len(stub.requests) == len(FEW)
        sent = stub.requests[0]["messages"][-1]["content"]
    assert labels.read_text() == written
    first = json.loads(written.splitlines()[0])
    assert sorted(first) == ["answer", "id", "model", "order", "paths", "prompt", "question"]
    assert (first["order"], first["answer"], first["model"]) == ([2, 1], {"order": [2, 1]}, "judge")
    assert first["prompt"] == sent
    shown = re.findall(r"<card \d+>\n(\S+)", sent)
    assert first["paths"] == shown
    assert len(shown) <= CARDS


def test_a_limit_stops_in_order_and_failures_are_named(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = tmp_path / "labels.jsonl"
    with Stub(replies(rerank={"order": []})) as stub:
        options = ["--index", str(root), "--settings", str(settings(tmp_path, stub)), "--json"]
        command = ["train", "label", str(questions(tmp_path, FEW)), "--out", str(labels), *options]
        assert run([*command, "--max-tokens", "10"]) == 1
        found = output(capsys)
        assert (found["labelled"], stub.requests) == (0, [])
        assert "--max-tokens 10 is reached" in found["stopped"]
        assert run(command) == 1
        found = output(capsys)
        assert len(found["failed"]) == len(FEW)
        assert "no usable answer" in found["failed"][0]
    assert labels.read_text() == ""


def test_wrong_use_is_told_in_one_line(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at = ["--index", str(root)]
    asked = str(questions(tmp_path))
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"question": "who?"}\n{"question": 3}\n')
    for command, told in (
        (["label", asked], "train label needs a language model"),
        (["embedder", str(tmp_path / "none.jsonl")], "cannot read"),
        (["reranker", asked], 'neither "relevant", nor "order"'),
        (["label", str(bad)], "bad.jsonl:2: "),
    ):
        assert run(["train", *command, *at]) == 2
        error = capsys.readouterr().err
        assert told in error, error


def test_labels_train_a_reranker(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels, models = tmp_path / "labels.jsonl", tmp_path / "models"
    with Stub(replies(rerank={"order": [1, 2, 3]})) as stub:
        options = ["--index", str(root), "--settings", str(settings(tmp_path, stub))]
        asked = str(questions(tmp_path))
        assert run(["train", "label", asked, "--out", str(labels), *options]) == 0
        assert "24 of 24 questions labelled" in capsys.readouterr().out
    command = ["train", "reranker", str(labels), "--out", str(models), "--index", str(root)]
    assert run([*command, "--json"]) == 0
    found = output(capsys)
    (model,) = found["models"]
    assert (model["kind"], model["used"], model["better"]) == ("reranker", 24, False)
    (judged,) = model["judged"]
    assert judged["recall"]["1"][0] == 1.0  # the labels say what the search says
    assert (models / model["file"]).is_file()
    assert run(command) == 0
    assert "before > after" in capsys.readouterr().out


def test_data_is_exported_the_same_each_time(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        assert run(["train", "export", str(tmp_path / name), "--index", str(root), "--json"]) == 0
        found = output(capsys)
    files = sorted(path for path in (tmp_path / "a").rglob("*") if path.is_file())
    for path in files:
        assert path.read_bytes() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes()
    told = json.loads((tmp_path / "a" / "export.json").read_text())
    for name, count in found["counts"].items():
        data = (tmp_path / "a" / name).read_bytes()
        assert (data.count(b"\n"), hashlib.sha256(data).hexdigest()) == (
            count,
            told["sha256"][name],
        )
    sides = {
        part: {
            json.loads(line)["path"] for line in (tmp_path / "a" / part / "pretrain.jsonl").open()
        }
        for part in ("train", "valid")
    }
    assert not sides["train"] & sides["valid"]
    assert len(sides["train"] | sides["valid"]) == len(Project(root).manifest().files)
    chat = json.loads((tmp_path / "a" / "train" / "chat.jsonl").open().readline())
    assert [one["role"] for one in chat["messages"]] == ["system", "user", "assistant"]
    pairs = [json.loads(line) for line in (tmp_path / "a" / "train" / "pairs.jsonl").open()]
    assert all(pair["positive"] not in pair["negatives"] for pair in pairs)
    (root / "rtl" / "timer.v").write_text("module other; endmodule\n")
    assert run(["train", "export", str(tmp_path / "c"), "--index", str(root)]) == 0
    assert "no longer as they were indexed: rtl/timer.v" in capsys.readouterr().out
    (tmp_path / "file").write_text("")
    assert run(["train", "export", str(tmp_path / "file"), "--index", str(root)]) == 2
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.long
def test_a_real_model_labels_and_its_labels_train(
    llama: Llama, root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.yaml"
    path.write_text(
        f"hdlgraph:\n{llama.settings}    output_tokens: 120\n    retries: 1\n    timeout_s: 300\n"
        "  ask:\n    context_tokens: 500\n"
    )
    labels = tmp_path / "labels.jsonl"
    options = ["--index", str(root), "--settings", str(path), "--json"]
    run(["train", "label", str(questions(tmp_path)), "--out", str(labels), *options])
    found = output(capsys)
    assert found["labelled"] + len(found["failed"]) == len(QUESTIONS)
    assert found["labelled"] >= 20
    assert run(["train", "reranker", str(labels), *options]) == 0
    (model,) = output(capsys)["models"]
    assert model["used"] == found["labelled"]
