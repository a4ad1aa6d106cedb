// Copyright Example Contributors.
// Licensed under the Apache License, Version 2.0.
//
// Grants one of two clients access to a memory bank. The loser waits until the winner is done.

module bank_arb #(
  parameter int unsigned Depth = 4  // entries of the wait queue
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // cpu side
  input  logic        cpu_req_i,
  output logic        cpu_gnt_o,
  input  logic        dma_req_i,
  output logic        dma_gnt_o,
  input  logic        s_awvalid, s_wvalid, s_bready, s_arvalid, s_rready,
  output logic        s_awready, s_wready, s_bvalid, s_arready, s_rvalid,
  output logic        intr_timeout_o
);

  typedef enum logic [1:0] {
    StIdle,     // nobody asks
    StServeCpu,
    StWaitBank
  } arb_state_e;
  arb_state_e state_q, state_d;
  logic [7:0] retry_cnt_q;

  // Drop the request when the bank stays busy for too long.
  always_ff @(posedge clk_i or negedge rst_ni) begin : p_state
    if (!rst_ni) begin
      state_q     <= StIdle;
      retry_cnt_q <= '0;
    end else begin
      state_q     <= state_d;
      retry_cnt_q <= retry_cnt_q + 1'b1;
    end
  end

  assign state_d = StIdle;

  GrantOneHot_A: assert property (@(posedge clk_i) cpu_gnt_o |-> ##1 !dma_gnt_o)
    else $error("both clients were granted the bank");
endmodule
