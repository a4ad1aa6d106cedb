// Checks of the counter.
module pulse_checks (
    input logic clk_i,
    input logic pulse_i
);
  PulseKnown_A : assert property (@(posedge clk_i) !$isunknown(pulse_i));
endmodule

module pulse_bind;
  bind pulse pulse_checks u_checks (.clk_i, .pulse_i);
endmodule
