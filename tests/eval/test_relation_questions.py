"""Questions for relations, with the edge that answers: `hdlgraph.eval.structural.relations`."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from hdlgraph.eval.sets.questions import read_questions
from hdlgraph.eval.structural import relations
from hdlgraph.project import Project
from hdlgraph.results import SourceLine

DATA = Path(relations.__file__).parents[1] / "data" / "relations" / "edges"


def test_the_sets_are_questions_with_an_argument_and_an_edge() -> None:
    lines = []
    for path in sorted(DATA.glob("*.jsonl")):
        assert {one.corpus for one in read_questions(path)} == {path.stem}
        lines += [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert len(lines) >= 150
    assert len({one["id"] for one in lines}) == len(lines)
    for one in lines:
        assert one["argument"]
        path, _, line = one["evidence"].rpartition(":")
        assert path
        assert int(line.partition("-")[0]) > 0


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    asked = {
        "id": "soc-1",
        "corpus": "soc",
        "question": "what instantiates uart_rx?",
        "kind": "instantiated_by",
        "relevant": ["rtl/uart.sv"],
        "equivalent": [],
        "evidence": _line("rtl/uart.sv", "uart_rx u_"),
        "argument": ["rtl/uart_rx.sv"],
    }
    wrong = asked | {"id": "soc-2", "relevant": ["rtl/none.sv"], "evidence": "rtl/none.sv:9"}
    path = tmp_path / "soc.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in (asked, wrong)))
    return path


def _line(path: str, words: str) -> str:
    text = (Path(__file__).parents[1] / "designs" / "soc" / path).read_text().split("\n")
    (number,) = (n for n, line in enumerate(text, 1) if words in line)
    return f"{path}:{number}"


def test_answers_arguments_and_edges_are_counted(questions: Path, soc_words: Path) -> None:
    found = relations.measure([(questions, soc_words)])
    assert list(found) == ["all", "corpus soc", "relation instantiated_by"]
    right = found["all"][relations.WITH]
    assert right == {
        "questions": 2, "first": 0.5, "in five": 0.5, "edge": 0.5, "shown": 0.5, "line first": 0.5,
        "argument in three": 1.0,
    }  # fmt: skip
    assert found["all"][relations.PLAIN]["questions"] == 2


def test_an_edge_on_a_card_is_shown_where_no_relation_is_told(soc_words: Path) -> None:
    project = Project.open(soc_words)
    line = _line("rtl/uart.sv", "uart_rx u_")
    asked = {"relevant": ["rtl/uart.sv"], "argument": [], "evidence": line}
    with relations.unread():
        found = project.search("uart_rx", k=5)
    number = int(line.rpartition(":")[2])
    hits = [msgspec.structs.replace(hit, evidence=(), why=(),
                                    lines=(SourceLine(number, "uart_rx u_rx (", ()),))
            if hit.path == "rtl/uart.sv" else hit for hit in found.hits]  # fmt: skip
    assert "rtl/uart.sv" in {hit.path for hit in hits}
    seen = relations.outcome(msgspec.structs.replace(found, hits=tuple(hits)), asked)
    assert (seen.shown, seen.line_first) == (True, True)
    far = asked | {"evidence": f"rtl/uart.sv:{number + 4}"}
    missed = relations.outcome(msgspec.structs.replace(found, hits=tuple(hits)), far)
    assert (missed.edge, missed.shown, missed.line_first) == (False, False, False)
