"""Conversations and judgements: kept for the user alone, outside of the repository."""

from __future__ import annotations

import dataclasses
import json
import re
import stat
from pathlib import Path

import pytest
from _web import form_token, served
from starlette.testclient import TestClient

from hdlgraph.errors import UsageError
from hdlgraph.eval.sets.questions import read_questions
from hdlgraph.eval.stubs.server import Stub
from hdlgraph.project import Project
from hdlgraph.serve.cli.main import run
from hdlgraph.settings.records import Settings
from hdlgraph.store.user.folder import user_folder

STREAM = {"accept": "text/event-stream"}


def begin(page: TestClient, question: str) -> str:
    got = page.post("/threads", data={"q": question, "csrf": form_token(page)})
    assert got.status_code == 303
    return got.headers["location"]


def test_a_conversation_understands_follow_ups_and_is_kept(
    page: TestClient, soc_words: Path
) -> None:
    talk = begin(page, "where are received bits sampled?")
    assert "uart_rx.sv" in page.get(talk).text
    own = form_token(page)
    got = page.post(talk, data={"q": "who instantiates it?"}, headers={**STREAM, "x-csrf": own})
    assert "event: done" in got.text
    asked = page.get(talk).text
    assert "Understood as: who instantiates it? (uart_rx.sv" in asked
    plain = page.post(talk, data={"q": "and the transmitter?", "csrf": own})
    assert plain.headers["location"] == f"{talk}#turn-3"
    with served(soc_words) as later:  # another process, another day
        assert later.get(talk).text.count('class="turn"') >= 3
        assert "where are received bits sampled?" in later.get("/threads").text
    assert page.post(f"{talk}/forget", data={"csrf": own}).status_code == 303
    assert page.get(talk).status_code == 404


def test_a_question_that_fails_begins_no_conversation(page: TestClient) -> None:
    got = page.post("/threads", data={"q": "???", "csrf": form_token(page)})
    assert got.status_code == 400
    assert "None yet" in page.get("/threads").text


def test_what_is_kept_is_for_the_user_alone(page: TestClient, soc_words: Path) -> None:
    begin(page, "uart receiver")
    asked = {"q": "uart receiver", "path": "rtl/uart_rx.sv", "csrf": form_token(page)}
    assert page.post("/judge", data={**asked, "verdict": "down"}).status_code == 200
    assert page.post("/judge", data={**asked, "verdict": "up"}).status_code == 200
    folder = user_folder(soc_words / ".hdlgraph")
    assert not folder.is_relative_to(soc_words)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    kept = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert kept == dict.fromkeys(
        ("threads.sqlite", "feedback.jsonl", "feedback-refused.jsonl"), 0o600
    )


def test_judgements_are_a_question_set(
    page: TestClient, soc_words: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = form_token(page)
    for question, path, verdict in (
        ("where are received bits sampled?", "rtl/uart_rx.sv", "up"),
        ("who arbitrates the bus?", "rtl/bus_arbiter.sv", "right"),
        ("where are received bits sampled?", "rtl/timer.v", "down"),
    ):
        asked = {"q": question, "path": path, "verdict": verdict, "csrf": own}
        assert page.post("/judge", data=asked).json()["kept"]["question"] == question
    got = page.get("/feedback/questions.jsonl")
    assert 'attachment; filename="questions.jsonl"' in got.headers["content-disposition"]
    questions = tmp_path / "questions.jsonl"
    questions.write_bytes(got.content)
    read = read_questions(questions, paths=set(Project(soc_words).manifest().files))
    assert [one.relevant for one in read] == [("rtl/uart_rx.sv",), ("rtl/bus_arbiter.sv",)]
    command = ["eval", str(questions), "--index", str(soc_words), "--json"]
    assert run(command) == 0
    assert json.loads(capsys.readouterr().out)["questions"]
    shown = page.get("/feedback").text
    assert re.search(r"timer\.v</a>\s*</td><td>wrong", shown)


def test_a_question_stands_once_and_the_last_word_about_a_file_counts(page: TestClient) -> None:
    own = form_token(page)
    for question, path, verdict in (
        ("who arbitrates?", "rtl/uart_rx.sv", "up"),
        ("who arbitrates?", "rtl/bus_arbiter.sv", "up"),
        ("who arbitrates?", "rtl/bus_arbiter.sv", "right"),
        ("who arbitrates?", "rtl/uart_rx.sv", "down"),
        ("what counts?", "rtl/timer.v", "up"),
        ("what counts?", "rtl/timer.v", "down"),
    ):
        asked = {"q": question, "path": path, "verdict": verdict, "csrf": own}
        assert page.post("/judge", data=asked).status_code == 200
    lines = page.get("/feedback/questions.jsonl").text.splitlines()
    kept = [json.loads(line) for line in lines]
    assert [(one["question"], one["relevant"]) for one in kept] == [
        ("who arbitrates?", ["rtl/bus_arbiter.sv"])
    ]


def test_a_file_that_is_none_cannot_be_judged(page: TestClient) -> None:
    asked = {"q": "uart", "path": "../../etc/passwd", "csrf": form_token(page)}
    got = page.post("/judge", data=asked)
    assert got.status_code == 404
    assert "no file of the index" in got.json()["error"]


def test_a_folder_that_is_a_link_is_refused(
    soc_words: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = soc_words / ".hdlgraph"
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setenv("HDLGRAPH_DATA", str(tmp_path / "own"))
    wanted = user_folder(index)
    wanted.rmdir()
    wanted.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="no folder of your own"):
        user_folder(index)


def test_a_damaged_file_of_conversations_is_told(page: TestClient, soc_words: Path) -> None:
    (user_folder(soc_words / ".hdlgraph") / "threads.sqlite").write_bytes(b"no database" * 100)
    got = page.get("/threads", headers={"accept": "text/html"})
    assert got.status_code == 400
    assert "move it away" in got.text


def test_a_model_s_answer_comes_piece_by_piece(indexed_soc: Path) -> None:
    said = "A missing stop bit is seen in the receiver [rtl/uart_rx.sv:2]. <b>It</b> tells the top."
    with Stub(lambda body: said) as stub, served(indexed_soc, settings=of(stub)) as client:
        got = client.get("/answer?q=what+detects+a+missing+stop+bit", headers=STREAM)
        events = re.findall(r"event: (\w+)\ndata: (.*)\n", got.text)
        assert [kind for kind, _ in events].count("text") > 1
        assert "stop bit" in "".join(json.loads(text) for kind, text in events if kind == "text")
        html = json.loads(dict(events)["done"])
        assert 'href="/file/rtl/uart_rx.sv#L2"' in html
        assert "<b>" not in html
        talk = begin(client, "what detects a missing stop bit?")
        assert "rtl/uart_rx.sv" in client.get(talk).text


def test_a_model_that_is_down_is_told(indexed_soc: Path) -> None:
    with Stub() as stub:
        settings = of(stub)
    with served(indexed_soc, settings=settings) as client:
        got = client.get("/answer?q=what+detects+a+missing+stop+bit", headers=STREAM)
        kind, text = re.findall(r"event: (\w+)\ndata: (.*)\n", got.text)[-1]
        assert kind in ("done", "error")
        assert "uart" in text if kind == "done" else "endpoint" in text


def of(stub: Stub) -> Settings:
    plain = Settings()
    llm = dataclasses.replace(plain.llm, provider="openai", base_url=stub.base_url, retries=0)
    return dataclasses.replace(plain, llm=llm)
