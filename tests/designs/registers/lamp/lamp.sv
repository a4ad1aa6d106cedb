module lamp (
  input logic clk,
  input logic [31:0] wr_data,
  input lamp_pkg::lamp__in_t hwif_in,
  output lamp_pkg::lamp__out_t hwif_out
);
  typedef struct { struct { struct { logic value; } on; } CTRL; } field_storage_t;
  field_storage_t field_storage;
  always_ff @(posedge clk) field_storage.CTRL.on.value <= wr_data[0];
  assign hwif_out.CTRL.on.value = field_storage.CTRL.on.value;
endmodule

module lamp_core (input logic clk, input logic hot, output logic light, output logic [7:0] duty);
  lamp_pkg::lamp__in_t from_core;
  lamp_pkg::lamp__out_t to_core;
  lamp u_regs (.clk, .wr_data('0), .hwif_in(from_core), .hwif_out(to_core));
  assign from_core.CTRL.hot.next = hot;
  assign light = to_core.CTRL.on.value;
  assign duty = to_core.LANE[2].duty.amount.value;
endmodule
