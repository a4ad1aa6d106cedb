"""State machines found in plain text: states, arms, moves and their conditions."""

from __future__ import annotations

from hdlgraph.parsers.text.machines import machines, stem
from hdlgraph.parsers.text.outline import outline_of

TYPED = """\
module m;
  typedef enum {Idle, Busy, Done, Lost} state_e;
  state_e state_q, state_d;
  always_comb begin
    case (state_q)
      Idle: if (go_i) state_d = fast_i ? Done : Busy;
      Busy, Done: begin
        case (kind)
          2'd0: state_d = Idle;
        endcase
        if (stop_i) count = 0;
        else begin
          state_d = Done;
        end
      end
      default: state_d = Idle;
    endcase
    case (kind)
      2'd1: size = 4;
      2'd2: size = 2'd1;
    endcase
  end
endmodule
"""
PLAIN = """\
always @(posedge clk)
  if (rst) state <= 2'b00;
  else case (state)
    2'b00: if (a) state <= 2'b01;
    2'b01: begin other <= 2'b00; state <= 2'b00; end
  endcase
"""


def test_a_machine_has_all_states_and_the_moves_of_each_arm() -> None:
    (machine,) = machines(outline_of(TYPED))
    assert machine.name == "state_q"
    assert machine.states == ("Idle", "Busy", "Done", "Lost")
    moves = [
        (arm.labels, [(m.target, m.line, m.conditions) for m in arm.moves]) for arm in machine.arms
    ]
    assert moves == [
        (("Idle",), [("Done", 6, ("go_i",)), ("Busy", 6, ("go_i",))]),
        (
            ("Busy", "Done"),
            [("Idle", 9, ("kind is 2'd0",)), ("Done", 13, ("otherwise: stop_i",))],
        ),
        (("default",), [("Idle", 16, ())]),
    ]


def test_states_may_be_numbers_where_the_state_itself_is_assigned() -> None:
    (machine,) = machines(outline_of(PLAIN))
    assert machine.states == ("2'b00", "2'b01")
    assert [len(arm.moves) for arm in machine.arms] == [1, 1]


def test_the_stem_of_a_state() -> None:
    assert {stem(name) for name in ("state_q", "next_state", "state_d", "r.state")} == {"state"}
