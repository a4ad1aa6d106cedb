`define LINK_DEPTH 4
