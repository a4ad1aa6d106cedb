"""Units that a question describes by words: without what a project's names begin with."""

from __future__ import annotations

import pytest
from _texts import indexed

from hdlgraph.project import Project
from hdlgraph.query.answer.direct.phrases import in_names

NAMES = "alu decoder fetch_fifo load_store_unit top controller".split()
DESIGN = (
    "".join(
        f"module acme_{name}(input clk_i, output logic busy_o); endmodule\n"
        for name in NAMES
        if name != "top"
    )
    + """module acme_top(input clk_i, output logic a);
  logic b;
  acme_alu u_alu (.clk_i, .busy_o(a));
  acme_fetch_fifo u_fifo (.clk_i, .busy_o(b));
  other_cell u_cell (.clk_i);
  uart_core u_uart (.clk_i);
endmodule
module other_cell(input clk_i); endmodule
module uart_core(input clk_i); endmodule
module uart_decoder(input clk_i); endmodule
"""
)


@pytest.fixture(scope="module")
def acme(tmp_path_factory: pytest.TempPathFactory) -> Project:
    files = {"acme.sv": DESIGN}
    return indexed(tmp_path_factory.mktemp("acme"), files)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("what is the fetch fifo?", "what is the acme_fetch_fifo?"),
        ("ports of the load-store unit", "ports of the acme_load_store_unit"),
        ("who instantiates the ALU?", "who instantiates the acme_alu?"),
        ("what does the alu do?", "what does the acme_alu do?"),
        ("alu ports", "acme_alu ports"),
        ("the UART core's ports", "the uart_core's ports"),
        (
            "how does the fetch fifo reach the alu?",
            "how does the acme_fetch_fifo reach the acme_alu?",
        ),
    ],
)
def test_a_unit_is_meant_without_the_beginning_of_all_names(
    acme: Project, question: str, named: str
) -> None:
    assert in_names(question, acme.graph()) == named


@pytest.mark.parametrize(
    "question",
    [
        "what is acme_alu?",
        "which alu operations are there?",  # one word of a longer name
        "what is the interrupt controller?",
        "what is the decoder?",  # of acme, or of the uart
        "what is the cell?",  # nothing else begins with `other`
        "what is the fetch, fifo?",
        "bench that sends words into the fetch fifo and compares them with the alu",  # a statement
    ],
)
def test_other_words_stay_as_they_are(acme: Project, question: str) -> None:
    assert in_names(question, acme.graph()) == question


def test_questions_for_described_units_are_answered_as_for_named_ones(acme: Project) -> None:
    described, named = (
        acme.ask(f"what are the ports of {one}?") for one in ("the fetch fifo", "acme_fetch_fifo")
    )
    assert described.text == named.text
    assert described.question == "what are the ports of the fetch fifo?"
    assert described.text.startswith("acme_fetch_fifo has 2 ports")
    users = acme.ask("who instantiates the ALU?").text
    assert "- acme_top instantiates acme_alu as u_alu" in users
    assert "Most likely" not in users
