// Counts pulses and says when there were enough.
module pulse #(
    parameter int WIDTH = 8
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             pulse_i,
    output logic [WIDTH-1:0] count_o
);
  pulse_counter #(.WIDTH(WIDTH)) u_counter (.*);
endmodule

module pulse_counter #(
    parameter int WIDTH = 8
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             pulse_i,
    output logic [WIDTH-1:0] count_o
);
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) count_o <= '0;
    else if (pulse_i) count_o <= count_o + 1'b1;
endmodule
