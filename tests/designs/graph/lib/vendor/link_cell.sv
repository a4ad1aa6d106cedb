module link_cell #(parameter int W = 1) (
  input  logic         clk,
  output logic [W-1:0] q,
  input  logic [W-1:0] d
);
endmodule
