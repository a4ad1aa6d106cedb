// Receives bytes from a serial line and reports a framing error when the stop bit is missing.
module uart_rx #(
  parameter int unsigned ClksPerBit = 16
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       rx_i,
  output logic       valid_o,
  output logic [7:0] data_o,
  output logic       frame_err_o  // stop bit was low
);
  typedef enum logic [1:0] {RX_IDLE, RX_DATA, RX_STOP} rx_state_e;

  rx_state_e  state_q;
  logic [7:0] shift_q;
  logic [2:0] bit_q;
  logic [15:0] baud_q;

  assign data_o = shift_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= RX_IDLE;
      valid_o     <= 1'b0;
      frame_err_o <= 1'b0;
      baud_q      <= '0;
      bit_q       <= '0;
    end else begin
      valid_o <= 1'b0;
      if (state_q == RX_IDLE && !rx_i) begin
        state_q <= RX_DATA;
        baud_q  <= ClksPerBit[15:0] / 2;
      end else if (baud_q != ClksPerBit[15:0] - 1) begin
        baud_q <= baud_q + 1'b1;
      end else begin
        baud_q <= '0;
        if (state_q == RX_DATA) begin
          shift_q <= {rx_i, shift_q[7:1]};
          bit_q   <= bit_q + 1'b1;
          if (bit_q == 3'd7) state_q <= RX_STOP;
        end else begin
          valid_o     <= rx_i;
          frame_err_o <= !rx_i;
          state_q     <= RX_IDLE;
        end
      end
    end
  end
endmodule
