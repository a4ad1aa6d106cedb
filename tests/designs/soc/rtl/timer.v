// A free-running counter that raises an interrupt when it reaches its compare value.
module timer (clk, rst_n, load, value, irq);
  input clk;
  input rst_n;
  input load;          // take a new compare value
  input [31:0] value;
  output irq;
  reg irq;

  reg [31:0] count;
  reg [31:0] compare;

  always @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      count <= 32'd0;
      compare <= 32'hffff_ffff;
      irq <= 1'b0;
    end else begin
      count <= count + 32'd1;
      if (load) compare <= value;
      irq <= (count == compare);
    end
  end
endmodule
