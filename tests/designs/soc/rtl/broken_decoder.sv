// Decodes addresses to device selects. Left half edited on purpose: the first module does not parse.
module address_decoder (
  input  logic [15:0] addr_i,
  output logic        uart_sel_o
);
  assign uart_sel_o = addr_i[15:12] ==
endmodule

// Chooses the answer of the selected device.
module read_mux (
  input  logic        sel_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [31:0] y_o
);
  assign y_o = sel_i ? b_i : a_i;
endmodule
