// Releases an asynchronous reset in step with the clock, over two flip-flops.
module reset_sync (
  input  wire clk,
  input  wire async_rst_n,
  output wire sync_rst_n
);
  reg [1:0] chain;
  assign sync_rst_n = chain[1];

  always @(posedge clk or negedge async_rst_n)
    if (!async_rst_n) chain <= 2'b00;
    else chain <= {chain[0], 1'b1};
endmodule
