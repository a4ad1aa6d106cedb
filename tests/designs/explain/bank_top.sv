module bank_top (input logic clk_i, input logic rst_ni);
  // Keeps the processor and the copy engine apart.
  bank_arb u_arb (.clk_i, .rst_ni);
  sub_unit u_sub (.clk_i);
endmodule
