// Types and constants of the little system: bus commands and the address map.
package soc_pkg;
  localparam int unsigned AddrWidth = 16;
  localparam logic [AddrWidth-1:0] UartBase = 16'h4000;
  localparam logic [AddrWidth-1:0] TimerBase = 16'h5000;

  typedef enum logic [1:0] {
    BUS_IDLE,
    BUS_READ,
    BUS_WRITE
  } bus_cmd_e;

  // One request on the internal bus.
  typedef struct packed {
    bus_cmd_e               cmd;
    logic [AddrWidth-1:0]   addr;
    logic [31:0]            wdata;
  } bus_req_t;

  function automatic logic in_window(logic [AddrWidth-1:0] addr, logic [AddrWidth-1:0] base);
    return addr[AddrWidth-1:12] == base[AddrWidth-1:12];
  endfunction
endpackage
