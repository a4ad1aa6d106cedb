// A first-in first-out queue in one clock domain; full and empty are told by an extra pointer bit.
module sync_fifo #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 4  // power of two
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             wvalid_i,
  output logic             wready_o,
  input  logic [Width-1:0] wdata_i,
  output logic             rvalid_o,
  input  logic             rready_i,
  output logic [Width-1:0] rdata_o
);
  localparam int unsigned PtrWidth = $clog2(Depth) + 1;

  logic [Width-1:0]    storage_q [Depth];
  logic [PtrWidth-1:0] wptr_q, rptr_q;

  assign rvalid_o = wptr_q != rptr_q;
  assign wready_o = !((wptr_q[PtrWidth-1] != rptr_q[PtrWidth-1]) &&
                      (wptr_q[PtrWidth-2:0] == rptr_q[PtrWidth-2:0]));
  assign rdata_o  = storage_q[rptr_q[PtrWidth-2:0]];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wptr_q <= '0;
      rptr_q <= '0;
    end else begin
      if (wvalid_i && wready_o) wptr_q <= wptr_q + 1'b1;
      if (rvalid_o && rready_i) rptr_q <= rptr_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (wvalid_i && wready_o) storage_q[wptr_q[PtrWidth-2:0]] <= wdata_i;
  end
endmodule
