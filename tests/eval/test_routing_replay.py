"""Recorded routings: prompts are written, answers are replayed, a follow-up after its question."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from hdlgraph.eval.protocols.judge import read_lines
from hdlgraph.eval.protocols.routing import main
from hdlgraph.serve.cli.main import run

DESIGN = Path(__file__).parent.parent / "designs" / "registers" / "pulse"
SIDES = {"sections": [{"path": "doc/pulse.md", "title": "Theory of operation"}]}
ROW = {**SIDES, "relevant": ["rtl/pulse.sv"]}
FIRST = {**ROW, "id": "one", "question": "when does the counter of the pulse unit run?"}
NEXT = {**ROW, "id": "two", "after": "one", "question": "and when does it stop?"}
MEANT = "when does the counter of the pulse unit stop?"


def test_a_follow_up_is_replayed_after_its_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = Path(shutil.copytree(DESIGN, tmp_path / "pulse"))
    build = ["index", "--no-embeddings", "--graphrag", "never", "-j", "1", "-q"]
    assert run([*build, str(root), "--documents"]) == 0
    index, kept = str(root / ".hdlgraph"), tmp_path / "answers.jsonl"
    first, after = tmp_path / "first.jsonl", tmp_path / "after.jsonl"
    first.write_text(json.dumps(FIRST))
    after.write_text(json.dumps(NEXT))
    more, lines = ["--follow-ups", str(after)], []
    for number, asked in enumerate((FIRST["question"], MEANT)):
        to, had = tmp_path / str(number), ["--answers", str(kept)] if number else []
        main(["record", index, str(first), str(to), *had, *(more if number else [])])
        (prompt,) = read_lines(to / "prompts.jsonl")
        said = {"standalone": asked, "kinds": ["doc"], "domains": []}
        lines.append(json.dumps({**prompt, "said": said}))
        kept.write_text("\n".join(lines))
    assert f"Question: {FIRST['question']}" in (tmp_path / "1" / "two.txt").read_text()
    capsys.readouterr()
    main(["replay", index, str(first), str(kept), *more])
    found = json.loads(capsys.readouterr().out)
    assert (found["stale"], found["unanswered"]) == (0, 0)
    assert [one["by"] for one in found["model"]["each"]] == ["model", "model"]
    assert found["model"]["each"][1]["asked"] == MEANT
    assert found["cues"]["each"][1]["asked"] != MEANT
    assert found["model"]["hard"]["rtl"]["@5"] == 0.0


def test_recorded_routings_say_who_answered_what_and_when() -> None:
    data = Path(__file__).parents[2] / "eval" / "data" / "recorded"
    for one in read_lines(data / "routing-ibex.jsonl"):
        assert len(one["prompt"]) == 64
        assert one["said"]["kinds"]
        assert all(one[key] for key in ("by", "at", "tokens"))
