// What all agents have in common; UVM itself is not in this repository.
class base_agent #(type DRIVER_T = base_driver, type MONITOR_T = base_monitor) extends uvm_agent;
  `uvm_component_param_utils(base_agent #(DRIVER_T, MONITOR_T))
  DRIVER_T driver;
  MONITOR_T monitor;
  uvm_sequencer #(pulse_item) sequencer;

  `uvm_component_new

  virtual function void build_phase(uvm_phase phase);
    monitor = MONITOR_T::type_id::create("monitor", this);
    if (is_active) begin
      driver = DRIVER_T::type_id::create("driver", this);
      sequencer = uvm_sequencer#(pulse_item)::type_id::create("sequencer", this);
    end
  endfunction

  virtual function void connect_phase(uvm_phase phase);
    driver.seq_item_port.connect(sequencer.seq_item_export);
  endfunction
endclass

class base_driver extends uvm_driver #(pulse_item);
  `uvm_component_utils(base_driver)
endclass

class base_monitor extends uvm_monitor;
  uvm_analysis_port #(pulse_item) item_port;
  `uvm_component_utils(base_monitor)
endclass
