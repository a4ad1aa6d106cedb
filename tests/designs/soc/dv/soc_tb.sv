// Testbench: resets the system, sends one byte and waits for the timer.
`include "soc_defs.svh"

module soc_tb;
  logic clk = 1'b0;
  logic rst_n = 1'b0;
  logic tx, irq;

  always #5 clk = ~clk;

  soc_top dut (
    .clk_i      (clk),
    .rst_ni     (rst_n),
    .uart_rx_i  (1'b1),
    .uart_tx_o  (tx),
    .timer_irq_o(irq)
  );

  initial begin
    #20 rst_n = 1'b1;
    #2000;
    if (tx !== 1'b1) $error("serial line is not idle after reset");
    $finish;
  end
endmodule
