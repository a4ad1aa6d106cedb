// The serial port as a bus device: a transmit queue in front of the transmitter, and a receiver.
module uart #(
  parameter bit WithReceiver = 1'b1
) (
  input  logic  clk_i,
  input  logic  rst_ni,
  bus_if.device bus,
  input  logic  rx_i,
  output logic  tx_o
);
  import soc_pkg::*;

  logic       push, fifo_ready, tx_valid, tx_ready;
  logic [7:0] tx_byte, rx_byte;
  logic       rx_valid, frame_err;

  assign push      = bus.req.cmd == BUS_WRITE;
  assign bus.ready = fifo_ready;
  assign bus.rdata = {22'b0, frame_err, rx_valid, rx_byte};

  // Bytes wait here while the line is busy.
  sync_fifo #(
    .Width(8),
    .Depth(8)
  ) u_tx_queue (
    .clk_i,
    .rst_ni,
    .wvalid_i(push),
    .wready_o(fifo_ready),
    .wdata_i (bus.req.wdata[7:0]),
    .rvalid_o(tx_valid),
    .rready_i(tx_ready),
    .rdata_o (tx_byte)
  );

  uart_tx u_tx (
    .clk_i,
    .rst_ni,
    .valid_i(tx_valid),
    .ready_o(tx_ready),
    .data_i (tx_byte),
    .tx_o
  );

  if (WithReceiver) begin : gen_receiver
    uart_rx u_rx (
      .clk_i,
      .rst_ni,
      .rx_i,
      .valid_o    (rx_valid),
      .data_o     (rx_byte),
      .frame_err_o(frame_err)
    );
  end else begin : gen_no_receiver
    assign rx_valid  = 1'b0;
    assign rx_byte   = '0;
    assign frame_err = 1'b0;
  end
endmodule
