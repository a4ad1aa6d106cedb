// Counts down and raises an interrupt.
module timer (clk, rst, load, irq);
  parameter WIDTH = 8;
  input clk;
  input rst;
  input [WIDTH-1:0] load;  // start value
  output irq;
  reg [WIDTH-1:0] left;
  wire done;
  (* keep = "true" *) zero #(.WIDTH(WIDTH)) u_zero (.value(left), .is_zero(done));
  edge_detect u_edge (clk, done, irq);
  and g1 (w, clk, done);
  always @(posedge clk)
    if (rst) left <= 8 'h0;
    else left <= load;
endmodule

module zero #(parameter WIDTH = 8) (input [WIDTH-1:0] value, output is_zero);
  assign is_zero = value == 0;
endmodule
