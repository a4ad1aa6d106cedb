package pulse_env_pkg;
  import uvm_pkg::*;
  import pulse_agent_pkg::*;
  import "DPI-C" function int pulse_expect(input int count);
  import "DPI-C" pulse_c_seed = function void pulse_seed(int seed);
  import "DPI-C" context task pulse_missing();
  `include "pulse_env.sv"
  `include "pulse_seqs.sv"
endpackage
