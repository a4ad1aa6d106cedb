"""Decomposition: the parts are searched beside the question, their evidence is merged."""

from __future__ import annotations

from pathlib import Path

import pytest
from _helped import helped, kind, paths, replies

from hdlgraph.eval.stubs.server import Stub
from hdlgraph.project import Project
from hdlgraph.query.assist.decompose import Parts, check

QUESTION = "in the serial port, what notices that the stop bit is missing and raises frame_err"
PARTS = {
    "module": "receiver of the serial port",
    "block": "check of the stop bit",
    "signal": "frame_err_o",
}


def test_parts_are_searched_and_put_together(soc_project: Project, tmp_path: Path) -> None:
    with Stub(replies(decompose=PARTS)) as stub:
        project = helped(soc_project, tmp_path, stub.base_url)
        plain = project.search(QUESTION)
        found = project.search(QUESTION, decompose=True)
        assert [kind(body) for body in stub.requests] == ["decompose"]
    assert found.hits[0].path == "rtl/uart_rx.sv"
    assert found.notes == tuple(f"{level} part: {text}" for level, text in PARTS.items())
    # The part that names a port brings evidence that the question alone does not have.
    old = {e.text for hit in plain.hits for e in hit.evidence}
    assert {e.text for hit in found.hits for e in hit.evidence} - old
    assert {e.text for e in plain.hits[0].evidence} & {e.text for e in found.hits[0].evidence}


def test_empty_parts_change_nothing(soc_project: Project, tmp_path: Path) -> None:
    with Stub(replies(decompose={"module": "", "block": " ", "signal": "?"})) as stub:
        project = helped(soc_project, tmp_path, stub.base_url)
        found = project.search(QUESTION, decompose=True)
        assert stub.calls == 1
    assert (found.hits, found.notes) == (project.search(QUESTION).hits, ())


def test_a_part_that_repeats_the_question_does_not_count_twice(
    soc_project: Project, tmp_path: Path
) -> None:
    with Stub(replies(decompose={"module": QUESTION.upper(), "block": "", "signal": ""})) as stub:
        project = helped(soc_project, tmp_path, stub.base_url)
        assert project.search(QUESTION, decompose=True).hits == project.search(QUESTION).hits


@pytest.mark.parametrize("answer", ["the receiver", {"parts": []}, "{"])
def test_bad_answers_leave_the_plain_search(
    soc_project: Project, tmp_path: Path, answer: object
) -> None:
    with Stub(replies(decompose=answer)) as stub:
        project = helped(soc_project, tmp_path, stub.base_url)
        found = project.search(QUESTION, decompose=True)
    assert found.hits == project.search(QUESTION).hits
    assert found.notes[0].startswith("not split into parts: ")


def test_rewording_and_parts_are_asked_together(soc_project: Project, tmp_path: Path) -> None:
    other = {"rewritten": "uart receiver framing error", "terms": []}
    with Stub(replies(decompose=PARTS, reword=other), latency_s=0.2) as stub:
        project = helped(soc_project, tmp_path, stub.base_url)
        found = project.search(QUESTION, decompose=True, reword=True)
        assert stub.most_under_way == 2
    assert found.hits[0].path == "rtl/uart_rx.sv"
    assert len(found.notes) == 4


def test_roles_and_candidates_hold_for_the_parts(soc_project: Project, tmp_path: Path) -> None:
    with Stub(replies(decompose=PARTS)) as stub:
        project = helped(soc_project, tmp_path, stub.base_url)
        few = ["rtl/uart_tx.sv", "rtl/uart.sv"]
        found = project.search(QUESTION, decompose=True, candidates=few)
        assert sorted(paths(found)) == sorted(few)
        assert {h.role for h in project.search(QUESTION, decompose=True, roles=["rtl"]).hits} == {
            "rtl"
        }


def test_answers_are_tidied() -> None:
    found = check({"module": ["a unit", 3], "block": None, "signal": "x\x00y\n" + "z" * 900})
    assert found == Parts("a unit", "", "x y " + "z" * 396)
    assert check(
        {"module": "the part of the chip, its task"}, "by: the part of the\nchip, its task"
    ) == (Parts())
    assert found.items() == [("module", "a unit"), ("signal", found.signal)]
