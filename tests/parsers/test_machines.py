"""State machines of all styles are found with their states, lines and transitions."""

from __future__ import annotations

from pathlib import Path

import pytest
from _parsing import record_of, unit

from hdlgraph.model import Machine


def machines(folder: Path, body: str, **others: str) -> tuple[Machine, ...]:
    """Returns the machines of a module with this body, which begins on line 2."""
    text = f"module top(input clk, input rst_n, input go, output reg y);\n{body}\nendmodule\n"
    return unit(record_of(folder, text, others=others), "top").machines


STEP = """always @* begin
  {n} = {s};
  case ({s})
    {a}: if (go) {n} = {b};
    {b}: {n} = go ? {c} : {a};
    default: {n} = {a};
  endcase
end
always @(posedge clk or negedge rst_n)
  if (!rst_n) {s} <= {a}; else {s} <= {n};"""
TWO = {"s": "state_q", "n": "state_d", "a": "IDLE", "b": "BUSY", "c": "DONE"}
ONE = """always @(posedge clk or negedge rst_n)
  if (!rst_n) st <= IDLE;
  else case (st)
    IDLE: begin if (go) st <= BUSY; end
    BUSY: st <= go ? DONE : IDLE;
    DONE: st <= IDLE;
  endcase"""
STYLES = {
    "enum, two processes": "typedef enum logic [1:0] {IDLE, BUSY, DONE} t;\nt state_q, state_d;\n"
    + STEP.format(**TWO),
    "local parameters": "localparam IDLE = 0, BUSY = 1, DONE = 2;\nreg [1:0] cur_st, next_st;\n"
    + STEP.format(**{**TWO, "s": "cur_st", "n": "next_st"}),
    "cs and ns": "localparam IDLE = 0, BUSY = 1, DONE = 2;\nreg [1:0] CS, NS;\n"
    + STEP.format(**{**TWO, "s": "CS", "n": "NS"}),
    "one process": "parameter IDLE = 0;\nparameter BUSY = 1;\nparameter DONE = 2;\nreg [1:0] st;\n"
    + ONE,
    "states of a package": "import p::*;\nstate_e state_q, state_d;\n" + STEP.format(**TWO),
    "comparisons": """reg [1:0] state;
always @(posedge clk) begin
  if (state == IDLE) begin if (go) state <= BUSY; end
  else if (state == BUSY) state <= DONE;
  else if (state == DONE) state <= IDLE;
end""",
    "one-hot bits": """localparam IDLE = 0, BUSY = 1, DONE = 2;
reg [2:0] state, next;
always @(posedge clk or negedge rst_n) if (!rst_n) state <= 3'b1; else state <= next;
always @* begin
  next = 0;
  case (1'b1)
    state[IDLE]: if (go) next[BUSY] = 1'b1;
    state[BUSY]: next[DONE] = 1'b1;
    state[DONE]: next[IDLE] = 1'b1;
  endcase
end""",
    "a macro's flip-flop": "localparam IDLE = 0, BUSY = 1, DONE = 2;\nlogic [1:0] now, later;\n"
    "`FLOP(u_regs, later, now, IDLE)\n"
    + "\n".join(STEP.format(**{**TWO, "s": "now", "n": "later"}).splitlines()[:8]),
}


@pytest.mark.parametrize("style", sorted(STYLES))
def test_a_machine_is_found(tmp_path: Path, style: str) -> None:
    (machine,) = machines(tmp_path, STYLES[style])
    assert {name for name, _ in machine.states} == {"IDLE", "BUSY", "DONE"}
    moves = {(a, b) for a, b, _ in machine.transitions}
    assert style == "comparisons" or {("IDLE", "BUSY"), ("BUSY", "DONE")} <= moves


def test_states_of_macros_have_the_lines_of_their_definitions(tmp_path: Path) -> None:
    head = "`define S_IDLE 2'd0\n`define S_RUN 2'd1\n"
    body = """module top(input clk, input go);
reg [1:0] fsm;
always @(posedge clk) case (fsm)
  `S_IDLE: if (go) fsm <= `S_RUN;
  `S_RUN: fsm <= `S_IDLE;
endcase
endmodule
"""
    (machine,) = unit(record_of(tmp_path, head + body), "top").machines
    assert machine.states == (("`S_IDLE", 1), ("`S_RUN", 2))
    assert machine.transitions == (("`S_IDLE", "`S_RUN", 6), ("`S_RUN", "`S_IDLE", 7))


def test_lines_and_the_state_after_reset(tmp_path: Path) -> None:
    body = "typedef enum logic [1:0] {\n  IDLE,\n  BUSY,\n  DONE\n} t;\nt state_q, state_d;\n"
    (machine,) = machines(tmp_path, body + STEP.format(**TWO))
    assert machine.register == "state_q"
    assert machine.states == (("IDLE", 3), ("BUSY", 4), ("DONE", 5))
    assert machine.reset == "IDLE"
    assert machine.line == 10
    assert ("IDLE", "BUSY", 11) in machine.transitions
    assert ("BUSY", "DONE", 12) in machine.transitions


def test_two_machines_of_one_unit_stay_apart(tmp_path: Path) -> None:
    names = {"s": "tx_q", "n": "tx_d", "a": "TxIdle", "b": "TxBusy", "c": "TxDone"}
    body = "reg [1:0] state_q, state_d, tx_q, tx_d;\n"
    body += STEP.format(**TWO) + "\n" + STEP.format(**names)
    assert [one.register for one in machines(tmp_path, body)] == ["state_q", "tx_q"]


NONE = {
    "a decoder": "always @* case (go) ADD: y = ALU_ADD; SUB: y = ALU_SUB; endcase",
    "a table": "reg [1:0] a; always @* case (a) 0: y = 1; 1: y = 0; 2: y = 1; endcase",
    "a multiplexer": "reg [1:0] sel; always @* case (sel) A: y = go; B: y = rst_n; endcase",
    "a flag": "reg f; always @(posedge clk) if (f == False) f <= True; else f <= False;",
}


@pytest.mark.parametrize("name", sorted(NONE))
def test_no_machine_is_seen_in(tmp_path: Path, name: str) -> None:
    assert machines(tmp_path, NONE[name]) == ()


def test_a_register_that_notes_a_value_is_no_machine(tmp_path: Path) -> None:
    body = """reg [1:0] cause; always @(posedge clk)
if (go) cause <= TIMEOUT; else if (rst_n) cause <= BROKEN;
assign y = cause == TIMEOUT || cause == BROKEN;"""
    text = f"module top(input clk, input rst_n, input go, output y);\n{body}\nendmodule\n"
    top = unit(record_of(tmp_path, text), "top")
    assert top.machines == ()
    (one,) = (one for one in top.operations if one.kind == "keeps one of")
    assert one.names == ("cause", "BROKEN", "TIMEOUT") or one.names == (
        "cause",
        "TIMEOUT",
        "BROKEN",
    )


def test_many_nested_cases_take_no_time(tmp_path: Path) -> None:
    body = "reg [1:0] a;\nalways @* " + "case (a) A: " * 3000 + "y = 1;" + " endcase" * 3000
    assert machines(tmp_path, body) == ()


def test_a_reset_at_the_end_of_a_process_is_not_mistaken(tmp_path: Path) -> None:
    body = """reg [1:0] st; localparam IDLE = 0, BUSY = 1;
always @(posedge clk) begin
  case (st) IDLE: if (go) st <= BUSY; BUSY: st <= IDLE; endcase
  if (!rst_n) st <= IDLE;
end"""
    (machine,) = machines(tmp_path, body)
    assert machine.reset == ""
