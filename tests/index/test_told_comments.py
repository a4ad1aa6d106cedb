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
  input [W-1:0] word,  // as above but wider
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
        "but wider",
        "Source side",
        "stimulus",
    ],
)
def test_remnants_are_not_told(told: str, words: str) -> None:
    assert words not in told


STATED = """// Moves words between two buses.
module mover #(parameter OP = "ADD") (
  input clk, input [3:0] a, output reg [3:0] y, WORD_BUS.out far
);
  typedef enum logic {
    Empty,  // no word is there
    Full  // one word waits
  } fill_t;
  fill_t fill;
  always_comb y = a + far.word;
  if (OP == "MUL") begin : g_mul
    unit_m u_m (.clk(clk));
  end else begin : g_add
    unit_a u_a (.clk(clk));
  end
  for (genvar k = 0; k < 2; k = k + 1) begin : g_lane
    unit_a u_l (.clk(clk));
  end
  initial begin
    $display("Loading address: %h, length: %d", y, a);
    $display("## I: far side took word %0d of the list", a);
    $error("No word came in time.");
    $display("\\033[31mLast word taken\\033[0m");
    $display("counting with");
    $display("Value was (%d)", y);
  end
  `ASSERT_INIT(UnknownKind_A, 0)
  `ASSERT(WordStaysUntilTaken_A, a |-> y)
endmodule
"""


@pytest.fixture(scope="module")
def stated(tmp_path_factory: pytest.TempPathFactory) -> str:
    record = record_of(tmp_path_factory.mktemp("mover"), STATED, "mover.sv")
    found = explain_all([record])[record.path]
    return f"{found.purpose} {found.behaviour}"


def test_messages_are_quoted_whole(stated: str) -> None:
    texts = '"far side took word %0d of the list", "No word came in time" and "Last word taken"'
    assert f"Reports {texts}." in stated
    assert "counting with" not in stated
    assert "Loading" not in stated
    assert "Value was" not in stated
    assert "later" not in stated


def test_assertions_are_named_but_for_constant_ones(stated: str) -> None:
    assert "Has the assertions `WordStaysUntilTaken_A`." in stated
    assert "UnknownKind" not in stated
    assert "Checks that" not in stated


def test_nothing_is_computed_through_interfaces(stated: str) -> None:
    assert "Computes" not in stated


def test_alternatives_are_no_parts(stated: str) -> None:
    assert "`g_lane`" in stated
    assert "g_mul" not in stated


def test_members_keep_their_comments(stated: str) -> None:
    assert "`Full`: one word waits." in stated
