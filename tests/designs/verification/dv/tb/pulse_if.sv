// Pins of the counter.
interface pulse_if (
    input logic clk
);
  logic pulse;
  logic [7:0] count;
endinterface
