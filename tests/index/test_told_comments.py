"""What people are told of comments inside a file: whole sentences, or words with their subject."""

from __future__ import annotations

import pytest
from _parsing import record_of

from hdlgraph.index.explain.by_rules.explainer import explain_all

LANE = """// Sends words over one lane.
// TODO: add parity to the words that are sent.
module lane #(parameter W = 8)(
  input clk,
  input go,      // starts one transfer of a word
  input [W-1:0] word,
  // Write address lines.
  output reg [3:0] a,
  output reg b
);
  // for now keep the old clock running all the time
  wire tick;
  wire slow;  // one pulse in sixteen cycles

  // The outer counter selects the lane that may send next.
  always @(posedge clk) begin
    if (go) a <= 4'd1;       // wait until it is full of words
    else begin
      // kept on purpose, they are needed later
      a <= a + 4'd1;
    end
    b <= tick; b2 <= slow; b3 <= go;
  end

  // Source side sender
  // assign slow = go & tick;

  pad u_pad (
    .clk (clk),
    .raw (word[0]),  // bypass the inverted clock for testing
    .y   (tick)
  );
`ifdef DEMO_LANE
  // The generator of stimulus drives the lane with random words.
  initial go_r = 0;
`endif
  function [3:0] next(input [3:0] now);
    // Skips the lanes that are switched off.
    next = now + 1;
  endfunction
endmodule
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> str:
    record = record_of(tmp_path_factory.mktemp("lane"), LANE, "lane.v")
    found = explain_all([record])[record.path]
    return f"{found.purpose} {found.behaviour}"


@pytest.mark.parametrize(
    "sentence",
    [
        "Sends words over one lane.",
        "`go`: starts one transfer of a word.",
        "`slow`: one pulse in sixteen cycles.",
        "The outer counter selects the lane that may send next.",
        "`raw`: bypass the inverted clock for testing.",
        "In `next`: Skips the lanes that are switched off.",
    ],
)
def test_comments_are_told_with_their_subject_or_as_sentences(told: str, sentence: str) -> None:
    assert sentence in told


@pytest.mark.parametrize(
    "words",
    [
        "TODO",
        "parity",
        "for now",
        "Write address lines",
        "until it is full",
        "needed later",
        "Source side",
        "stimulus",
    ],
)
def test_remnants_are_not_told(told: str, words: str) -> None:
    assert words not in told
