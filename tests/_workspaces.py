"""Two little repositories and a workspace file: one uses what the other defines."""

from __future__ import annotations

from pathlib import Path

from hdlgraph.project import Project

BOARD = {
    "rtl/board_top.v": """// Top of the board: cleans a button and counts how often it was pressed.
module board_top(input clk, input button, output [7:0] presses);
  wire pulse;
  pulse_sync u_sync(.clk(clk), .level_i(button), .pulse_o(pulse));
  press_counter u_count(.clk(clk), .step(pulse), .count(presses));
  strobe_gen u_strobe(.clk(clk), .period_i(8'd4));
endmodule
""",
    "rtl/press_counter.v": """// Counts the presses of the button, up to 255.
module press_counter(input clk, input step, output reg [7:0] count);
  always @(posedge clk) if (step) count <= count + 1;
endmodule
""",
    "vendor/edge_cell.v": """// Finds the rising edge of a level.
module edge_cell(input clk, input d, output q);
  reg last;
  always @(posedge clk) last <= d;
  assign q = d & ~last;
endmodule
""",
    "vendor/hold_cell.v": """// Holds a level for two cycles.
module hold_cell(input clk, input d, output reg q);
  always @(posedge clk) q <= d;
endmodule
""",
}
CELLS = {
    "src/pulse_sync.v": """// Brings an asynchronous level into the clock domain, as one pulse.
module pulse_sync(input clk, input level_i, output pulse_o);
  reg [1:0] meta;
  always @(posedge clk) meta <= {meta[0], level_i};
  edge_cell u_edge(.clk(clk), .d(meta[1]), .q(pulse_o));
endmodule
""",
    "src/edge_cell.v": BOARD["vendor/edge_cell.v"],
    "src/hold_cell.v": """// Holds a level for three cycles.
module hold_cell(input clk, input d, output q);
  reg [1:0] old;
  always @(posedge clk) old <= {old[0], d};
  assign q = d | old[0] | old[1];
endmodule
""",
    "src/strobe_gen.v": """// Gives a strobe each cycle; another unit than the board's of that name.
module strobe_gen(input clk, input enable, output strobe);
  assign strobe = enable & clk;
endmodule
""",
}


def build(home: Path) -> Path:
    """Writes and indexes both repositories below a folder; returns the workspace file."""
    for name, files in (("board", BOARD), ("cells", CELLS)):
        for path, text in files.items():
            place = home / name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        Project(home / name).index(embeddings=False, graphrag="never", jobs=1)
    file = home / "chips.yaml"
    file.write_text(
        "repositories:\n  board: board\n  cells:\n    index: cells/.hdlgraph\n"
        "    label: cells of the house\n"
    )
    return file
