"""A file is described by what it is for, not by one small thing that its code does."""

from __future__ import annotations

from pathlib import Path

from _texts import indexed

PLAIN = """module scaler (input clk_i, input [7:0] gain_i, level_i, output logic [15:0] out_o);
  always_ff @(posedge clk_i) out_o <= gain_i * level_i;
endmodule
"""
TOLD = "// Counts the beats of a burst and scales each level by a gain.\n" + PLAIN


def test_a_small_operation_describes_no_file(tmp_path: Path) -> None:
    text = indexed(tmp_path, {"scaler.sv": PLAIN}).ask("how does the scaler work?").text
    assert "[scaler.sv:" in text
    assert "Described as: Multiplies" not in text


def test_what_somebody_wrote_does(tmp_path: Path) -> None:
    text = indexed(tmp_path, {"scaler.sv": TOLD}).ask("how does the scaler work?").text
    assert "Described as: Counts the beats of a burst and scales each level by a gain." in text
