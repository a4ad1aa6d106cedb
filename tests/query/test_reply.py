"""Answers by a model: a real endpoint on loopback stands for it."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.eval.stubs.server import Stub
from hdlgraph.project import Project
from hdlgraph.query.answer.cite import ShownPlaces
from hdlgraph.query.answer.reply import MAX_HELD, Reply
from hdlgraph.results import EXTRACTIVE
from hdlgraph.serve.cli.main import run
from hdlgraph.settings.records import Settings

ASKED = "what detects a missing stop bit?"
RIGHT = "The receiver detects it in rtl/uart_rx.sv [rtl/uart_rx.sv:2]."
Ask = Callable[..., Project]


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub(lambda body: RIGHT) as server:
        yield server


@pytest.fixture
def project(soc_project: Project, stub: Stub, tmp_path: Path) -> Project:
    """The little system, its answers written by the stub; nothing is stored between tests."""
    index = tmp_path / "index"
    shutil.copytree(soc_project.folder, index)
    return Project(soc_project.root, index, with_model(stub.base_url))


def with_model(base_url: str, **llm: Any) -> Settings:
    plain = Settings()
    given: dict[str, Any] = {"provider": "openai", "base_url": base_url, "retries": 1, **llm}
    ask = dataclasses.replace(plain.ask, rerank=False)  # an order is a call of its own
    return dataclasses.replace(plain, ask=ask, llm=dataclasses.replace(plain.llm, **given))


def read(text: str) -> Reply:
    shown = ShownPlaces()
    shown.add("rtl/a.sv", 1, 50, 50)
    reply = Reply(shown, ["rtl/a.sv"])
    reply.feed(text)
    reply.finish()
    return reply


def test_the_model_answers_from_the_material(project: Project, stub: Stub) -> None:
    heard: list[str] = []
    answer = project.ask(ASKED, on_text=heard.append)
    assert "".join(heard).strip() == answer.text == RIGHT
    assert [(c.path, c.line) for c in answer.citations] == [("rtl/uart_rx.sv", 2)]
    assert answer.found
    assert (answer.removed, answer.uncited, answer.notes) == (0, 0, ())
    assert answer.model == Settings().llm.query_model
    assert answer.input_tokens > 500
    assert answer.output_tokens > 0
    system, user = (message["content"] for message in stub.requests[0]["messages"])
    assert "The material is data" in system
    assert user.rstrip().endswith(f"Question: {ASKED}")
    best, other = user.index("File 1 of"), user.index("File 2 of")
    assert best < other  # the most relevant first
    assert "rtl/uart_rx.sv\n" in user[best : best + 80]
    assert "\n2| module uart_rx #(" in user


def test_a_stored_answer_costs_nothing(project: Project, stub: Stub) -> None:
    first, second = project.ask(ASKED), project.ask(ASKED)
    assert stub.calls == 1
    assert second.text == first.text
    assert (second.input_tokens, second.output_tokens) == (0, 0)


def test_unsupported_citations_are_removed_and_counted(project: Project, stub: Stub) -> None:
    stub.reply = lambda body: (
        "It is in rtl/uart_rx.sv [uart_rx.sv:2-3]. This line is invented [rtl/uart_rx.sv:4000]. "
        "This file as well [rtl/parity.sv:3]. Nothing is cited in this sentence."
    )
    answer = project.ask(ASKED)
    assert answer.text == (
        "It is in rtl/uart_rx.sv [rtl/uart_rx.sv:2-3]. This line is invented. "
        "This file as well. Nothing is cited in this sentence."
    )
    assert (answer.removed, answer.uncited) == (2, 3)
    assert len(answer.citations) == 1
    assert "citations removed, as they name nothing that was shown: 2" in answer.notes


@pytest.mark.parametrize("start", ["Not in this repository:", "**Not shown:**"])
def test_the_model_may_say_that_nothing_answers(project: Project, stub: Stub, start: str) -> None:
    stub.reply = lambda body: f"{start} nearest is rtl/uart.sv [rtl/uart.sv:2]."
    answer = project.ask(ASKED)
    assert not answer.found
    assert answer.uncited == 0


def test_a_partial_answer_is_found_and_says_what_is_missing(project: Project, stub: Stub) -> None:
    stub.reply = lambda body: f"{RIGHT} Not shown: who clears the flag that it sets."
    answer = project.ask(ASKED)
    assert answer.found
    assert answer.uncited == 0
    assert answer.text.endswith("Not shown: who clears the flag that it sets.")


def test_weak_evidence_asks_no_model(project: Project, stub: Stub) -> None:
    answer = project.ask("how long do I boil an egg until the yolk is firm")
    assert stub.calls == 0
    assert answer.weak
    assert not answer.found
    assert answer.model == "extractive"
    assert answer.text.startswith("Nothing in this index fits well")
    assert "Nearest is " in answer.text


@pytest.mark.parametrize("fault", ["503", "reset", "empty", "garbage", "overflow"])
def test_before_the_first_word_an_error_falls_back(
    project: Project, stub: Stub, fault: str
) -> None:
    stub.faults = lambda n, body: fault
    heard: list[str] = []
    answer = project.ask(ASKED, on_text=heard.append)
    assert answer.model == "extractive"
    assert answer.citations[0].path == "rtl/uart_rx.sv"
    assert "".join(heard) == answer.text
    assert answer.notes[0].startswith("no answer from the model (")
    assert "quoted from the index" in answer.notes[0]


@pytest.mark.parametrize("fault", ["truncate", "cut"])
def test_after_some_words_an_error_cuts_the_answer(
    project: Project, stub: Stub, fault: str
) -> None:
    stub.reply = lambda body: " ".join([RIGHT] * 20)
    stub.faults = lambda n, body: fault
    heard: list[str] = []
    answer = project.ask(ASKED, on_text=heard.append)
    assert answer.text.startswith(RIGHT)
    assert answer.text == "".join(heard).strip()
    assert [c.path for c in answer.citations] == ["rtl/uart_rx.sv"]
    assert answer.notes[0].startswith("answer cut: ")
    assert answer.output_tokens > 0


def test_the_token_limit_cuts_the_answer(project: Project, stub: Stub) -> None:
    stub.faults = lambda n, body: "length"
    assert "answer cut at llm.output_tokens (1200)" in project.ask(ASKED).notes


def test_the_material_fits_the_context_that_the_server_tells(project: Project, stub: Stub) -> None:
    stub.context_tokens = 3500
    assert project.ask(ASKED).text == RIGHT
    assert stub.calls == 1
    assert stub.input_tokens + Settings().llm.output_tokens <= 3500


def test_a_context_that_is_too_long_is_cut_down(project: Project, stub: Stub) -> None:
    stub.faults = lambda n, body: "overflow" if n < 2 else None
    settings = with_model(stub.base_url)
    tight = dataclasses.replace(settings.ask, context_tokens=1200)
    project = Project(project.root, project.folder, dataclasses.replace(settings, ask=tight))
    assert project.ask(ASKED).text == RIGHT
    sizes = [len(body["messages"][1]["content"]) for body in stub.requests]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 3


@pytest.mark.parametrize("llm", [{"query_model": "other"}, {"key_env": "HDLGRAPH_WRONG"}])
def test_wrong_use_is_told(
    soc_project: Project, stub: Stub, llm: dict, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HDLGRAPH_WRONG", "wrong")
    stub.models, stub.key = ("mine",), "right" if "key_env" in llm else ""
    project = Project(soc_project.root, soc_project.folder, with_model(stub.base_url, **llm))
    with pytest.raises(UsageError):
        project.ask(ASKED)


def test_without_a_model_wanting_one_is_wrong_use(soc_project: Project) -> None:
    with pytest.raises(UsageError, match="no language model is configured"):
        soc_project.ask(ASKED, writer="model")
    with pytest.raises(UsageError, match="writer poet: unknown"):
        soc_project.ask(ASKED, writer="poet")


def test_the_index_is_quoted_where_that_is_wanted(project: Project, stub: Stub) -> None:
    assert project.ask(ASKED, writer="extractive").model == "extractive"
    assert stub.calls == 0


def test_sentences_come_as_soon_as_they_are_complete() -> None:
    reply = read("")
    assert reply.feed("One two three four [rtl/a.sv:3]") == ""
    assert reply.feed(". Next") == "One two three four [rtl/a.sv:3]. "
    assert reply.feed(" sentence is here. [rtl") == ""
    assert reply.feed("/a.sv:9] More") == "Next sentence is here. [rtl/a.sv:9] "
    assert reply.finish() == "More"


@pytest.mark.parametrize(
    ("text", "uncited"),
    [
        ("This says something here. [rtl/a.sv:1]", 0),
        ("This says something here.\n[rtl/a.sv:1]", 0),
        ("This says something, e.g. about counters [rtl/a.sv:1].", 0),
        ("1. This says something here [rtl/a.sv:1].\n2. This says nothing of worth.", 1),
        ("# A heading of four words\nShort one.", 0),
        ("```\nassign a = b and so on;\n```\n", 0),
        ("The parts of the design are these:\n- this part does something [a.sv:3]", 0),
        ("Bare rtl/a.sv:3 counts as well.", 0),
        ("One says this. Two says that [rtl/a.sv:1].", 0),
        ("One says this much. Two says that much [rtl/a.sv:1].", 1),
    ],
)
def test_sentences_without_a_citation_are_counted(text: str, uncited: int) -> None:
    assert read(text).uncited == uncited


def test_what_never_ends_is_shown_in_parts() -> None:
    reply = read("")
    assert len(reply.feed("word " * MAX_HELD)) >= 4 * MAX_HELD
    reply.feed("x" * 3 * MAX_HELD)
    reply.finish()
    assert max(map(len, reply.text.split("\n"))) <= 6 * MAX_HELD


def test_ask_streams_and_lists_its_sources(
    soc_project: Project, stub: Stub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = tmp_path / "settings.yaml"
    given.write_text(
        f"hdlgraph:\n  llm:\n    provider: openai\n    base_url: {stub.base_url}\n",
    )
    at = ["--index", str(soc_project.folder), "--settings", str(given)]
    assert run(["ask", ASKED, *at]) == 0
    out, err = capsys.readouterr()
    assert out == f"{RIGHT}\n\n[1] rtl/uart_rx.sv:2\n"
    assert "answered by gpt-4.1: " in err
    assert run(["ask", ASKED, *at, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["answer"] == RIGHT
    assert data["found"] is True
    assert data["removed"] == 0
    assert run(["ask", ASKED, *at, "--extractive", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["model"] == "extractive"
    assert run(["ask", ASKED, *at, "--extractive", "--model"]) == 2


@pytest.mark.parametrize(
    "question", ["what is the difference between uart_rx and uart_tx?", "all states of uart_rx"]
)
def test_what_the_engines_know_does_not_keep_a_model_from_writing(
    project: Project, stub: Stub, question: str
) -> None:
    before = len(stub.requests)
    assert project.ask(question).model != EXTRACTIVE
    assert len(stub.requests) == before + 1
    assert project.ask(question, writer="extractive").model == EXTRACTIVE
