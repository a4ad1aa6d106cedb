// The whole system: reset synchroniser, arbiter, serial port, timer, and a vendor memory.
module soc_top (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic uart_rx_i,
  output logic uart_tx_o,
  output logic timer_irq_o
);
  import soc_pkg::*;

  logic       rst_sync_n;
  logic [1:0] req, gnt;

  reset_sync u_reset_sync (
    .clk        (clk_i),
    .async_rst_n(rst_ni),
    .sync_rst_n (rst_sync_n)
  );

  bus_if bus (
    .clk_i,
    .rst_ni(rst_sync_n)
  );

  // Two hosts share the bus: the loader and the debug port.
  bus_arbiter #(
    .Hosts(2)
  ) u_arbiter (
    .clk_i,
    .rst_ni(rst_sync_n),
    .req_i (req),
    .gnt_o (gnt)
  );

  uart u_uart (
    .clk_i,
    .rst_ni(rst_sync_n),
    .bus   (bus),
    .rx_i  (uart_rx_i),
    .tx_o  (uart_tx_o)
  );

  timer u_timer (
    .clk  (clk_i),
    .rst_n(rst_sync_n),
    .load (gnt[1]),
    .value(bus.req.wdata),
    .irq  (timer_irq_o)
  );

  vendor_sram_1k u_memory (
    .CLK(clk_i),
    .A  (bus.req.addr),
    .D  (bus.req.wdata)
  );
endmodule
