"""What a question is taken to ask about."""

from pathlib import Path

import pytest

from hdlgraph.project import Project
from hdlgraph.query.question.analyse import about_verification, analyse


@pytest.mark.parametrize(
    "text",
    [
        "which testbench drives the port?",
        "how is the filter tested?",
        "which test covers the overflow?",
        "where is the uvm monitor of the bus?",
        "what does the simulation print at the end?",
        "where is it asserted that the queue never overflows?",
        "is it checked that a grant follows each request?",
    ],
)
def test_questions_about_verification(text):
    assert about_verification(text)


@pytest.mark.parametrize(
    "text",
    [
        "which agent of the network sends the grant?",
        "where does the bus monitor count the beats?",
        "what changes in test mode?",
        "which block makes the test pattern of the display?",
        "how is the test access port reset?",
        "where does the built-in test of the memory run?",
        "which sequencer switches the power on?",
        "which parity checker reports the error?",
        "when is the reset asserted, and which block that checks parity sees it?",
    ],
)
def test_questions_about_hardware_that_tests_or_monitors(text):
    assert not about_verification(text)


def test_one_word_that_a_unit_is_called_names_it(soc_words: Path) -> None:
    lexicon = Project(soc_words).searcher().lexicon
    assert analyse("uart", lexicon).identifiers == ("uart",)
    assert analyse("uart receiver", lexicon).identifiers == ()
    assert analyse("starvation", lexicon).identifiers == ()
    assert Project(soc_words).search("uart").hits[0].path == "rtl/uart.sv"
