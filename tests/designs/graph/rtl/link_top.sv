// Top of the graph tests: every way to connect and to choose.
`include "link_defs.svh"
module link_top
  import link_pkg::*;
#(
  parameter int Width = 8,
  parameter bit Fast = 1'b0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  mode_t            mode_i,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o
);
  logic [Width-1:0] stage;
  logic             s;
  logic             valid_o;

  link_if i0 (.clk_i(clk_i));

  // ordered ports and parameters
  link_cell #(Width) u_ordered (clk_i, stage, data_o);

  // two ways of doing the same work
  if (Fast) begin : gen_fast
    link_stage #(.Width(Width)) u_stage (.*, .data_o(stage), .valid_o());
  end else begin : gen_slow
    link_stage #(.Width(Width)) u_stage (
      .clk_i,
      .rst_ni,
      .data_i ({data_i[Width-1:1], 1'b0}),
      .valid_o(),
      .data_o (stage)
    );
  end

`ifdef LINK_TRACE
  link_trace u_trace (.clk_i(clk_i));
`else
  link_count u_count (.clk_i(clk_i));
`endif

  link_user u_user (.bus(i0), .flag_i(i0.s), .tie_i(1'b1));
  VENDOR_PLL u_pll (.CLK(clk_i));
  and (valid_o, s, rst_ni);
endmodule

module link_count (input logic clk_i);
endmodule
