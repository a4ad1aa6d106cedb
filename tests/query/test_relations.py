"""Questions that name a relation: what they seek, and the files and edges that answer them."""

from __future__ import annotations

import pytest

from hdlgraph.project import Project
from hdlgraph.query.relations.detect import asked_relation
from hdlgraph.query.relations.sought import Sought
from hdlgraph.results import SearchResult

SOUGHT = {
    "what does uart instantiate?": (Sought.CHILDREN, "uart"),
    "which blocks sit inside the serial port": (Sought.CHILDREN, "serial port"),
    "uart children": (Sought.CHILDREN, "uart"),
    "what is the serial port made of?": (Sought.CHILDREN, "serial port"),
    "who uses sync_fifo": (Sought.PARENTS, "sync_fifo"),
    "Could you tell me who pulls in the arbiter, please?": (Sought.PARENTS, "arbiter"),
    "uart_tx is instantiated by which module?": (Sought.PARENTS, "uart_tx"),
    "what drives timer_irq_o in soc_top?": (Sought.DRIVERS, "timer_irq_o in soc_top"),
    "where does the grant come from": (Sought.DRIVERS, "grant"),
    "who listens to tx_valid?": (Sought.READERS, "tx_valid"),
    "where is bus_cmd_e defined": (Sought.DEFINITION, "bus_cmd_e"),
    "which package holds the type of the bus command?": (Sought.DEFINITION, "bus command"),
    "what is bound into sync_fifo?": (Sought.BOUND, "sync_fifo"),
    "which testbench exercises the timer": (Sought.TESTS, "timer"),
    "timer testbench": (Sought.TESTS, "timer"),
    "who imports soc_pkg?": (Sought.IMPORTERS, "soc_pkg"),
    "which module is only there when WithReceiver is set?": (Sought.CONFIGURED, "WithReceiver"),
    "which class extends base_test": (Sought.DERIVED, "base_test"),
    "what is clocked by clk_i?": (Sought.CLOCKED, "clk_i"),
    "sync_fifo: who instantiates it?": (Sought.PARENTS, "sync_fifo"),
}
PLAIN = (
    "how are bytes sent over a serial line",
    "Which module decides whether a request waits, and what happens then?",
    "which file holds the uart receiver uart_rx?",
    "What keeps the transmitter quiet while the line is busy?",
    "Where does the controller decide that a word is complete?",
    "How does the arbiter rotate between hosts and who wins first?",
    "what states does the fifo have?",
    "uart_rx",
    "",
    "what " * 400,
)


@pytest.mark.parametrize("question", SOUGHT)
def test_a_relation_is_told_with_its_direction(question: str) -> None:
    found = asked_relation(question)
    assert found is not None
    assert (found.sought, found.name) == SOUGHT[question]


@pytest.mark.parametrize("question", PLAIN)
def test_plain_questions_seek_no_relation(question: str) -> None:
    assert asked_relation(question) is None


def first_edge(result: SearchResult) -> str:
    """Returns the place of the first line of evidence of the first hit."""
    one = result.hits[0].evidence[0]
    assert one.kind == "relation"
    return f"{one.path}:{one.line}"


@pytest.mark.parametrize(
    ("question", "path", "edge"),
    [
        ("what does uart instantiate?", "rtl/uart_rx.sv rtl/uart_tx.sv rtl/sync_fifo.sv", ""),
        ("which queue sits inside the uart?", "rtl/sync_fifo.sv", "rtl/uart.sv:22"),
        ("who instantiates the arbiter?", "rtl/soc_top.sv", "rtl/soc_top.sv:26"),
        ("who uses sync_fifo?", "rtl/uart.sv", "rtl/uart.sv:22"),
        ("what drives timer_irq_o in soc_top?", "rtl/timer.v", "rtl/soc_top.sv:48"),
        ("who reads tx_valid?", "rtl/uart_tx.sv", "rtl/uart.sv:39"),
        ("what is bound into sync_fifo?", "dv/fifo_checks.sv", "dv/fifo_checks.sv:12"),
        ("which testbench exercises soc_top?", "dv/soc_tb.sv", ""),
        ("which receiver is only built if WithReceiver is set?", "rtl/uart_rx.sv", ""),
        ("where is the uart wired to the bus?", "rtl/soc_top.sv", ""),
        ("which modules does the uart_recever sit in?", "rtl/uart.sv", ""),
    ],
)
def test_the_answer_comes_first_with_its_edge(
    soc_project: Project, question: str, path: str, edge: str
) -> None:
    result = soc_project.search(question)
    assert result.hits[0].path in path.split()
    found = first_edge(result)
    assert not edge or found == edge


