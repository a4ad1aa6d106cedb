module pulse import pulse_reg_pkg::*; (
  input logic clk_i,
  output logic pulse_o
);
  pulse_reg2hw_t reg2hw;
  pulse_hw2reg_t hw2reg;
  logic [7:0] count, shown;
  logic [31:0] sum;
  pulse_reg_top u_reg (.clk_i, .reg2hw(reg2hw), .hw2reg(hw2reg));
  // reg2hw.ctrl.step.q is no use: it is in a comment
  always_ff @(posedge clk_i) begin
    if (reg2hw.ctrl.en.q) count <= count + reg2hw.ctrl.step.q;
  end
  assign hw2reg.status.level.d = count;
  assign shown = hw2reg.status.level.d;
  for (genvar i = 0; i < 3; i++) begin : g_limit
    pulse_lane u_lane (.limit(reg2hw.limit[i]), .hit());
  end
  pulse_irq u_irq (.enable_i(reg2hw.intr_enable), .pulse_o);
endmodule

module pulse_lane (
  input pulse_reg_pkg::pulse_reg2hw_limit_mreg_t limit,
  output logic hit
);
  assign hit = |limit.q;
endmodule
