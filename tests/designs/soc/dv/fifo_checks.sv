// Properties of the queue, bound to every instance of it.
module fifo_checks (
  input logic clk_i,
  input logic rst_ni,
  input logic rvalid_o,
  input logic rready_i
);
  NoReadWhenEmpty_A : assert property (@(posedge clk_i) disable iff (!rst_ni)
    rready_i |-> ##[0:8] rvalid_o || !rready_i);
endmodule

bind sync_fifo fifo_checks u_fifo_checks (.*);
