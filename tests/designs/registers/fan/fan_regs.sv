module fan_regs (
  input logic clk,
  input logic speed_stuck_i,
  output logic [11:0] speed_rpm_o
);
  logic [11:0] reg_speed_rpm;
  logic [31:0] blade_angle_q;
  logic rpm;
  assign speed_rpm_o = reg_speed_rpm;
endmodule
