// A handshake bus and a small FIFO behind it.
//
// Copyright the hdlgraph authors.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.

`include "fifo_defs.svh"

// Words with a valid-ready handshake.
interface word_bus #(parameter int W = 8) (input logic clk);
  logic [W-1:0] word;
  logic valid, ready;  // both high: the word is taken
  modport source (output word, valid, input ready, import task send());
  modport sink (input word, valid, output ready);
endinterface

package fifo_pkg;
  // What the controller does next.
  typedef enum logic [1:0] {
    Empty,
    Filling,
    Full
  } level_e;
  typedef struct packed {
    logic       valid;
    logic [2:0] wr, rd;
  } pointers_t;
  class item extends base_item #(int);
    rand int delay;
    virtual function string show(); return "item"; endfunction
    extern task play();
  endclass
endpackage

/* Keeps up to Depth words in order. */
module fifo
  import fifo_pkg::*;
#(
  parameter  int  Depth = 4,  // words kept
  parameter  bit  Slow  = 1'b0,
  localparam int  Bits  = $clog2(Depth),
  parameter  type T     = logic
) (
  input  logic           clk_i,   // the only clock
  input  logic           rst_ni,
  word_bus.sink          in,
  word_bus               plain,
  output other_pkg::st_e state_o,
  input  [3:0]           lanes [2],
  output logic [Bits-1:0] a, b
);
  level_e level_q, level_d;
  pointers_t p;

  // buffers the word for one cycle
  stage #(.A(8), .B(Depth)) u_stage (
    .clk_i,
    .d   (in.word),
    .p   (),                 // not needed
    .q   ({level_q, lanes[Bits]}),
    .*
  );
  stage #(8, Depth) u_ordered (clk_i, , level_q);
  stage u_many [3:0] (.d(p.wr)), u_hier (.d(u_stage.s));

  if (Slow) begin : g_slow
    for (genvar i = 0; i < Depth; i++) begin : g_lane
      slow_mul u_mul (.a(i));
    end
  end else if (Depth > 2) begin : g_fast
    fast_mul u_mul (.a(a));
  end else begin : g_none
    no_mul u_mul ();
  end
  case (Depth)
    1: begin : g_one single u_case (); end
    default: several u_case ();
  endcase

  // level register
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_level
    if (!rst_ni) level_q <= Empty;
    else level_q <= level_d;
  end
  always @(posedge clk_i) if (rst_ni == 0) a = b;
  assign b = a + lanes[Bits];

  `FIFO_CHECK(LevelKnown, level_q != Full)
  TakenOnce: assert property (@(posedge clk_i) in.valid |=> ##[0:10] in.ready)
    else $error("a word was offered but never taken");

`ifdef FIFO_TRACE
  tracer u_trace (.level(level_q));
`else
  silence u_silence ();
`endif

  bind stage stage_checks #(.N(2)) u_checks (.clk(clk_i));
  function automatic logic odd(input logic x); return x; endfunction
  item it = item::type_id::create("it");
  unknown_pkg::t u;
endmodule
