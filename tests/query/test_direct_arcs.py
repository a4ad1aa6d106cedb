"""Questions for the ways into and out of one state of a machine."""

from __future__ import annotations

import pytest
from _texts import indexed, rows

from hdlgraph.project import Project

DESIGN = """module walker(input clk, input rst, input go, input hit, input err, output busy);
  typedef enum logic [1:0] {StIdle, StLook, StWait, StDone} walk_e;
  walk_e state_q, state_d;
  assign busy = state_q != StIdle;
  always_comb begin
    state_d = state_q;
    case (state_q)
      StIdle: if (go) state_d = StLook;
      StLook: if (hit) state_d = StDone; else state_d = StWait;
      StWait: if (err) state_d = StDone;
      StDone: state_d = StIdle;
    endcase
  end
  always_ff @(posedge clk) if (rst) state_q <= StIdle; else state_q <= state_d;
endmodule
module sender(input clk, input rst, input start, input full);
  localparam SEND_IDLE = 0, SEND_DATA = 1;
  reg [0:0] state;
  always @(posedge clk) if (rst) state <= SEND_IDLE; else case (state)
    SEND_IDLE: if (start) state <= SEND_DATA;
    SEND_DATA: if (!full) state <= SEND_IDLE;
  endcase
endmodule
"""


@pytest.fixture(scope="module")
def walker(tmp_path_factory: pytest.TempPathFactory) -> Project:
    files = {"walker.sv": DESIGN}
    return indexed(tmp_path_factory.mktemp("arcs"), files)


@pytest.mark.parametrize(
    "question",
    [
        "from which states can the walker go to StDone?",
        "which states lead to StDone?",
        "when does the fsm enter StDone?",
        "how is StDone reached?",
        "what makes the walker go into the StDone state?",
        "under which conditions is the state StDone entered?",
    ],
)
def test_the_ways_into_a_state_are_told_alone(walker: Project, question: str) -> None:
    found = rows(walker, question)
    assert found[0] == "walker.state_q goes to StDone from 2 states: StLook, StWait"
    assert "- StLook -> StDone when hit [walker.sv:9]" in found
    assert "- StWait -> StDone when err [walker.sv:10]" in found
    assert not any(row.startswith("Most likely") or "StIdle;" in row for row in found)


@pytest.mark.parametrize(
    "question",
    [
        "when does the walker leave StLook?",
        "to which states can it go from StLook?",
        "which states follow StLook?",
        "what comes after StLook in walker?",
        "how does the machine exit StLook?",
    ],
)
def test_the_ways_out_of_a_state_are_told_alone(walker: Project, question: str) -> None:
    found = rows(walker, question)
    assert found[0] == "walker.state_q goes from StLook to 2 states: StDone, StWait"
    assert "- StLook -> StDone when hit [walker.sv:9]" in found
    assert "- StLook -> StWait when !hit [walker.sv:9]" in found


def test_the_state_after_reset_is_told_so(walker: Project) -> None:
    found = rows(walker, "which states lead to SEND_IDLE?")
    assert found[0] == "sender.state goes to SEND_IDLE from 1 state: SEND_DATA"
    assert "SEND_IDLE is the state after reset." in found


@pytest.mark.parametrize("question", ["what comes after reset?", "when does busy go high?"])
def test_what_is_no_state_is_left_to_others(walker: Project, question: str) -> None:
    assert not any(" goes to " in row or " goes from " in row for row in rows(walker, question))
