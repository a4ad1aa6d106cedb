"""Names that a question writes: what declares them comes first, spelt as the question spells it."""

from __future__ import annotations

from pathlib import Path

import pytest
from _texts import indexed

from hdlgraph.project import Project
from hdlgraph.query.question.analyse import identifiers
from hdlgraph.query.search import Searcher

BRIDGE = """// Bridge from the ring to the stream.
module ring2stream(input clk, input rst_n, output reg valid);
  always @(posedge clk) valid <= rst_n;
endmodule
"""
PROOF = """// Properties of ring2stream: ring2stream holds valid low in reset, never drops.
module fv_ring2stream(input clk, input rst_n);
  wire valid;
  ring2stream dut(.clk(clk), .rst_n(rst_n), .valid(valid));
  assert property (@(posedge clk) !rst_n |=> !valid);
endmodule
"""
PACKAGE = """// Constants of the ring.
package ring_pkg;
  localparam int RING_SLOTS = 8;
  typedef enum logic [1:0] {RING_IDLE, RING_FULL} ring_state_t;
  typedef struct packed { logic ring_tag; } ring_word_t;
endpackage
"""
SLOTS = """// Keeps the slots of the ring, as many as RING_SLOTS says: RING_SLOTS of RING_SLOTS.
module ring_slots(input clk, input [7:0] tag, output reg [7:0] held);
  always @(posedge clk) if (ring_pkg::RING_SLOTS > 4) held <= tag;
endmodule
"""
MACROS = """// Switches of the board.
`define RING_SLOTS_WIDE
`define HAS_RING 1
"""
TOP = """// The ring with its bridge.
module has_ring(input clk, input rst_n, output valid);
  ring2stream u_bridge(.clk(clk), .rst_n(rst_n), .valid(valid));
endmodule
"""
BENCH = """// Test bench of ring2stream: drives ring2stream and instantiates ring2stream again.
module ring2stream_tb;
  reg clk, rst_n;
  wire valid;
  ring2stream dut(.clk(clk), .rst_n(rst_n), .valid(valid));
  initial begin rst_n = 0; #10 rst_n = 1; $finish; end
endmodule
"""


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    root = tmp_path_factory.mktemp("ring")
    files = {
        "rtl/ring2stream.v": BRIDGE,
        "rtl/ring_pkg.sv": PACKAGE,
        "rtl/ring_slots.sv": SLOTS,
        "rtl/has_ring.v": TOP,
        "rtl/board.vh": MACROS,
        "formal/fv_ring2stream.sv": PROOF,
        "tb/ring2stream_tb.v": BENCH,
    }
    project = indexed(root, files)
    return project.searcher()


def first(searcher: Searcher, question: str) -> str:
    return searcher.search(question).hits[0].path


@pytest.mark.parametrize("word", ["axi2apb", "wb2axis", "ahb32apb2wb"])
def test_a_two_between_two_names_makes_a_name(word: str) -> None:
    assert identifiers(f"how is {word} reset?") == [word]


@pytest.mark.parametrize("word", ["i2c", "b2b", "L2", "mp3", "CVA6", "h2"])
def test_other_digits_do_not(word: str) -> None:
    assert identifiers(f"how is {word} reset?") == []


def test_a_converter_that_is_named_stands_before_its_proof(ring: Searcher) -> None:
    assert first(ring, "is valid of ring2stream low in reset?") == "rtl/ring2stream.v"


@pytest.mark.parametrize("name", ["RING_SLOTS", "RING_FULL"])
def test_a_constant_that_is_named_means_its_package(ring: Searcher, name: str) -> None:
    assert first(ring, f"what is {name}, and who may change it?") == "rtl/ring_pkg.sv"


def test_a_field_of_a_structure_is_no_name_of_a_file(ring: Searcher) -> None:
    assert not ring.lexicon.places("ring_tag")
    assert {place[2] for place in ring.lexicon.places("ring_slots")} >= {"parameter", "module"}


def test_capitals_tell_a_macro_from_a_module(ring: Searcher) -> None:
    assert first(ring, "what does HAS_RING switch?") == "rtl/board.vh"
    assert first(ring, "what does has_ring hold?") == "rtl/has_ring.v"
    assert first(ring, "what does Has_Ring hold?") in ("rtl/has_ring.v", "rtl/board.vh")


def test_what_instantiates_a_module_is_a_design_before_its_test_bench(ring: Searcher) -> None:
    assert first(ring, "which modules instantiate ring2stream?") == "rtl/has_ring.v"
    asked = "which testbench instantiates ring2stream?"
    assert first(ring, asked) == "tb/ring2stream_tb.v"


def test_vendored_files_fall_back_a_little_and_test_benches_more(tmp_path: Path) -> None:
    for name in ("rtl/beat.v", "tb/beat_tb.v", "vendor/beat_copy.v"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(f"module {Path(name).stem}(input clk); endmodule\n")
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False, jobs=1)
    searcher = project.searcher()
    assert searcher.lexicon.roles == ["rtl", "testbench", "vendored"]
    own, bench, vendored = searcher.ranking("what counts lost beats?", 1).parts["role"]
    assert own == 0 > vendored > bench / 4
