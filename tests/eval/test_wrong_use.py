"""Commands of measurement that are given a folder without an index."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hdlgraph.errors import telling_errors

QUESTIONS = '{"id": "a", "corpus": "c", "question": "who counts?", "relevant": ["a.sv"]}\n'
ARGUMENTS = {
    "answers": "{index} {questions} {out}",
    "bench_scale.searching": "{index}",
    "documents.cross": "{questions} {index}",
    "documents.recall": "{questions} {index}",
    "fit.answerable": "{index}={questions}",
    "fit.evidence": "{out} {questions} {index}",
    "fit.projection": "{out} {index}",
    "fit.relations": "{out} {questions} {index}",
    "protocols.prompts": "{index} {questions} {out}",
    "protocols.statements": "{index}",
    "structural.fidelity": "--repo a={index} --index a={index} --top a=top",
    "structural.machines": "{index} {index} top",
    "structural.mentions": "{index} {index} top",
    "structural.relations": "{questions} {index}",
    "structural.signals": "{index} {index} top",
    "structural.unused": "{index} {index} top",
}  # fmt: skip


def test_a_file_that_is_not_there_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    @telling_errors
    def main(path: Path) -> None:
        path.read_text()

    assert main(tmp_path / "none.jsonl") == 2
    assert (
        capsys.readouterr().err == f"error: {tmp_path / 'none.jsonl'}: No such file or directory\n"
    )


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_a_folder_without_an_index_is_told_in_one_line(name: str, tmp_path: Path) -> None:
    index, questions = tmp_path / "none", tmp_path / "questions.jsonl"
    index.mkdir()
    questions.write_text(QUESTIONS)
    given = ARGUMENTS[name].format(index=index, questions=questions, out=tmp_path / "out")
    ended = subprocess.run(
        [sys.executable, "-m", f"hdlgraph.eval.{name}", *given.split()],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert "Traceback" not in ended.stderr
    assert str(index) in ended.stderr
    assert ended.returncode == 2
