`ifndef FIFO_DEFS_SVH
`define FIFO_DEFS_SVH
// Asserts that a condition always holds.
`define FIFO_CHECK(name, cond) name: assert property (@(posedge clk_i) cond);
`define ASSERT(name, cond) name: assert property (@(posedge clk_i) cond);
module in_header; endmodule
`endif
