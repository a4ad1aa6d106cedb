class bank_monitor extends uvm_monitor;
  task collect_items();
  endtask
endclass
