// Testbench of the counter.
module tb;
  import uvm_pkg::*;
  import pulse_test_pkg::*;
  `include "uvm_macros.svh"

  logic clk, rst_n;
  pulse_if pins (clk);
  pulse_wrapper dut (
      .clk,
      .rst_n,
      .pins
  );

  initial begin
    uvm_config_db#(virtual pulse_if)::set(null, "*.env.m_agent*", "vif", pins);
    uvm_config_db#(int)::set(null, "*", "never_read", 3);
    run_test();
  end
endmodule
