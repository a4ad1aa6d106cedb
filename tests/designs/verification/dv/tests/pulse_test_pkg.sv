package pulse_test_pkg;
  import uvm_pkg::*;
  import pulse_env_pkg::*;

  class pulse_base_test extends uvm_test;
    pulse_env env;
    `uvm_component_utils(pulse_base_test)

    function void build_phase(uvm_phase phase);
      env = pulse_env::type_id::create("env", this);
      uvm_config_db#(uvm_object_wrapper)::set(this, "env.m_agent[0].sequencer.main_phase",
                                              "default_sequence", pulse_burst_seq::get_type());
    endfunction
  endclass

  class pulse_slow_driver extends pulse_driver;
    `uvm_component_utils(pulse_slow_driver)
  endclass

  class pulse_slow_test extends pulse_base_test;
    `uvm_component_utils(pulse_slow_test)

    function void build_phase(uvm_phase phase);
      set_type_override_by_type(pulse_driver::get_type(), pulse_slow_driver::get_type());
      pulse_monitor::type_id::set_inst_override(odd_monitor::get_type(), "env.m_agent[1].*");
      super.build_phase(phase);
    endfunction
  endclass
endpackage
