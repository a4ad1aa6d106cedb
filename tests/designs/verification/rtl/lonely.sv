// Nothing exercises it.
module lonely (
    input  logic a_i,
    output logic a_o
);
  assign a_o = ~a_i;
endmodule
