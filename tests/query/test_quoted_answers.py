"""Answers without a model say what is asked for, and every citation of theirs is true."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hdlgraph.eval.answers.run import Check
from hdlgraph.llm.tokens import count_tokens
from hdlgraph.project import Project
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.question.aims import Aim, aims_of
from hdlgraph.results import Answer

TOPICS = ("fifo", "uart receiver")
ASKED = (
    "what states does the {} have?",
    "when does the {} stall?",
    "what is the reset value of the {}?",
    "how is the {} configured?",
    "what ports does the {} have?",
    "how does the {} work?",
    "who instantiates the {}?",
    "which clock does the {} use?",
)
MORE = (
    "what detects a missing stop bit?",
    "round robin between hosts",
    "which file holds the address map",
    "how are bytes sent over a serial line",
    "what does FIFO stand for?",
    "how do I boil an egg",
    "who instantiates sync_fifo?",
    "what does uart instantiate?",
    "what drives rx_i of uart_rx?",
    "what drives uart_rx.valid_o?",
    "which test checks that the line is idle?",
    "who imports soc_pkg?",
)
QUESTIONS = [one.format(topic) for topic in TOPICS for one in ASKED] + list(MORE)


@pytest.fixture(scope="module")
def check(soc_project: Project) -> Check:
    return Check(soc_project)


@pytest.fixture(scope="module")
def answers(soc_project: Project) -> dict[str, Answer]:
    return {question: soc_project.ask(question) for question in QUESTIONS}


def test_every_citation_of_every_answer_is_true(answers: dict[str, Answer], check: Check) -> None:
    cited = 0
    for question, answer in answers.items():
        found = check.claims(answer)
        assert [claim for claim in found if claim.wrong] == [], question
        marks = {(claim.path, claim.line, claim.end_line) for claim in found}
        assert marks == {(c.path, c.line, c.end_line) for c in answer.citations}, question
        cited += len(found)
    assert cited > 2 * len(QUESTIONS)


def test_answers_are_short_and_without_empty_headings(answers: dict[str, Answer]) -> None:
    for question, answer in answers.items():
        lines = answer.text.split("\n")
        # Whole blocks of the first file, some 100 lines of them; what is asked for stands first.
        assert 1 <= len(lines) <= 200, question
        assert count_tokens(answer.text) <= 2600, question
        for line, below in zip(lines, [*lines[1:], ""], strict=True):
            assert not (line.startswith("Also ") and not below.strip()), question
        assert "Copyright" not in answer.text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "which states does the serial receiver have?",
            ["States of rx_state_e (3): RX_IDLE, RX_DATA, RX_STOP [rtl/uart_rx.sv:12]"],
        ),
        ("what is the reset value of valid_o of the receiver?", ["valid_o resets to 1'b0"]),
        (
            "how deep is the fifo and how is that configured?",
            ["parameter int unsigned Depth", "[rtl/sync_fifo.sv:"],
        ),
        (
            "who instantiates sync_fifo?",
            ["- uart instantiates sync_fifo as u_tx_queue [rtl/uart.sv"],
        ),
        (
            "what does uart instantiate?",
            [
                "uart instantiates 3:",
                "- uart instantiates uart_rx as u_rx [rtl/uart.sv:46]",
                "    only if ",
            ],
        ),
        ("what drives rx_i of uart_rx?", ["|   .rx_i,", "[rtl/uart.sv:49]"]),
        ("who imports soc_pkg?", ["imports soc_pkg [rtl/uart.sv:11]"]),
    ],
)
def test_the_answer_has_what_is_asked_for(
    soc_project: Project, question: str, said: list[str]
) -> None:
    text = soc_project.ask(question).text
    assert [one for one in said if one not in text] == [], text


def test_the_design_comes_before_its_tests_unless_these_are_asked_for(
    soc_project: Project,
) -> None:
    plain = soc_project.ask("is the serial line high when idle?").text
    assert plain.startswith("Most likely rtl/")
    tested = soc_project.ask("which testbench checks that the serial line is idle?").text
    assert tested.startswith(("Most likely dv/", "dv/"))  # or begins with its edges
    only = soc_project.ask("is the serial line idle?", roles=["testbench"])
    assert "rtl/" not in only.text


def test_a_line_that_changed_since_the_index_is_not_cited(indexed_soc: Path) -> None:
    project = Project(indexed_soc)
    uart = indexed_soc / "rtl" / "uart.sv"
    uart.write_text(uart.read_text().replace("u_tx_queue", "u_other_name"))
    answer = project.ask("who instantiates sync_fifo?")
    assert "no longer stands on line" in answer.text
    assert not any(citation.path == "rtl/uart.sv" for citation in answer.citations)


def test_a_unit_that_an_instance_was_taken_for_is_told_as_it_is_written(soc: Path) -> None:
    page = FactPage(lambda path: (soc / path).read_text())
    path = "rtl/uart.sv"
    lines = page.source(path).lines
    line = next(n for n, one in enumerate(lines, 1) if "u_tx_queue" in one)
    said = "- uart instantiates other_fifo as u_tx_queue"
    assert page.fact(said, ("other_fifo", "u_tx_queue"), path, line)
    told = "- uart instantiates sync_fifo as u_tx_queue (taken for other_fifo) [rtl/uart.sv:"
    assert page.text.startswith(told)
    assert not page.fact("- uart instantiates other as u_none", ("other", "u_none"), path, line)


def test_a_copy_is_told_of_once(tmp_path: Path, indexed_soc: Path) -> None:
    shutil.copy(indexed_soc / "rtl" / "timer.v", indexed_soc / "rtl" / "timer_copy.v")
    project = Project(indexed_soc)
    project.index(embeddings=False, graphrag="never", jobs=1)
    text = project.ask("how does the timer count down?").text
    assert ("rtl/timer.v" in text) != ("rtl/timer_copy.v" in text)


@pytest.mark.parametrize(
    ("question", "aim"),
    [
        ("Which states does it go through?", Aim.STATES),
        ("What value does the counter take after reset?", Aim.RESET),
        ("How wide is the data bus?", Aim.CONFIGURE),
        ("Which ports carry the request?", Aim.INTERFACE),
        ("When is the buffer flushed?", Aim.WHEN),
        ("Which module wraps the multiplier and how is it wired?", Aim.INSTANCES),
        ("Which clock drives it?", Aim.CLOCK),
        ("How does it work?", Aim.GENERAL),
    ],
)
def test_what_a_question_asks_for(question: str, aim: Aim) -> None:
    assert aims_of(question)[0] is aim


def test_a_class_is_described_by_the_comment_above_it_not_by_another_class(tmp_path: Path) -> None:
    (tmp_path / "tests_lib.sv").write_text(
        "// CSR access test class\n"
        "class csr_access_test extends base_test;\n"
        "  virtual task run();\n    for (int i = 0; i < 4; i++) write_csr(i);\n"
        "    check_all_csrs();\n    check_again();\n  endtask\nendclass\n\n"
        "// Steps through single instructions of the debugger\n"
        "class single_step_test extends base_test;\n"
        "  virtual task run();\n    step_once();\n  endtask\nendclass\n",
        encoding="utf-8",
    )
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False)
    text = project.ask("which test checks that the debugger makes a single step?").text
    assert "class single_step_test" in text
    assert (
        "Described as: Steps through single instructions of the debugger. [tests_lib.sv:10]" in text
    )
    assert "CSR access" not in text.split("\n")[1]
