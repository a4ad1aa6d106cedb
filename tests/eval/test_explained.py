"""What a model would be asked about files is recorded; kept answers become explanations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hdlgraph.eval.protocols import explained
from hdlgraph.project import Project

SOURCE = """// Counts beats of a burst.
module beat_counter (input logic clk_i, input logic beat_i, output logic [3:0] count_o);
  always_ff @(posedge clk_i) if (beat_i) count_o <= count_o + 4'd1;
endmodule
"""
ANSWER = {
    "purpose": "Counts how many transfers of a burst have passed.",
    "behaviour": "The value of `count_o` grows by one with each transfer, and so does `ghost_q`.",
    "interfaces": "A pulse for each transfer goes in, the number comes out.",
    "parameters": "",
    "instances": "",
    "concepts": ["transfer counter"],
}


def test_prompts_are_recorded_and_answers_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, index = tmp_path / "design", tmp_path / "index"
    root.mkdir()
    (root / "beat_counter.sv").write_text(SOURCE)
    Project(root, index).index(embeddings=False)
    explained.main(["record", str(index), str(tmp_path / "prompts")])
    (line,) = (tmp_path / "prompts" / "prompts.jsonl").read_text().splitlines()
    asked = json.loads(line)
    prompt = (tmp_path / "prompts" / f"{asked['name']}.txt").read_text()
    assert "beat_counter" in prompt
    assert "count_o <= count_o + 4'd1" in prompt

    answers, out = tmp_path / "answers.jsonl", tmp_path / "explanations.jsonl"
    answers.write_text(
        json.dumps({"prompt": asked["prompt"], "answer": ANSWER, "by": "a test", "at": "-"}) + "\n"
    )
    capsys.readouterr()
    explained.main(["replay", str(index), str(answers), str(out)])
    assert "1 files explained, 0 not" in capsys.readouterr().out
    found = json.loads(out.read_text())
    assert found["purpose"] == ANSWER["purpose"]
    assert "ghost_q" not in found["behaviour"]  # no name that the file does not have
    assert Project(root, index).import_explanations(out)["matching"] == 1
    explained.main(["record", str(index), str(tmp_path / "again"), str(answers)])
    assert "0 prompts of 1 wait" in capsys.readouterr().out
