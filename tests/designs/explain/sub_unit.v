module sub_unit (input clk_i);
endmodule
