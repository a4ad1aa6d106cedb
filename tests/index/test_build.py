"""The process that builds GraphRAG's tables: its limits, its end, what it replaces and reports."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest
from _tables import (
    changed,
    nodes_and_edges,
    table,
    write_generation,
)

from hdlgraph.errors import BuildError
from hdlgraph.eval.stubs.server import Stub
from hdlgraph.index.graphrag import build
from hdlgraph.index.graphrag.build import build_graphrag
from hdlgraph.settings.records import Settings

pytestmark = pytest.mark.graphrag


@pytest.fixture
def index(tmp_path) -> Path:
    write_generation(tmp_path / "gen-1", *nodes_and_edges())
    (tmp_path / "graphrag").mkdir()
    (tmp_path / "graphrag" / "former").write_text("former")
    return tmp_path


def names(index: Path) -> list[str]:
    return sorted(path.name for path in index.iterdir())


def test_failed_build_leaves_the_former_tables(index, monkeypatch):
    (index / "gen-1" / "explanations.jsonl").unlink()
    with pytest.raises(BuildError, match="explanations"):
        build_graphrag(index, index / "gen-1", Settings())
    assert names(index) == ["gen-1", "graphrag"]
    assert (index / "graphrag" / "former").exists()


@pytest.mark.parametrize(
    ("values", "words"),
    [({"deadline_s": 0.3}, "raise graphrag.deadline_s"), ({"memory_mb": 5}, "graphrag.memory_mb")],
)
def test_limits_end_the_process(index, values, words):
    with pytest.raises(BuildError, match=words):
        build_graphrag(index, index / "gen-1", changed("graphrag", **values))
    assert names(index) == ["gen-1", "graphrag"]
    assert (index / "graphrag" / "former").exists()


@pytest.mark.cold
def test_a_process_that_dies_is_reported(index, monkeypatch):
    monkeypatch.setattr(build, "_environment", lambda: {**os.environ, "PYTHONHOME": "/nowhere"})
    with pytest.raises(BuildError, match=r"ended with code 1: .*No module named .encodings"):
        build_graphrag(index, index / "gen-1", Settings())


def test_build_replaces_the_tables_and_recovers_a_killed_swap(index):
    (index / "graphrag").rename(index / "graphrag.old")
    (index / "graphrag.part").mkdir()
    (index / "gen-1" / "evil").mkdir()
    # A module of this name beside the data must not be imported.
    (index / "pandas.py").write_text("raise SystemExit('imported from the working directory')")
    found = build_graphrag(index, index / "gen-1", Settings())
    assert found["entities"] == 12
    assert found["documents"] == 5
    assert names(index) == ["gen-1", "graphrag", "pandas.py"]
    inside = sorted(path.name for path in (index / "graphrag").iterdir())
    assert inside == ["build.json", "logs", "output", "parts.npz", "result.json"]
    assert len(table(index / "graphrag", "entities")) == 12


def test_the_build_process_reports_answers_and_usage(index, monkeypatch):
    def reply(body):
        path = body["messages"][0]["content"].rsplit("Text: ", 1)[1].split("\n")[0]
        return f'("entity"<|>{path}<|>file<|>A file)'

    monkeypatch.setenv("STUB_KEY", "sesame")
    told: list[int] = []
    with Stub(reply=reply, key="sesame") as stub:
        llm = {"provider": "openai", "base_url": stub.base_url, "key_env": "STUB_KEY"}
        settings = changed("llm", **llm)
        extract = dataclasses.replace(settings.extract, method="llm")
        none = dataclasses.replace(settings.embedding, provider="none")
        settings = dataclasses.replace(settings, extract=extract, embedding=none)
        found = build_graphrag(index, index / "gen-1", settings, on_answer=told.append)
    assert (found["entities"], found["relationships"], found["communities"]) == (5, 0, 0)
    assert [(one.stage, one.calls) for one in found["usage"]] == [("extract_graph", 5)]
    assert told == sorted(told)
    inside = sorted(path.name for path in (index / "graphrag").iterdir())
    assert inside == ["build.json", "logs", "output", "result.json"]
