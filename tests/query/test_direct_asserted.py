"""Questions for the assertion that checks something."""

from __future__ import annotations

import pytest
from _texts import indexed

from hdlgraph.project import Project

QUEUE = """module line_queue(input clk, input rst, input push, input pop, input full, output empty);
  assign empty = !full;
`ifndef SYNTHESIS
  // Nothing may be pushed while all places are taken.
  a_no_overflow:
    assert property (@(posedge clk) disable iff (rst)
      full |-> !push)
    else $error("pushed while full");
  a_pop_needs_word: assert property (@(posedge clk) empty |-> !pop);
`endif
endmodule
module lane(input clk, input req, input gnt);
  a_grant_needs_request: assert property (@(posedge clk) gnt |-> req);
endmodule
"""


@pytest.fixture(scope="module")
def queue(tmp_path_factory: pytest.TempPathFactory) -> Project:
    files = {"queue.sv": QUEUE}
    return indexed(tmp_path_factory.mktemp("queue"), files)


@pytest.mark.parametrize(
    "question",
    [
        "which assertion checks that the line_queue does not overflow?",
        "what assertion fires when something is pushed while full?",
        "is there an assertion that catches overflows of the queue?",
    ],
)
def test_the_assertion_with_the_words_of_the_question_comes_first(
    queue: Project, question: str
) -> None:
    found = queue.ask(question).text.splitlines()
    assert found[0] == "assert a_no_overflow in line_queue:"
    assert found[1].endswith("// Nothing may be pushed while all places are taken.")
    assert found[5].endswith('else $error("pushed while full");')


@pytest.mark.parametrize(
    "question",
    [
        "which assertion checks the parity of lane?",
        "what does the assertion of the clock mean?",
        # The unit's name has two words of it, the assertion none.
        "which assertion makes sure that the line queue keeps parity, order and age of words?",
        "which assertion checks that a word is popped by the oldest of many waiting readers?",
    ],
)
def test_no_assertion_is_told_that_has_no_word_of_it(queue: Project, question: str) -> None:
    assert not queue.ask(question).text.startswith("assert ")
