// A lane with much that nothing uses.
`define LANE_ZERO 8'h00
`define LANE_GONE 8'hff
`define MIRROR(name) assign name``_copy = name;
`define WATCH(x) initial $display("%0d", x, probe);

package lane_pkg;
  localparam int Depth = 4;
  localparam int Height = 5;
  typedef logic [Depth-1:0] level_t;
  typedef logic [7:0] ghost_t;
  typedef enum logic [1:0] {Low, Mid, High} speed_e;
  function automatic int twice(int x);
    return 2 * x;
  endfunction
  function automatic int thrice(int x);
    return x > 1 ? thrice(x - 1) : 3;
  endfunction
endpackage

package orphan_pkg;
  localparam int Alone = 1;
endpackage

module lane import lane_pkg::*; #(
  parameter int W = 8,
  parameter int EXTRA = 2,
  localparam int Last = W - 1,
  localparam int Least = 0
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [Last:0] data_i,
  input  logic mode_i,
  input  logic test_i,
  output logic [W-1:0] data_o,
  output logic full_o,
  output logic debug_o
);
  level_t level;
  speed_e speed;
  logic hold, waits, never, floating, kept, copy_src, copy_src_copy;
  logic unused_mode;
  logic [7:0] filled, probe;
  /* verilator lint_off UNUSED */
  logic waived;
  /* verilator lint_on UNUSED */
  logic later;  // reserved for the next version
  assign unused_mode = mode_i;
  assign speed = data_i[0] ? Low : Mid;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      data_o <= `LANE_ZERO;
      level <= '0;
      hold <= 1'b0;
    end else begin
      data_o <= data_i + twice(level) + {7'b0, floating};
      level <= level + (speed == Low);
      hold <= data_i[1];
    end
  assign {waits,
          kept} = data_i[1:0];
  assign full_o = kept & (filled == 0);
  initial void'($value$plusargs("fill=%d", filled));
`ifdef CHECKS
  assert property (@(posedge clk_i) waits);
`endif
  assign copy_src = data_i[2];
  `MIRROR(copy_src)
  `WATCH(full_o)
  assign probe = data_i;
endmodule

module lane_pair (input logic clk_i, input logic rst_ni, input logic [7:0] d, output logic [7:0] q);
  logic full;
  lane u_lane (.clk_i, .rst_ni, .data_i(d), .mode_i(full), .data_o(q), .full_o(full), .debug_o());
endmodule

module lane_dead (input logic a, output logic b);
  assign b = a;
endmodule

module lane_stub (input logic a, output logic b);
endmodule
