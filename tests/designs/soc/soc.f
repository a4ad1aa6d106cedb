// the design without its testbench
+incdir+include
+define+SYNTHESIS
rtl/soc_pkg.sv
rtl/bus_if.sv
rtl/bus_arbiter.sv
rtl/sync_fifo.sv
rtl/uart_tx.sv
rtl/uart_rx.sv
rtl/uart.sv
rtl/timer.v
rtl/reset_sync.v
rtl/soc_top.sv
