// Sends bytes over a serial line: start bit, eight data bits, stop bit.
`include "soc_defs.svh"

module uart_tx #(
  parameter int unsigned ClksPerBit = 16
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       valid_i,
  output logic       ready_o,
  input  logic [7:0] data_i,
  output logic       tx_o      // idle high
);
  // Shift states of the transmitter.
  typedef enum logic [1:0] {
    TX_IDLE,
    TX_START,
    TX_DATA,
    TX_STOP
  } tx_state_e;

  tx_state_e   state_q;
  logic [2:0]  bit_q;
  logic [15:0] baud_q;
  logic [7:0]  shift_q;

  assign ready_o = state_q == TX_IDLE;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= TX_IDLE;
      baud_q  <= '0;
      bit_q   <= '0;
      tx_o    <= 1'b1;
    end else if (state_q == TX_IDLE) begin
      if (valid_i) begin
        shift_q <= data_i;
        state_q <= TX_START;
        tx_o    <= 1'b0;
      end
    end else if (baud_q != ClksPerBit[15:0] - 1) begin
      baud_q <= baud_q + 1'b1;
    end else begin
      baud_q <= '0;
      unique case (state_q)
        TX_START: begin
          state_q <= TX_DATA;
          tx_o    <= shift_q[0];
        end
        TX_DATA: begin
          bit_q <= bit_q + 1'b1;
          tx_o  <= bit_q == 3'd7 ? 1'b1 : shift_q[bit_q + 1];
          if (bit_q == 3'd7) state_q <= TX_STOP;
        end
        default: state_q <= TX_IDLE;
      endcase
    end
  end

  `SOC_ASSERT(IdleHigh_A, state_q != TX_IDLE || tx_o)
endmodule
