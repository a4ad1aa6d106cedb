class pulse_base_seq extends uvm_sequence #(pulse_item);
  `uvm_object_utils(pulse_base_seq)
  `uvm_declare_p_sequencer(pulse_sequencer)
endclass

class pulse_burst_seq extends pulse_base_seq;
  `uvm_object_utils(pulse_burst_seq)
  task body();
    pulse_item item;
    `uvm_do(item)
  endtask
endclass

class pulse_smoke_vseq extends pulse_base_seq;
  pulse_burst_seq m_burst;
  `uvm_object_utils(pulse_smoke_vseq)

  virtual task body();
    pulse_base_seq first;
    `uvm_create_on(m_burst, p_sequencer)
    `uvm_send(m_burst)
    first = pulse_burst_seq::type_id::create("first");
    first.start(p_sequencer);
    timer.start(5);
  endtask
endclass
