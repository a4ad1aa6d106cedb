"""Questions for a relation are told from others, and read for what they ask of which name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hdlgraph.project import Project
from hdlgraph.query.question.relation import Relation, relation_of

SETS = Path(__file__).parents[2] / "eval" / "data"


@pytest.mark.parametrize(
    ("question", "relation", "name", "port"),
    [
        ("Who instantiates uart_rx?", Relation.USERS, "uart_rx", ""),
        ("which modules use the package soc_pkg", Relation.USERS, "soc_pkg", ""),
        ("Where is bus_arbiter used in this repository?", Relation.USERS, "bus_arbiter", ""),
        ("How many instances of sync_fifo are there?", Relation.USERS, "sync_fifo", ""),
        ("list all instances of prim_buf please", Relation.USERS, "prim_buf", ""),
        ("is uart_tx used anywhere?", Relation.USERS, "uart_tx", ""),
        ("What does soc_top instantiate?", Relation.PARTS, "soc_top", ""),
        ("what's inside uart?", Relation.PARTS, "uart", ""),
        ("Which submodules are in the module uart?", Relation.PARTS, "uart", ""),
        ("show me the submodules of soc_top", Relation.PARTS, "soc_top", ""),
        ("What drives port rx_i of uart_rx?", Relation.DRIVERS, "uart_rx", "rx_i"),
        ("what drives uart.tx_o", Relation.DRIVERS, "uart", "tx_o"),
        ("Where does irq of timer come from?", Relation.DRIVERS, "timer", "irq"),
        ("who instantiates it? (uart_rx.sv, framing)", Relation.USERS, "uart_rx.sv", ""),
        ("and what is inside it? (uart.sv)", Relation.PARTS, "uart.sv", ""),
    ],
)
def test_relation_questions(question: str, relation: Relation, name: str, port: str) -> None:
    found = relation_of(question)
    assert found is not None
    assert (found.relation, found.name, found.port) == (relation, name, port)


@pytest.mark.parametrize(
    "question",
    [
        "who instantiates it?",
        "who instantiates uart_rx and how does that set the baud rate?",
        "what uses more than one clock in the receiver",
        "how does the arbiter use its requests?",
        "where is the decision taken which host may use the bus",
        "what drives the pins",
        "",
        "who uses " + "x" * 400,
    ],
)
def test_other_questions(question: str) -> None:
    assert relation_of(question) is None


def test_hardly_a_question_of_the_sets_is_one(soc_project: Project) -> None:
    asked = [
        question
        for file in sorted(SETS.rglob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
        if (question := json.loads(line).get("question"))
    ]
    assert len([one for one in asked if relation_of(one)]) <= len(asked) // 20


def test_a_name_that_is_none_of_the_graph_is_searched_for(soc_project: Project) -> None:
    answer = soc_project.ask("who instantiates the receiver?")
    assert "- uart instantiates uart_rx as u_rx [rtl/uart.sv:46]" in answer.text
    assert "\nMost likely " in answer.text


def test_a_follow_up_asks_the_graph_too(soc_project: Project) -> None:
    talk = soc_project.chat()
    talk.ask("what detects a missing stop bit on the serial line?")
    answer = talk.ask("who instantiates it?")
    assert "- uart instantiates uart_rx as u_rx [rtl/uart.sv:46]" in answer.text
    assert any("answered from the design graph" in note for note in answer.notes)


def test_nobody_uses_the_top(soc_project: Project) -> None:
    text = soc_project.ask("who instantiates soc_tb?").text
    assert "Nothing in this repository uses soc_tb." in text
    assert "instantiates nothing" in soc_project.ask("what does uart_tx instantiate?").text
