// Clocks that are gated, chosen, divided and inverted, and data that goes between them.
module gate(input clk_i, input en_i, output clk_o);
  reg open;
  always_latch if (!clk_i) open = en_i;
  assign clk_o = open & clk_i;
endmodule

module choose(input a, input b, input sel, output o);
  assign o = sel ? b : a;
endmodule

module halve(input clk, input rst_n, output clk_half);
  reg q;
  always_ff @(posedge clk or negedge rst_n) if (!rst_n) q <= 1'b0; else q <= ~q;
  assign clk_half = q;
endmodule

module reset_sync(input clk, input rst_ni, output rst_no);
  reg [1:0] q;
  always_ff @(posedge clk or negedge rst_ni) if (!rst_ni) q <= 2'b00; else q <= {q[0], 1'b1};
  assign rst_no = q[1];
endmodule

module fifo(input wclk, input rclk, input wn, input rn, input put, input get,
            input [7:0] wdata, output [7:0] rdata);
  reg [7:0] store [0:3];
  reg [2:0] wptr, rptr;
  wire [2:0] wptr_r, rptr_w;
  always_ff @(posedge wclk) if (put && wptr != rptr_w) store[wptr[1:0]] <= wdata;
  always_ff @(posedge wclk or negedge wn) if (!wn) wptr <= '0; else if (put) wptr <= wptr + 1;
  always_ff @(posedge rclk or negedge rn) if (!rn) rptr <= '0; else if (get) rptr <= rptr + 1;
  sync3 to_r(.clk(rclk), .d(wptr), .q(wptr_r));
  sync3 to_w(.clk(wclk), .d(rptr), .q(rptr_w));
  assign rdata = wptr_r != rptr ? store[rptr[1:0]] : 8'h00;
endmodule

module sync3(input clk, input [2:0] d, output reg [2:0] q);
  reg [2:0] one;
  always_ff @(posedge clk) one <= d;
  always_ff @(posedge clk) q <= one;
endmodule

module shift2(input clk, input d, output q);
  reg [1:0] s;
  always_ff @(posedge clk) s <= {s[0], d};
  assign q = s[1];
endmodule

module send(input clk, input rst_n, input [7:0] x, output reg [7:0] data, output reg flag);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) begin data <= '0; flag <= 1'b0; end
    else begin data <= x; flag <= ~flag; end
endmodule

module take #(parameter SAFE = 1) (input clk, input rst_n, input [7:0] data, input flag,
                                   input en, output reg [7:0] bare, output reg [7:0] good,
                                   output reg gated);
  wire flag_q;
  reg last;
  if (SAFE) begin : g_safe
    shift2 u_flag(.clk, .d(flag), .q(flag_q));
  end else begin : g_bare
    assign flag_q = flag;
  end
  wire slow;
  gate u_gate(.clk_i(clk), .en_i(en), .clk_o(slow));
  always_ff @(posedge clk) last <= flag_q;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) good <= '0; else if (last != flag_q) good <= data;
  always_ff @(posedge clk) bare <= data;
  always_ff @(negedge slow) gated <= last;
endmodule

module chip(input clk_a, input clk_b, input rst_n, input en, input sel, input [7:0] x,
            output [7:0] bare, output [7:0] good, output [7:0] out, output gated);
  wire clk_half, clk_pick, rst_b_n, flag, flag_b;
  wire [7:0] data, rdata;
  halve u_half(.clk(clk_a), .rst_n, .clk_half);
  choose u_pick(.a(clk_half), .b(clk_b), .sel, .o(clk_pick));
  reset_sync u_rst(.clk(clk_b), .rst_ni(rst_n), .rst_no(rst_b_n));
  send u_send(.clk(clk_a), .rst_n, .x, .data, .flag);
  take u_take(.clk(clk_b), .rst_n(rst_b_n), .data, .flag, .en, .bare, .good, .gated);
  fifo u_fifo(.wclk(clk_a), .rclk(clk_b), .wn(rst_n), .rn(rst_b_n), .put(en), .get(en),
              .wdata(data), .rdata);
  reg [7:0] seen;
  always_ff @(posedge clk_b) seen <= rdata;
  reg [7:0] picked;
  always_ff @(posedge clk_pick or negedge rst_n) if (!rst_n) picked <= '0; else picked <= x;
  assign out = seen ^ picked;
endmodule
