class pulse_scoreboard extends uvm_scoreboard;
  uvm_tlm_analysis_fifo #(pulse_item) item_fifo;
  `uvm_component_utils(pulse_scoreboard)
endclass

class pulse_env_cov extends uvm_component;
  covergroup count_cg;
    coverpoint count;
  endgroup
  `uvm_component_utils(pulse_env_cov)
endclass

class pulse_env extends uvm_env;
  pulse_agent m_agent[2];
  pulse_scoreboard scoreboard;
  pulse_env_cov cov;
  `uvm_component_utils(pulse_env)

  function void build_phase(uvm_phase phase);
    super.build_phase(phase);
    foreach (m_agent[i])
      m_agent[i] = pulse_agent::type_id::create($sformatf("m_agent[%0d]", i), this);
    scoreboard = pulse_scoreboard::type_id::create("scoreboard", this);
    cov = pulse_env_cov::type_id::create("cov", this);
    cfg = pulse_cfg::type_id::create("cfg");
  endfunction

  function void connect_phase(uvm_phase phase);
    m_agent[0].monitor.item_port.connect(scoreboard.item_fifo.analysis_export);
  endfunction
endclass

class pulse_cfg extends uvm_object;
  `uvm_object_utils(pulse_cfg)
endclass
