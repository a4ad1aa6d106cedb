"""Edges beside a quoted answer: before it where they answer, behind it where none decides."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from hdlgraph.project import Project
from hdlgraph.query.relations.tell import with_relations
from hdlgraph.results import Answer, Evidence

CODE = """module worker(input a, input b, output reg q, output reg r);
  function automatic logic both(input logic x);
    both = x & b;
  endfunction
  always @* begin
    q = both(a);
    r = a;
  end
endmodule
"""
QUOTED = "Most likely worker.sv, module worker:\n    7|   r = a;\n[worker.sv:7]"


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder: Path = tmp_path_factory.mktemp("worker")
    (folder / "worker.sv").write_text(CODE)
    project = Project(folder)
    project.index(embeddings=False)
    return project


def told(project: Project, score: float, *edges: tuple[int, str], question: str = "?") -> str:
    result = project.search("worker", k=1)
    hit = result.hits[0]
    found = tuple(Evidence("relation", hit.path, line, text, score) for line, text in edges)
    result = msgspec.structs.replace(result, hits=(msgspec.structs.replace(hit, evidence=found),))
    return with_relations(Answer(question, QUOTED, (), result), project.source_text).text


def test_edges_that_decide_stand_before_the_answer(worker: Project) -> None:
    text = told(worker, 0.4, (6, "worker drives q from a"), question="what drives q?")
    assert text.startswith("worker.sv:\n- worker drives q from a\n")
    assert text.endswith(QUOTED)


def test_edges_that_no_file_scores_by_stand_behind_it(worker: Project) -> None:
    text = told(worker, 0.0, (6, "worker drives q from a"), (7, "worker drives r from a"))
    assert text.startswith(QUOTED)
    assert text.endswith("[worker.sv:6]")
    assert "drives r" not in text  # its line is quoted before


@pytest.mark.parametrize(
    ("question", "is_first"),
    [
        ("what happens when a falls?", False),
        ("how does the worker decide on q?", False),
        ("what does worker do after a rises?", False),
        ("why is q late?", False),
        ("how does a get to q?", True),
        ("how is a connected to q?", True),
        ("when is q driven?", True),
        ("what feeds q?", True),
        ("which block turns one bit into two?", False),
        ("where is it decided what leaves?", False),
        ("which block reads a_i?", True),
        ("which modules use worker?", True),
    ],
)
def test_a_question_what_happens_is_answered_by_code_first(
    worker: Project, question: str, is_first: bool
) -> None:
    text = told(worker, 0.4, (6, "worker drives q from a"), question=question)
    assert text.startswith("worker.sv:") == is_first
    assert "- worker drives q from a" in text


def test_a_call_is_told_only_of_a_line_that_makes_it(worker: Project) -> None:
    text = told(worker, 0.4, (6, "worker calls both"), (3, "worker calls both = x & b"))
    assert "- worker calls both\n" in text
    assert "- worker has\n    3|" in text
