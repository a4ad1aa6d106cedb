// A register with an enable, hidden in two cells, and a synchroniser made of them.
module keep #(parameter W = 1) (input c, input rn, input [W-1:0] i, output reg [W-1:0] o);
  always_ff @(posedge c or negedge rn) if (!rn) o <= '0; else o <= i;
endmodule

module keep_if #(parameter W = 1) (input c, input rn, input en, input [W-1:0] i, output [W-1:0] o);
  keep #(.W(W)) inner(.i(en ? i : o), .*);
endmodule

module keep_twice(input c, input rn, input i, output o);
  wire mid;
  keep first(.c, .rn, .i, .o(mid));
  keep second(c, rn, mid, o);
endmodule

module keep_low(input c, input rn, input i, output o);
  keep inner(.c(~c), .rn, .i, .o);
endmodule

module keep_or_pass #(parameter HOLD = 1) (input c, input rn, input i, output o);
  if (HOLD) begin : g_hold
    keep inner(.*);
  end else begin : g_pass
    assign o = i;
  end
endmodule

module keep_gated(input clk, input rn, input en, input [3:0] i, output [3:0] o);
  wire c;
  gate head(.clk_i(clk), .en_i(en), .clk_o(c));
  keep #(.W(4)) inner(.*);
endmodule

module adder(input [3:0] a, input [3:0] b, output [3:0] s);
  assign s = a + b;
endmodule

module user(input clk, input rst_n, input go, input x, output y, output z);
  wire held, low, kept, seen;
  wire [3:0] sum;
  keep_if u_if(.c(clk), .rn(rst_n), .en(go), .i(x), .o(held));
  keep_low u_low(clk, rst_n, held, low);
  keep_or_pass u_kept(.c(clk), .rn(rst_n), .i(low), .o(kept));
  adder u_add(.a(4'd1), .b({4{kept}}), .s(sum));
  vendor_dff u_seen(.CK(clk), .D(kept), .Q(seen));
  assign y = kept;
  assign z = seen;
endmodule

module stepper(input clk, input rst_n, input go, output busy);
  typedef enum logic [0:0] {REST, WORK} step_t;
  step_t now, later;
  keep u_step(.c(clk), .rn(rst_n), .i(later), .o(now));
  always_comb begin
    later = now;
    case (now)
      REST: if (go) later = WORK;
      WORK: later = REST;
    endcase
  end
  assign busy = now == WORK;
endmodule
