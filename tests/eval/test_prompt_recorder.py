"""The recorder of prompts: a line for each question, and no model is asked."""

from __future__ import annotations

import json
from pathlib import Path

from hdlgraph.eval.protocols.prompts import main
from hdlgraph.llm.tokens import count_tokens
from hdlgraph.project import Project

ASKED = {"a": "what detects a missing stop bit?", "b": "how long do I boil an egg with cake"}


def test_prompts_are_recorded_with_what_they_show(soc_project: Project, tmp_path: Path) -> None:
    questions, out = tmp_path / "questions.jsonl", tmp_path / "out.jsonl"
    rows = [{"id": key, "question": text, "facts": []} for key, text in ASKED.items()]
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    main([str(soc_project.folder), str(questions), str(out)])
    told, refused = (json.loads(line) for line in out.read_text("utf-8").splitlines())
    assert (told["id"], told["question"], told["refused"]) == ("a", ASKED["a"], "")
    assert told["files"][0] == "rtl/uart_rx.sv"
    assert told["user"].endswith(f"Question: {ASKED['a']}")
    assert 0 <= told["tokens"] - count_tokens(told["system"] + told["user"]) < 20
    assert told["tokens"] <= 5000
    begin, end = told["shown"]["rtl/uart_rx.sv"][0]
    assert 1 <= begin <= end
    assert refused["refused"]
    assert refused["user"] == ""
