"""What code does is said in sentences that its lines prove, in names and in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from _parsing import record_of

from hdlgraph.index.explain.by_rules.functions import from_code, lists_of_code
from hdlgraph.index.explain.by_rules.phrases import Vocabulary

FIFO = """module queue #(parameter W = 8, parameter D = 16)(input clk, input rst_n, input push,
  input pop, input [W-1:0] din, output [W-1:0] dout, output full, output empty);
  reg [W-1:0] mem [0:D-1];
  reg [4:0] wptr, rptr;
  always @(posedge clk or negedge rst_n)
    if (!rst_n) begin wptr <= 0; rptr <= 0; end
    else begin
      if (push) begin mem[wptr[3:0]] <= din; wptr <= wptr + 1; end
      if (pop) rptr <= rptr + 1;
    end
  assign dout = mem[rptr[3:0]];
  assign empty = wptr == rptr;
  assign full = wptr[3:0] == rptr[3:0] && wptr[4] != rptr[4];
endmodule
"""


def said(folder: Path, text: str) -> list[str]:
    """Returns the sentences on a file, names as written."""
    record = record_of(folder, text, "top.sv")
    return [*from_code(record), *lists_of_code(record)]


def test_a_queue_is_told_by_its_ends_and_its_flags(tmp_path: Path) -> None:
    first, *rest = said(tmp_path, FIFO)
    assert first == "FIFO queue (first in, first out), pointers `wptr` and `rptr`."
    array = "Stores an array `mem` of `D` words of `W` bits, written at `wptr`, read at `rptr`."
    assert rest[0] == array
    assert "Counts up `wptr` and `rptr`." in rest


def test_a_unit_with_a_queue_inside_is_not_called_one(tmp_path: Path) -> None:
    inside = FIFO.replace("output full, output empty", "output full_n").replace("queue", "stall")
    inside = inside.replace("  reg [4:0]", "  wire full, empty;\n  reg [4:0]")
    assert not any(text.startswith("FIFO") for text in said(tmp_path, inside))


def test_names_are_spelt_for_a_search(tmp_path: Path) -> None:
    record = record_of(tmp_path, FIFO)
    words = from_code(record, Vocabulary())
    assert words[0] == "FIFO queue (first in, first out), pointers write pointer and read pointer."
    assert not any("`" in text for text in words)


MACHINE = """module ctl(input clk, input rst, input go, output y);
  typedef enum logic [1:0] {StIdle, StRun, StDone} state_e;
  state_e state_q, state_d;
  always_comb begin
    state_d = state_q;
    case (state_q)
      StIdle: if (go) state_d = StRun;
      StRun: state_d = StDone;
      default: state_d = StIdle;
    endcase
  end
  always_ff @(posedge clk) if (rst) state_q <= StIdle; else state_q <= state_d;
  assign y = state_q == StDone;
endmodule
"""


def test_states_are_named_and_the_one_after_reset(tmp_path: Path) -> None:
    states = "`StIdle`, `StRun` and `StDone`, after reset `StIdle`"
    assert said(tmp_path, MACHINE)[0] == f"A state machine in `state_q` has the states {states}."
    words = from_code(record_of(tmp_path, MACHINE), Vocabulary())
    assert words[0] == "A state machine in state has the states idle, run and done."


TEXTS = {
    "Wrapper of `inner`.": "module top(input a, output z); inner u(a, z); endmodule",
    "Drives `z` with ~(a & b).": "module top(input a, input b, output z); assign z = ~(a & b); "
    "endmodule",
    "Defines the types `a_t` and `b_t`.": "package p; typedef logic a_t; typedef logic b_t; "
    "endpackage",
    "Defines the macros `A` and `B`.": "`define A 1\n`define B 2\n",
    "Instantiates `x` and `y`.": "module top(input a, output z); wire w; x u(a, w); y v(w, z); "
    "endmodule",
    "Declares ports and holds no logic.": "module top(input a, output z); endmodule",
    "Computes `z` from `a` and `b`.": "module top(input a, input b, output z); "
    "assign z = a & b; endmodule",
}


@pytest.mark.parametrize("sentence", sorted(TEXTS))
def test_a_file_without_comments_is_told(tmp_path: Path, sentence: str) -> None:
    assert sentence in said(tmp_path, TEXTS[sentence])


def test_a_register_block_needs_a_bus(tmp_path: Path) -> None:
    body = """reg [31:0] a, b, c, d; always @(posedge clk) if (psel & penable & pwrite)
case (paddr) CTRL: a <= pwdata; STAT: b <= pwdata; LEN: c <= pwdata; DATA: d <= pwdata; endcase
endmodule"""
    bus = "input psel, input penable, input pwrite, "
    rest = "input clk, input [7:0] paddr, input [31:0] pwdata);\n"
    first = said(tmp_path, f"module top({bus}{rest}{body}")[0]
    assert first == "Register block on an APB bus with 4 registers: `CTRL`, `STAT`, `LEN`, `DATA`."
    assert said(tmp_path, f"module top({rest}{body}")[0].startswith("Decodes `paddr`: `CTRL`")


def test_ports_of_a_template_are_no_constants(tmp_path: Path) -> None:
    text = "module {{ kind }} #(parameter AW = 10,\n parameter DW = 8)\n(input clk,\n input we);\n"
    told = " ".join(said(tmp_path, text + "endmodule\n"))
    assert "`we`" not in told


CHOICE = """module binary #(parameter OP = "ADD", parameter WIDE = 0)(
  input [7:0] a, input [7:0] b, output [15:0] y, output [15:0] z);
  if (OP == "MUL") begin : g_mul
    assign y = a * b;
  end : g_mul
  else begin : g_rest
    assign y = a / b;
  end
  if (1) begin : g_always
    assign z = a % b;
  end
endmodule
"""


def test_what_a_generate_block_does_is_told_with_its_condition(tmp_path: Path) -> None:
    told = said(tmp_path, CHOICE)
    assert 'Multiplies `a` by `b` if `OP == "MUL"`.' in told
    assert 'Divides `a` by `b` if `!(OP == "MUL")`.' in told
    assert "Takes the remainder of `a` by `b`." in told
    words = from_code(record_of(tmp_path, CHOICE), Vocabulary())
    assert "Multiplies a by b." in words
