"""The checker of citations tells what stands on the cited lines from what does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hdlgraph.eval.answers.command import main
from hdlgraph.eval.answers.forms import Lines, states_fact
from hdlgraph.eval.answers.run import Check
from hdlgraph.eval.answers.truth import claims, precision

FILES = {
    "rtl/lamp.sv": """// Blinks a lamp at a rate
// that software sets.
module lamp #(parameter int Rate = 8) (
  input  logic clk_i,  // the only clock
  output logic lit_o
);
  typedef enum logic [1:0] {DARK, LIT, STUCK} lamp_e;
  lamp_e state_q;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      state_q <= DARK;
      count_q[0] <= '0; /* of /* all */
    end else case (state_q)
      DARK: if (tick && !hold_i) state_q <= LIT;
      LIT: state_q <= fault_i ? STUCK : /* else */ DARK;
    endcase
  lamp_driver #(
    .Width(Rate)
  ) u_driver (
    .lit_o
  );
endmodule
"""
}


def wrong(text: str) -> list[str]:
    """Returns what is wrong with each claim of an answer on the lamp."""
    found = claims(text, lambda path: FILES.get(path, ""), lambda path, line: {"lamp"})
    return [claim.wrong for claim in found]


TRUE = (
    "Blinks a lamp at a rate that software sets. [rtl/lamp.sv:1-2]",
    "- the only clock [rtl/lamp.sv:4]",
    "    7|   typedef enum logic [1:0] {DARK, LIT, STUCK} lamp_e;\n[rtl/lamp.sv:7]",
    "    4|   input logic clk_i,  // the only clock\n  ...\n    7|   typedef e…\n[rtl/lamp.sv:4-7]",
    "States of lamp_e (3): DARK, LIT, STUCK [rtl/lamp.sv:7]",
    "  DARK -> LIT when tick && !hold_i [rtl/lamp.sv:14]",
    "  LIT -> fault_i ? STUCK : DARK [rtl/lamp.sv:15]",
    "state_q resets to DARK [rtl/lamp.sv:11]",
    "count_q[0] resets to '0 [rtl/lamp.sv:12]",
    "Rate defaults to 8 [rtl/lamp.sv:3]",
    "- lamp instantiates lamp_driver as u_driver [rtl/lamp.sv:17-19]",
    "lamp.sv uses Rate [rtl/lamp.sv:18]",
    "module lamp [rtl/lamp.sv:3]",
    "Nothing is cited here, nor in data[7:0] or a[x.y:1] of the text.",
)
FALSE = {
    "Load store unit: performs data memory accesses. [rtl/lamp.sv:3]": "does not stand",
    "Blinks a lamp at a rate that hardware sets. [rtl/lamp.sv:1-2]": "does not stand",
    "Blinks a lamp at a rate that software sets. [rtl/lamp.sv:1]": "does not stand",
    "    7|   typedef enum logic [1:0] {DARK, LIT} lamp_e;\n[rtl/lamp.sv:7]": "reads otherwise",
    "    7|   typedef enum logic [1:0] {DARK, LIT, STUCK} lamp_e;\n[rtl/lamp.sv:8]": "outside",
    "States of lamp_e (2): DARK, GONE [rtl/lamp.sv:7]": "does not stand",
    "  LIT -> STUCK when tick [rtl/lamp.sv:14]": "does not stand",
    "  DARK -> STUCK when tick [rtl/lamp.sv:14]": "does not stand",
    "state_q resets to LIT [rtl/lamp.sv:11]": "does not stand",
    "Rate defaults to 9 [rtl/lamp.sv:3]": "does not stand",
    "- lamp instantiates lamp_driver as u_other [rtl/lamp.sv:17-19]": "does not stand",
    "- clock instantiates lamp_driver as u_driver [rtl/lamp.sv:17-19]": "does not stand",
    "lamp drives lamp_driver by lit [rtl/lamp.sv:17]": "does not stand",
    "the only clock [rtl/lamp.sv:400]": "the file has 22 lines",
    "the only clock [rtl/gone.sv:4]": "there is no such file",
    "[rtl/lamp.sv:4]": "nothing is said",
}


@pytest.mark.parametrize("text", TRUE)
def test_what_stands_there_is_supported(text: str) -> None:
    assert "".join(wrong(text)) == ""


@pytest.mark.parametrize("text", list(FALSE))
def test_what_does_not_stand_there_is_found(text: str) -> None:
    (said,) = wrong(text)
    assert FALSE[text] in said


def test_each_mark_of_a_line_is_checked_for_what_it_follows() -> None:
    text = "the only clock [rtl/lamp.sv:4] [rtl/lamp.sv:5]; module lamp [rtl/lamp.sv:3]."
    assert [bool(one) for one in wrong(text)] == [False, True, False]


def test_of_a_worded_answer_only_the_places_must_exist() -> None:
    text = "It blinks. [rtl/lamp.sv:2] It hums. [rtl/lamp.sv:90]"
    found = claims(text, lambda path: FILES.get(path, ""), places_only=True)
    assert [bool(claim.wrong) for claim in found] == [False, True]
    assert precision(found) == 0.5
    assert precision([]) == 1.0


def test_the_command_writes_answers_and_says_how_many_citations_hold(
    indexed_soc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = tmp_path / "asked.jsonl"
    asked = '{"question": "when is the fifo full?", "more": [1]}\n\n{"question": "x"}'
    questions.write_text(asked)
    out = tmp_path / "out.jsonl"
    assert main([str(indexed_soc / ".hdlgraph"), str(questions), str(out)]) == 0
    told = capsys.readouterr().out
    assert "2 answers, " in told
    assert "precision 1.000" in told
    first, second = (json.loads(line) for line in out.read_text().splitlines())
    assert first["answer"].startswith("Most likely rtl/sync_fifo.sv")
    assert first["hits"][0] == "rtl/sync_fifo.sv"
    assert all(claim["wrong"] == "" for claim in first["checked"])
    assert second["id"] == "line-3"


def test_the_command_tells_a_citation_that_is_wrong(
    indexed_soc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch
) -> None:
    questions = tmp_path / "asked.jsonl"
    questions.write_text('{"question": "what is in the uart?"}')
    monkeypatch.setattr(Check, "claims", lambda self, answer: claims("a b [a.sv:1]", lambda p: ""))
    at = [str(indexed_soc / ".hdlgraph"), str(questions), str(tmp_path / "out.jsonl")]
    assert main(at) == 1
    assert "there is no such file" in capsys.readouterr().out


def test_a_file_without_questions_is_wrong_use(
    indexed_soc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = tmp_path / "asked.jsonl"
    questions.write_text('{"q": 1}')
    at = [str(indexed_soc / ".hdlgraph"), str(questions), str(tmp_path / "out.jsonl")]
    assert main(at) == 2
    assert 'asked.jsonl:1: no "question"' in capsys.readouterr().err


def test_a_macro_in_a_condition_is_read_with_its_mark():
    at = Lines("a.v", 1, 3, ("REST:", "  if (op == `GO)", "    state <= RUN;"))
    assert states_fact("REST -> RUN when op is `GO", at)
    assert not states_fact("REST -> RUN when op is `STAY", at)
