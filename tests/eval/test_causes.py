"""Each question that fails is told with one cause, which the index alone decides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from _texts import indexed

from hdlgraph.eval.protocols.run import evaluate
from hdlgraph.eval.scores.causes import CAUSES, Causes
from hdlgraph.eval.scores.records import Ranking
from hdlgraph.eval.sets.questions import Question, read_questions
from hdlgraph.project import Project

TALK = "// Turns a byte into a start bit, eight data bits and a stop bit.\n"
FILES = {
    "rtl/tx.sv": TALK + "module tx #(parameter int RATE_DIV = 4) (input clk, output q);\n"
    "  assign q = clk;\nendmodule\n",
    "rtl/tx_top.sv": "module tx_top(input clk, output q);\n  tx u_tx(.clk, .q);\nendmodule\n",
    "rtl/crc.sv": "// Sums a checksum polynomial.\nmodule crc(input d); endmodule\n",
    "rtl/rx_frame_fifo.sv": "// Queues what came.\nmodule rx_frame_fifo(input d); endmodule\n",
    "rtl/tx_frame_fifo.sv": "// Queues frames to send.\nmodule tx_frame_fifo(input d); endmodule\n",
    "lib/pulse.sv": "// Stretches a strobe.\nmodule pulse(input d); endmodule\n",
    "dv/tb_crc.sv": "// Testbench.\nmodule tb_crc;\n  initial $display(1);\nendmodule\n",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("causes")
    return indexed(root, FILES)


def cause(project: Project, asked: str, right: str, *paths: str, equivalent: str = "") -> str:
    question = Question("1", asked, (right,), (equivalent,) if equivalent else ())
    roles = {path: entry.role for path, entry in project.manifest().files.items()}
    return Causes(project, roles).of(question, Ranking("1", paths, 0.0))


@pytest.mark.parametrize(
    ("wanted", "asked", "right", "first"),
    [
        ("", "checksum", "rtl/crc.sv", "rtl/crc.sv"),
        ("testbench", "checksum", "rtl/crc.sv", "dv/tb_crc.sv"),
        ("hardware", "what tries the checksum", "dv/tb_crc.sv", "rtl/crc.sv"),
        ("parent", "start and stop bits", "rtl/tx.sv", "rtl/tx_top.sv"),
        ("child", "what wires it", "rtl/tx_top.sv", "rtl/tx.sv"),
        ("sibling", "frames to send", "rtl/tx_frame_fifo.sv", "rtl/rx_frame_fifo.sv"),
        ("folder", "frames to send", "rtl/tx_frame_fifo.sv", "rtl/crc.sv"),
        ("name", "where is RATE_DIV", "rtl/crc.sv", "rtl/tx.sv"),
        ("folder", "where is RATE_DIV", "rtl/tx.sv", "rtl/crc.sv"),
        ("words", "a strobe", "rtl/crc.sv", "lib/pulse.sv"),
        ("other", "a checksum polynomial", "rtl/crc.sv", "lib/pulse.sv"),
    ],
)
def test_a_cause(project: Project, wanted: str, asked: str, right: str, first: str) -> None:
    assert cause(project, asked, right, first, right) == wanted
    assert not wanted or wanted in CAUSES


def test_what_is_far_down_or_nowhere(project: Project) -> None:
    others = tuple(f"other/{n}.sv" for n in range(20))
    assert cause(project, "checksum", "rtl/crc.sv", *others, "rtl/crc.sv") == "deep"
    assert cause(project, "checksum", "rtl/crc.sv", "rtl/tx.sv") == "deep"
    assert cause(project, "checksum", "rtl/crc.sv") == "nothing"
    first = "rtl/tx.sv"
    assert cause(project, "checksum", "rtl/crc.sv", first, equivalent=first) == "copy"


def test_a_report_names_what_failed(project: Project, tmp_path: Path) -> None:
    lines = [
        {"id": "won", "question": "a checksum polynomial", "relevant": ["rtl/crc.sv"]},
        {"id": "lost", "question": "a checksum polynomial", "relevant": ["rtl/tx.sv"]},
    ]
    file = tmp_path / "q.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    assert len(read_questions(file)) == 2
    found = evaluate(project, file, ["bm25", "hdlgraph"], ks=(1, 5), cache=tmp_path)
    told = found.brief_text()
    assert "1 of 2 questions without a right file first" in told
    assert "lost: a checksum polynomial\n  first rtl/crc.sv\n  right rtl/tx.sv" in told
    assert "nDCG" not in told
    assert "nDCG" in found.brief_text(full=True)
    own = {one["name"]: one for one in found.to_dict()["systems"]}["hdlgraph"]
    assert [one.get("cause", "") != "" for one in own["questions"]] == [False, True]
