package link_pkg;
  typedef enum logic [1:0] {ModeIdle, ModeRun} mode_t;
  `include "link_item.svh"
  typedef link_item link_alias;
endpackage
