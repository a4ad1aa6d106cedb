// Maps as RTL writes them: rules, arrays, comparisons, and constants.
package board_pkg;
  localparam logic [31:0] UartBase = 32'h5000_0000;
  localparam logic [31:0] UartLength = 32'h1000;
  localparam logic [31:0] RomBase = UartBase + (32'h1 << 16);
  localparam logic [31:0] RomLength = 32'h100 * 16;
  localparam int LightWidth = 8;
  typedef enum int {Uart, Rom} device_e;
  typedef struct packed {int idx; logic [31:0] start_addr; logic [31:0] end_addr;} rule_t;
endpackage

package loose_pkg;
  localparam first_base_addr_gp = 32'h0900_0000;
  localparam second_base_addr_gp = 32'h0900_4000;
  localparam third_base_addr_gp = 32'h0900_8000;
endpackage

module router (
  input logic clk_i,
  input logic [31:0] host_addr_i [2],
  output logic [31:0] device_addr_o [2],
  input board_pkg::rule_t [1:0] addr_map_i
);
  always_comb for (int d = 0; d < 2; d++) device_addr_o[d] = host_addr_i[0];
endmodule

module core_a (input logic clk_i, output logic [31:0] fetch_addr_o);
  always_ff @(posedge clk_i) fetch_addr_o <= fetch_addr_o + 4;
endmodule

module board (input logic clk_i, input logic [31:0] debug_addr_i, output logic [31:0] out [2]);
  import board_pkg::*;
  logic [31:0] addr [2];
  rule_t [1:0] addr_map;
  assign addr_map = '{
    '{idx: board_pkg::Uart, start_addr: UartBase, end_addr: UartBase + UartLength},
    '{idx: board_pkg::Rom, start_addr: RomBase, end_addr: RomBase + RomLength}
  };
  logic [31:0] cpu_addr;
  core_a u_core (.clk_i, .fetch_addr_o(cpu_addr));
  assign addr[0] = cpu_addr;
  assign addr[1] = debug_addr_i;
  router u_router (.clk_i, .host_addr_i(addr), .device_addr_o(out), .addr_map_i(addr_map));
endmodule

module tiny (input logic [31:0] req_addr_i, output logic hit, output logic low);
  assign hit = req_addr_i >= 32'h7000_0000 && req_addr_i < 32'h7000_0040;
  assign low = (req_addr_i & ~32'h0000_00ff) == 32'h7100_0000;
endmodule

module small_board (input logic clk_i, output logic [1:0] seen);
  logic [31:0] address;
  core_a u_fetch (.clk_i, .fetch_addr_o(address));
  tiny u_tiny (.req_addr_i(address), .hit(seen[0]), .low(seen[1]));
endmodule

module listed;
  logic [31:0] cfg_base [2], cfg_mask [2];
  assign cfg_base[Left] = 32'h8000_0000;
  assign cfg_mask[Left] = ~32'h3FF;
  assign cfg_base[Right] = 32'h8000_1000;
  assign cfg_mask[Right] = ~32'hFFF;
  localparam int Left = 0, Right = 1;
endmodule

module loose (input logic [31:0] paddr_i, output logic hit);
  import loose_pkg::*;
  always_comb case (paddr_i)
    second_base_addr_gp: hit = 1'b1;
    default: hit = 1'b0;
  endcase
endmodule
