"""The whole path once with a real language model. Its prose is poor; the path must hold.

Tests that are `long` ask it for half a minute and more each: `make test-model` runs them too.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from _llama import MODEL, Llama

from hdlgraph.doctor import check_all
from hdlgraph.project import Project
from hdlgraph.results import IndexReport

DESIGN = Path(__file__).parent / "designs" / "soc"
FILES = ("rtl/bus_arbiter.sv", "rtl/sync_fifo.sv")
SHORT_FILES = FILES[1:]
QUESTION = "who grants the bus?"


def client(llama: Llama):
    from openai import OpenAI

    return OpenAI(base_url=llama.base_url, api_key="none", max_retries=0, timeout=120)


def test_server_chats_and_counts(llama: Llama) -> None:
    answer = client(llama).chat.completions.create(
        model=MODEL,
        messages=[{"role": "user", "content": "What is a first-in first-out queue?"}],
        max_tokens=24,
        temperature=0,
    )
    assert len(answer.choices[0].message.content.split()) > 3
    assert answer.usage.prompt_tokens > 8
    assert 0 < answer.usage.completion_tokens <= 24


def test_server_keeps_to_a_schema(llama: Llama) -> None:
    schema = {
        "type": "object",
        "properties": {"kind": {"enum": ["queue", "arbiter"]}, "full": {"type": "boolean"}},
        "required": ["kind", "full"],
        "additionalProperties": False,
    }
    answer = client(llama).chat.completions.create(
        model=MODEL,
        messages=[{"role": "user", "content": "Describe a full queue as JSON."}],
        max_tokens=64,
        temperature=0,
        response_format={
            "type": "json_schema",
            "json_schema": {"name": "thing", "schema": schema, "strict": True},
        },
    )
    value = json.loads(answer.choices[0].message.content)
    assert value["kind"] in ("queue", "arbiter")
    assert isinstance(value["full"], bool)


def made(llama: Llama, folder: Path, files: tuple[str, ...]) -> Project:
    """Some files and settings that name the real model, with short answers to save time."""
    for path in files:
        target = folder / "design" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(DESIGN / path, target)
    settings = folder / "settings.yaml"
    settings.write_text(
        f"hdlgraph:\n{llama.settings}"
        "    output_tokens: 150\n"
        "    retries: 1\n"
        "    timeout_s: 300\n"
        "  explain:\n"
        "    code_tokens: 200\n"
        "  ask:\n"
        "    context_tokens: 500\n"
    )
    return Project(folder / "design", settings=settings)


@pytest.fixture(scope="module")
def short_project(llama: Llama, tmp_path_factory: pytest.TempPathFactory) -> Project:
    return made(llama, tmp_path_factory.mktemp("short"), SHORT_FILES)


@pytest.fixture(scope="module")
def project(llama: Llama, tmp_path_factory: pytest.TempPathFactory) -> Project:
    return made(llama, tmp_path_factory.mktemp("real"), FILES)


@pytest.fixture(scope="module")
def explained(project: Project) -> IndexReport:
    return explain(project)


def explain(project: Project) -> IndexReport:
    return project.index(explain="model", graphrag="never", jobs=1)


def test_doctor_asks_the_model(short_project: Project) -> None:
    [check] = [check for check in check_all(short_project) if check["name"] == "language model"]
    assert check["state"] == "ok", check
    assert MODEL in check["detail"]
    assert "streams" in check["detail"]
    assert "JSON schema" in check["detail"]


def test_one_file_has_an_explanation_or_is_listed(short_project: Project) -> None:
    check_explanations(short_project, explain(short_project), SHORT_FILES)


@pytest.mark.long
def test_every_file_has_an_explanation_and_what_failed_is_listed(
    project: Project, explained: IndexReport
) -> None:
    check_explanations(project, explained, FILES)


def check_explanations(project: Project, explained: IndexReport, files: tuple[str, ...]) -> None:
    told = project.explanations()
    assert sorted(told) == sorted(files)
    assert all(explanation.purpose for explanation in told.values())
    written = {path for path, told_of in told.items() if told_of.model == MODEL}
    fallen = {line.partition(": ")[0] for line in explained.models.fallbacks}
    assert written | fallen == set(files)
    assert not written & fallen
    assert explained.models.done["explain"] == len(written)
    assert explained.models.pending.get("explain", 0) == len(fallen)
    [usage] = [stage for stage in explained.models.usage if stage.stage == "explain"]
    assert usage.calls >= len(files)
    assert usage.input_tokens > 0
    assert usage.output_tokens > 0


@pytest.mark.long
def test_an_answer_is_streamed_and_cites_what_exists(
    project: Project, explained: IndexReport
) -> None:
    pieces: list[str] = []
    answer = project.ask(QUESTION, on_text=pieces.append)
    assert "".join(pieces).strip() == answer.text.strip()
    assert answer.model == MODEL or any("no answer from the model" in n for n in answer.notes)
    assert answer.text.strip()
    for citation in answer.citations:
        lines = (project.root / citation.path).read_text().count("\n") + 1
        assert 1 <= citation.line <= citation.end_line <= lines


@pytest.mark.long
def test_reranking_keeps_all_files(project: Project, explained: IndexReport) -> None:
    plain = project.search(QUESTION)
    helped = project.search(QUESTION, rerank=True)
    assert sorted(hit.path for hit in helped.hits) == sorted(hit.path for hit in plain.hits)


@pytest.mark.long
def test_concepts_of_one_file_while_the_other_is_gone(
    project: Project, explained: IndexReport
) -> None:
    (project.root / FILES[0]).unlink()
    report = project.index(explain="model", extract="both", graphrag="never", jobs=1)
    assert report.removed == FILES[:1]
    [usage] = [stage for stage in report.models.usage if stage.stage == "extract"]
    assert usage.calls >= 1
    listed = {line.partition(": ")[0] for line in report.models.fallbacks}
    assert report.models.done["extract"] == 1 or FILES[1] in listed
    assert sorted(project.explanations()) == [FILES[1]]
    assert project.search("queue").hits[0].path == FILES[1]
