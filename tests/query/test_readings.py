"""Questions for relations in words of no known form: what they are read as, and what answers."""

from __future__ import annotations

import pytest

from hdlgraph.project import Project
from hdlgraph.query.relations.detect import asked_relation
from hdlgraph.query.relations.readings.clauses import parted
from hdlgraph.query.relations.readings.read import possible, readings
from hdlgraph.query.relations.sought import Sought

READ = {
    "uart_core: which submodules does it consist of?": (Sought.CHILDREN, "uart_core"),
    "spi_top employs which shift register internally": (Sought.CHILDREN, "spi_top"),
    "tx_busy in uart_top, which unit drives it?": (Sought.DRIVERS, "tx_busy in uart_top"),
    "rx_data in uart_top: output of which block?": (Sought.DRIVERS, "rx_data in uart_top"),
    "rx_error is read by which module?": (Sought.READERS, "rx_error"),
    "parent sequence of spi_burst_seq, the plain one": (Sought.BASES, "spi_burst_seq"),
    "onto which module is dma_checks bound by the bench": (Sought.BIND_TARGETS, "dma_checks"),
    "dma_regs: what generates its reset?": (Sought.RESETS, "dma_regs"),
    "what sits between the dma engine and the memory port?": (Sought.MIDDLE, "dma engine"),
    "Bench that runs the dma engine alone": (Sought.TESTS, "dma engine"),
    "dma_cfg_t, the struct of the ports, declared where?": (Sought.DEFINITION, "dma_cfg_t"),
}
STORIES = (
    "how does the transmitter send bytes?",
    "what happens if the queue is full?",
    "which states does the receiver have, and what is the difference between them?",
    "why is the reset released late?",
)


@pytest.mark.parametrize("question", READ)
def test_a_question_is_read_by_its_words(question: str) -> None:
    wanted = READ[question]
    assert wanted in [(one.asked.sought, one.asked.name) for one in possible(question)]


@pytest.mark.parametrize("question", STORIES)
def test_a_story_asks_for_no_relation(question: str) -> None:
    assert readings(question) == []


def test_a_long_question_with_clauses_is_less_likely_one() -> None:
    short = readings("which block drives the interrupt line of the timer?")
    long = readings(
        "When the counter wraps while the bus is busy, which block drives the interrupt line of "
        "the timer, and must it stay high until software clears it?"
    )
    assert short[0].likely > 0.5
    assert all(one.likely < 0.2 for one in long)


def test_a_topic_stands_for_it() -> None:
    found = parted("uart_rx, which unit instantiates it")
    assert (found.topic, found.text) == ("uart_rx", "which unit instantiates uart_rx")
    assert parted("In the uart, which unit sends").place == "uart"


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("sync_fifo: which module instantiates it in the end?", "rtl/uart.sv"),
        ("tx_valid in uart, which unit reads it in the end?", "rtl/uart_tx.sv"),
        ("timer_irq_o of soc_top: output of which unit?", "rtl/timer.v"),
    ],
)
def test_the_other_end_comes_first_and_the_named_one_behind_it(
    soc_project: Project, question: str, path: str
) -> None:
    assert asked_relation(question) is None
    hits = soc_project.search(question).hits
    assert hits[0].path == path
    assert hits[0].evidence[0].kind == "relation"
    assert f"({hits[0].evidence[0].path}:{hits[0].evidence[0].line})" in hits[0].evidence[0].walk[0]


def test_an_instance_is_told_where_its_statement_begins(soc_project: Project) -> None:
    told = soc_project.search("who uses sync_fifo?").hits[0].evidence[0]
    assert (told.path, told.line) == ("rtl/uart.sv", 22)
    assert "sync_fifo" in soc_project.source_text(told.path).splitlines()[told.line - 1]
