"""What a question is taken to ask about."""

import pytest

from hdlgraph.query.question.analyse import about_verification


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
