"""A clone of ORD-QA becomes documents and questions, and their recall is that of the paper."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from hdlgraph.errors import QuestionsError
from hdlgraph.eval.documents import ord_qa, recall
from hdlgraph.project import Project

CHUNKS = [
    {
        "source": "pump_guide",
        "knowledge": [
            {"id": "pump_guide_0", "content": "id:pump_guide_0\n# Start\nPress the green button."},
            {"id": "pump_guide_1", "content": "id:pump_guide_1\n## Stop\nPress the red button."},
        ],
    },
    {"source": "valves", "knowledge": [{"id": "valves_0", "content": "Valves leak slowly."}]},
]
QUESTIONS = [
    {
        "id": 1,
        "type": "use",
        "question": " which red control ends it? ",
        "reference": ["pump_guide_1"],
        "answer": " Press it:\\nthe red button.\n",
    },
    {
        "id": 2,
        "type": "use",
        "question": "do valves leak",
        "reference": ["valves_0", "gone_9"],
        "answer": "Slowly.",
    },
]


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of the same form, converted and indexed by words."""
    base = tmp_path_factory.mktemp("ord")
    clone = base / "clone" / "data"
    clone.mkdir(parents=True)
    (clone / ord_qa.CHUNKS).write_text(json.dumps(CHUNKS))
    (clone / ord_qa.QUESTIONS).write_text("".join(json.dumps(one) + "\n" for one in QUESTIONS))
    with pytest.raises(QuestionsError, match=r"no openroad_documentation\.json with SHA-256"):
        ord_qa.convert(base / "clone", base / "out")
    sums = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in clone.iterdir()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ord_qa, "SHA256", sums)
        assert ord_qa.convert(base / "clone", base / "out") == (3, 2)
    (base / "empty").mkdir()
    project = Project(base / "empty", base / "index")
    report = project.index(embeddings=False, graphrag="never", docs=[base / "out" / "documents"])
    assert report.documents is not None
    assert report.documents.passages == 3
    return base


def test_chunks_keep_their_titles_and_ids(converted: Path) -> None:
    project = Project(converted / "empty", converted / "index")
    first = project.passages("how to stop the pump", k=1)[0]
    assert (first.title, first.crumbs, first.anchor) == ("Stop", ("pump guide",), "pump_guide_1")


def test_micro_recall_counts_all_references_together(converted: Path) -> None:
    questions = recall.read_questions(converted / "out" / "questions.jsonl")
    assert questions[0].answer == "Press it:\nthe red button."
    project = Project(converted / "empty", converted / "index")
    found = recall.measure(project, questions, (1, 3))
    assert found == {
        "schema": 1,
        "questions": 2,
        "judged": 3,
        "recall": {"1": 0.6667, "3": 0.6667},  # what no document has is never found
        "intervals": {"1": (0.5, 1.0), "3": (0.5, 1.0)},  # one question has all, one has half
    }


def test_questions_may_name_paths_and_lines(converted: Path, tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    path = "@documents/ord-qa.jsonl"
    file.write_text(json.dumps({"question": "do valves leak", "paths": [f"{path}:3"]}) + "\n")
    project = Project(converted / "empty", converted / "index")
    assert recall.measure(project, recall.read_questions(file), (1,))["recall"] == {"1": 1.0}
    file.write_text('{"question": "x"}\n')
    with pytest.raises(QuestionsError, match=r"q.jsonl:1: names no passage"):
        recall.read_questions(file)
