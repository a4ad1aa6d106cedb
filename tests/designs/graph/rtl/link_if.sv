interface link_if (input logic clk_i);
  logic s;
  modport user (input s);
  modport maker (output s);
endinterface
