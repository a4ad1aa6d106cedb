// Gives the counter the pins of the testbench.
module pulse_wrapper (
    input logic clk,
    input logic rst_n,
    pulse_if pins
);
  pulse u_pulse (
      .clk_i  (clk),
      .rst_ni (rst_n),
      .pulse_i(pins.pulse),
      .count_o(pins.count)
  );
endmodule
