// The internal bus as an interface: one outstanding request, answered by ready.
interface bus_if (
  input logic clk_i,
  input logic rst_ni
);
  import soc_pkg::*;

  bus_req_t    req;
  logic        ready;
  logic [31:0] rdata;

  modport host   (output req, input ready, rdata);
  modport device (input req, output ready, rdata);
endinterface
