// Widths and helper macros shared by the whole system.
`ifndef SOC_DEFS_SVH
`define SOC_DEFS_SVH

`define SOC_DATA_WIDTH 32
`define SOC_ASSERT(name, expr) \
  name: assert property (@(posedge clk_i) disable iff (!rst_ni) (expr));

`endif
