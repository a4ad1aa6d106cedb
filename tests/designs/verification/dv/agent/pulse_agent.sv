class pulse_item extends uvm_sequence_item;
  rand bit pulse;
  constraint most_c { pulse dist {1 := 3, 0 := 1}; }
  `uvm_object_utils_begin(pulse_item)
    `uvm_field_int(pulse, UVM_ALL_ON)
  `uvm_object_utils_end
endclass

class pulse_driver extends base_driver;
  virtual pulse_if vif;
  `uvm_component_utils(pulse_driver)

  extern function void build_phase(uvm_phase phase);
endclass

function void pulse_driver::build_phase(uvm_phase phase);
  // uvm_config_db#(int)::get(this, "", "commented_out", x);
  if (!uvm_config_db#(virtual pulse_if)::get(this, "", "vif", vif)) `uvm_fatal("", "no vif")
  void'(uvm_config_db#(string)::get(this, "", "never_set", name));
endfunction

class pulse_monitor extends base_monitor;
  `uvm_component_utils(pulse_monitor)
endclass

class pulse_agent extends base_agent #(.DRIVER_T(pulse_driver), .MONITOR_T(pulse_monitor));
  `uvm_component_utils(pulse_agent)
endclass
