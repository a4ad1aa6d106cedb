"""What is told of a state machine: its declaration, its reset, the branches of generates."""

from __future__ import annotations

import pytest
from _texts import indexed

from hdlgraph.project import Project
from hdlgraph.serve.signals.text import show_machines

DESIGN = """module bridge #(parameter STABLE = 0) (input c, input rn, input req, input gnt);
  typedef enum logic {OPEN, HELD} t;
  t state_q, state_d;
  generate
    if (STABLE) begin : g_stable
      assign state_q = OPEN;
      assign state_d = OPEN;
    end else begin : g_kept
      always_comb begin
        state_d = state_q;
        case (state_q)
          OPEN: if (req) state_d = HELD;
          HELD: if (gnt) state_d = OPEN;
        endcase
      end
      always_ff @(posedge c or negedge rn) if (!rn) state_q <= OPEN; else state_q <= state_d;
    end
  endgenerate
endmodule
module kept #(parameter FAST = 0) (input c, input rst, input go);
  localparam IDLE = 0, RUN = 1;
  reg [0:0] state;
  generate if (FAST) begin : g_fast
    always @(posedge c) if (rst) state <= IDLE; else case (state)
      IDLE: if (go) state <= RUN;
      RUN: state <= IDLE;
    endcase
  end endgenerate
endmodule
module late(input c, input rst, input go, input err, input stop);
  localparam IDLE = 0, RUN = 1, LAST = 2;
  reg [1:0] state;
  always @(posedge c) begin
    case (state)
      IDLE: if (go) state <= RUN;
      RUN: if (!stop) state <= LAST;
      default: state <= IDLE;
    endcase
    if (rst) state <= IDLE;
    else if (err) state <= IDLE;
    else if (stop) state <= LAST;
  end
endmodule
module apart(input c, input rst_n, input go, output reg busy);
  localparam IDLE = 0, RUN = 1;
  reg state;
  always @(posedge c) case (state)
    IDLE: if (go) state <= RUN;
    RUN: if (!go) state <= IDLE;
  endcase
  always @(posedge c) begin busy <= go; if (!rst_n) state <= IDLE; end
endmodule
module pausing(input c, input rst, input go);
  localparam IDLE = 0, RUN = 1;
  reg state;
  always @(posedge c) begin
    if (rst) state <= IDLE;
    case (state)
      IDLE: if (go) state <= RUN;
      RUN: if (!go) state <= IDLE;
    endcase
  end
endmodule
module running(input c, input rst, input go, output reg [3:0] count);
  reg [3:0] seen;
  always @(posedge c) begin
    seen <= count;
    if (!rst) count <= 0;
  end
  always @(posedge c) begin
    seen <= seen;
    if (rst) count <= count + 1;
  end
endmodule
module several(input c, input rst, input a, input b, input d, input e);
  localparam IDLE = 0, RUN = 1, P = 2, Q = 3, R = 4;
  reg [2:0] state, n;
  always @* begin
    n = state;
    case (state)
      IDLE: begin
        if (a) n = RUN;
        if (!a && b) n = P;
        if (b) n = P;
        if (d) n = Q;
        if (e) n = R;
      end
      P: n = Q;
      default: n = IDLE;
    endcase
    if (state != IDLE && state != RUN && a) n = R;
  end
  always @(posedge c) if (rst) state <= IDLE; else state <= n;
endmodule
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("told") / "all"
    folder.mkdir()
    return indexed(folder, {"all.sv": DESIGN})


def line_of(words: str, after: str = "") -> int:
    start = DESIGN.index(after)
    return DESIGN[: DESIGN.index(words, start)].count("\n") + 1


def test_a_move_of_one_branch_of_a_generate_says_so(project: Project) -> None:
    (machine,) = project.machines("bridge")
    moves = [(one.source, one.target, one.condition, one.unless) for one in machine.transitions]
    assert moves == [
        ("", "OPEN", "STABLE", ()),
        ("", "OPEN", "STABLE", ()),
        ("OPEN", "HELD", "!STABLE && req", ()),
        ("HELD", "OPEN", "!STABLE && gnt", ()),
    ]


def test_a_generate_around_all_of_a_machine_is_told_of_no_move(project: Project) -> None:
    (machine,) = project.machines("kept")
    assert [one.condition for one in machine.transitions] == ["go", ""]


def test_a_machine_stands_where_its_register_is_declared(project: Project) -> None:
    (machine,) = project.machines("bridge")
    assert machine.line == line_of("t state_q, state_d;")
    (machine,) = project.machines("late")
    assert machine.line == line_of("reg [1:0] state;", "module late")


def test_a_reset_behind_the_case_is_one(project: Project) -> None:
    (machine,) = project.machines("late")
    assert machine.reset == "IDLE"
    moves = [(one.source, one.target, one.condition) for one in machine.transitions]
    assert ("", "IDLE", "rst") not in moves
    assert ("", "IDLE", "err") in moves


def test_a_reset_in_another_process_is_one(project: Project) -> None:
    (machine,) = project.machines("apart")
    assert machine.reset == "IDLE"
    assert [(one.source, one.target) for one in machine.transitions] == [
        ("IDLE", "RUN"),
        ("RUN", "IDLE"),
    ]


def test_a_last_test_of_a_reset_that_resets_nothing_is_none(project: Project) -> None:
    assert project.resets("running") == []
    assert [one.signal for one in project.resets("apart")] == ["rst_n"]


def test_what_asks_for_the_opposite_takes_no_place(project: Project) -> None:
    (machine,) = project.machines("late")
    unless = {one.target: one.unless for one in machine.transitions if one.source == "RUN"}
    assert unless == {"LAST": (line_of("else if (err)"),)}
    (machine,) = project.machines("several")
    first, second, *_ = machine.transitions
    assert [line_of(words) for words in ("if (b) n", "if (d)", "if (e)")] == [*first.unless]
    assert line_of("if (b) n") not in second.unless
    (from_p,) = [one for one in machine.transitions if one.source == "P"]
    assert from_p.unless == (line_of("if (state != IDLE"),)


def test_at_most_two_lines_that_take_the_place_are_named(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    show_machines(project.fsm("several"))
    lines = [line_of(words) for words in ("if (b) n", "if (d)")]
    assert f"unless lines {lines[0]}, {lines[1]} or 1 more set another" in capsys.readouterr().out
