package pulse_agent_pkg;
  import uvm_pkg::*;
  `include "base.sv"
  `include "pulse_agent.sv"
endpackage
