module link_stage #(parameter int Width = 1) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  output logic [Width-1:0] data_o
);
  always_ff @(posedge clk_i) data_o <= data_i;
endmodule

module link_user (
  link_if.user bus,
  input logic  flag_i,
  input logic  tie_i
);
  link_loop u_loop ();
endmodule

module link_loop;
  link_user u_again ();
endmodule

module link_trace (input logic clk_i);
endmodule
