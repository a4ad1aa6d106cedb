// A bind stands in one module and means another.
module link_tb;
  link_top dut ();
  bind link_stage link_checks #(.Width(Width)) u_checks (.clk_i, .data(data_i));
  bind dut.u_user link_count u_bound (.clk_i(flag_i));
endmodule

module link_checks #(parameter int Width = 1) (input logic clk_i, input logic [Width-1:0] data);
endmodule

class link_maker extends link_pkg::link_alias;
  function void build();
    link_more one = link_more::type_id::create("one");
  endfunction
endclass
