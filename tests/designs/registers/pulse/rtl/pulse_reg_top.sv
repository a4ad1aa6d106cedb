module pulse_reg_top (
  input logic clk_i,
  output pulse_reg_pkg::pulse_reg2hw_t reg2hw,
  input pulse_reg_pkg::pulse_hw2reg_t hw2reg
);
  logic [7:0] status_version_qs;
  cell_rw #(.W(1)) u_ctrl_en (
    .clk_i, .q(reg2hw.ctrl.en.q));
  cell_rw #(.W(8)) u_ctrl_step (.clk_i, .q(reg2hw.ctrl.step.q));
  cell_ro u_status_level (.clk_i, .d(hw2reg.status.level.d));
  assign status_version_qs = 8'h2;
  cell_rw u_limit_0 (.clk_i, .q(reg2hw.limit[0].q));
  cell_rw u_limit_1 (.clk_i, .q(reg2hw.limit[1].q));
  cell_rw u_spare (.clk_i, .q());
endmodule