def lines_of(result: SearchResult, path: str) -> set[tuple[int, str]]:
    """Returns the lines in a file that the first hit has as edges, with their texts."""
    edges = [one for one in result.hits[0].evidence if one.kind == "relation"]
    return {(one.line, one.text) for one in edges if one.path == path}


def test_lines_inside_the_unit_say_what_it_drives_and_reads(soc_project: Project) -> None:
    read = soc_project.search("who reads tx_valid?")
    assert (36, "uart_tx reads valid_i") in lines_of(read, "rtl/uart_tx.sv")
    driven = soc_project.search("what drives timer_irq_o in soc_top?")
    assert any(text == "timer drives irq" for _, text in lines_of(driven, "rtl/timer.v"))


def test_a_type_is_told_where_its_name_stands(soc_project: Project) -> None:
    found = soc_project.search("where is bus_cmd_e defined")
    assert (11, "soc_pkg.bus_cmd_e is defined") in lines_of(found, "rtl/soc_pkg.sv")


def test_what_is_asked_of_is_not_the_answer(soc_project: Project) -> None:
    hits = soc_project.search("what does uart instantiate?").hits
    children = {"rtl/uart_rx.sv", "rtl/uart_tx.sv", "rtl/sync_fifo.sv"}
    assert {hit.path for hit in hits[:3]} == children
    assert hits[3].path == "rtl/uart.sv"


def test_a_name_that_nothing_has_leaves_the_plain_ranking(soc_project: Project) -> None:
    result = soc_project.search("who instantiates the tachometer?")
    assert all(one.kind != "relation" for hit in result.hits for one in hit.evidence)


def test_only_chosen_files_answer(soc_project: Project) -> None:
    result = soc_project.search("who uses sync_fifo?", candidates=["rtl/soc_top.sv"])
    assert [hit.path for hit in result.hits] == ["rtl/soc_top.sv"]


def test_ask_tells_the_edges_with_their_lines(soc_project: Project) -> None:
    answer = soc_project.ask("which queue sits inside the uart?", writer="extractive")
    assert answer.text.startswith("rtl/sync_fifo.sv:\n- uart instantiates sync_fifo as u_tx_queue")
    assert ("rtl/uart.sv", 22, 25) in {(c.path, c.line, c.end_line) for c in answer.citations}


def test_it_stands_for_the_file_of_the_last_answer(soc_project: Project) -> None:
    talk = soc_project.chat(writer="extractive")
    first = talk.ask("which file holds the uart transmitter uart_tx?")
    assert first.result.hits[0].path == "rtl/uart_tx.sv"
    parent = talk.ask("and who pulls it in?").result.hits[0]
    assert (parent.path, parent.evidence[0].kind) == ("rtl/uart.sv", "relation")
    assert "soc_top instantiates uart" in talk.ask("who owns it?").text


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("who instantiates it? (uart.sv, serial)", "uart.sv"),
        ("what drives its interrupt? (timer.v, counts)", "interrupt of timer.v"),
    ],
)
def test_what_a_conversation_carries_is_put_in(question: str, name: str) -> None:
    found = asked_relation(question)
    assert found is not None
    assert found.name == name
    assert asked_relation("who instantiates it? (serial, port)") is None


def test_what_drives_the_port_of_the_one_driving_instance_is_told(soc_project: Project) -> None:
    text = soc_project.ask("what drives timer_irq_o in soc_top?", writer="extractive").text
    lines = text.splitlines()
    at = lines.index("timer.irq, that port, in 2 places:")
    assert lines[0].startswith("soc_top.timer_irq_o is driven in 1 place")
    assert any("irq <= (count == compare);" in line for line in lines[at : at + 8])
