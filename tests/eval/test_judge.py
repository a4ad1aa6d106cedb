"""Recorded answers of a model that orders files: prompts are written, answers are replayed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hdlgraph.eval.protocols.judge import Answers, judged, main, read_lines, replay, sha256
from hdlgraph.settings.locate import FOLDER

HERE = Path(__file__).parent / "recorded"
QUESTIONS, ANSWERS = HERE / "soc-questions.jsonl", HERE / "soc-answers.jsonl"


def answers() -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in read_lines(ANSWERS)}


def test_answers_of_a_model_are_replayed(soc_words: Path) -> None:
    """The prompt is still the one that was answered, and its order beats the search's own."""
    found = replay(judged(soc_words / FOLDER, kept := Answers(answers())), kept, rows())
    assert (found["questions"], found["unanswered"]) == (8, 0)
    assert found["plain"]["1"] <= 0.5
    assert found["judged"]["1"] >= 0.875
    assert found["most_tokens"] <= 3000


def rows() -> list[dict[str, Any]]:
    return read_lines(QUESTIONS)


def test_an_answer_to_other_cards_counts_by_its_files(soc_words: Path) -> None:
    other = {id: {**one, "prompt": "x", "order": [9]} for id, one in answers().items()}
    other["soc-1"]["files"] = ["rtl/gone.sv"]
    del other["soc-2"]
    found = replay(judged(soc_words / FOLDER, kept := Answers(other)), kept, rows())
    assert (found["stale"], found["unanswered"]) == (6, 2)
    assert found["judged"]["1"] > found["plain"]["1"]


def test_prompts_are_written_and_nothing_is_sent(
    soc_words: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index = str(soc_words / FOLDER)
    main(["record", index, str(QUESTIONS), str(tmp_path)])
    written = read_lines(tmp_path / "prompts.jsonl")
    assert [one["id"] for one in written] == [one["id"] for one in rows()]
    for one in written:
        text = (tmp_path / f"{one['id']}.txt").read_text("utf-8")
        assert all(f"<card {n}>\n{path}" in text for n, path in enumerate(one["cards"], 1))
        assert 0 < one["tokens"] <= 3000
    main(["replay", index, str(QUESTIONS), str(ANSWERS), "--json"])
    assert json.loads(capsys.readouterr().out)["questions"] == 8
    main(["replay", index, str(QUESTIONS), str(ANSWERS)])
    assert "8 questions, 0 without a recorded answer" in capsys.readouterr().out


def test_recorded_answers_say_who_answered_what_and_when() -> None:
    data = Path(__file__).parents[2] / "eval" / "data" / "recorded"
    for file in (*sorted(data.glob("judge-*.jsonl")), ANSWERS):
        for one in read_lines(file):
            assert len(one["prompt"]) == 64
            assert len(one["files"]) == len(set(one["order"])) == len(one["order"])
            assert all(one[key] for key in ("by", "at", "tokens"))


def test_a_prompt_is_known_by_its_text(soc_words: Path) -> None:
    project = judged(soc_words / FOLDER, kept := Answers())
    for question in ("serial line", "serial port"):
        project.search(question, rerank=True)
    assert len({sha256(call) for call in kept.calls}) == len(kept.calls) == 2
