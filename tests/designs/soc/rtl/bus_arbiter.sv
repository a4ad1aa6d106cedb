// Grants the bus to one of several hosts, the turn moving on after every grant (round robin),
// so that no host can starve another.
`include "soc_defs.svh"

module bus_arbiter #(
  parameter int unsigned Hosts = 2  // number of requesting hosts
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Hosts-1:0] req_i,    // one request line per host
  output logic [Hosts-1:0] gnt_o     // at most one bit is set
);
  logic [$clog2(Hosts)-1:0] last_q;

  always_comb begin
    gnt_o = '0;
    for (int unsigned n = 1; n <= Hosts; n++) begin
      if (req_i[(last_q + n) % Hosts] && gnt_o == '0) gnt_o[(last_q + n) % Hosts] = 1'b1;
    end
  end

  // The host that was served last has to wait for all others.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_q <= '0;
    else
      for (int unsigned n = 0; n < Hosts; n++) begin
        if (gnt_o[n]) last_q <= n[$clog2(Hosts)-1:0];
      end
  end

  `SOC_ASSERT(OneGrant_A, $onehot0(gnt_o))
endmodule
