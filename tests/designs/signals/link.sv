// A link of two units over an interface with modports, a controller, and a loop.
interface wire_if (input logic clk);
  logic       valid;
  logic       ready;
  logic [7:0] data;
  modport source(output valid, output data, input ready);
  modport sink(input valid, input data, output ready);
endinterface

module sender (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic go_i,
  wire_if.source out
);
  typedef enum logic [1:0] {IDLE, SEND, REST} state_e;
  state_e state_q, state_d;
  logic [7:0] count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= IDLE;
      count_q <= 8'h05;
    end else begin
      state_q <= state_d;
      if (out.valid && out.ready) count_q <= count_q + 1;
    end
  end

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      IDLE: if (go_i) state_d = SEND;
      SEND: if (out.ready) state_d = go_i ? SEND : REST;
      default: state_d = IDLE;
    endcase
  end

  assign out.valid = state_q == SEND;
  assign out.data = count_q;
endmodule

module receiver (
  input  logic clk,
  input  logic rst,
  wire_if.sink in,
  output logic [7:0] last_o
);
  assign in.ready = 1'b1;
  always @(posedge clk)
    if (rst) last_o <= 0;
    else if (in.valid) last_o <= in.data;
endmodule

module stage (input logic a, output logic y);
  assign y = ~a;
endmodule

module top (input logic clk, input logic rst_n, input logic go, output logic [7:0] seen);
  logic [3:0] hop;
  logic enable, a, b;
  wire_if bus (.clk);
  sender u_sender (.clk_i(clk), .rst_ni(rst_n), .go_i(enable), .out(bus.source));
  receiver u_receiver (.clk, .rst(~rst_n), .in(bus), .last_o(seen));
  assign hop[0] = go;
  for (genvar i = 0; i < 3; i++) begin : g_hop
    stage u_stage (.a(hop[i]), .y(hop[i+1]));
  end
  assign enable = hop[3];
  assign a = b & go;
  assign b = a | seen[0];
  and u_gate (loop, a, b);
endmodule
