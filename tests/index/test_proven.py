"""People are told of code and comments what is proven: data flow, states, whole sentences."""

from __future__ import annotations

from pathlib import Path

import pytest
from _parsing import record_of

from hdlgraph.index.explain.by_rules.explainer import explain_all
from hdlgraph.index.explain.by_rules.people.whole import is_whole, last_part
from hdlgraph.model import Explanation


def explained(folder: Path, text: str, name: str = "top.sv") -> Explanation:
    """Returns the explanation of a file that stands alone."""
    record = record_of(folder, text, name)
    return explain_all([record])[name]


FLOWS = """module top(input clk, input rst_n, input [7:0] a, input [7:0] b, input go, input stop,
  output [7:0] y, output reg [7:0] z, output busy, output [7:0] far, output reg p, output reg q);
  wire [7:0] s, w;
  assign s = a ^ 8'h5A;
  assign y = s;
  always @(posedge clk or negedge rst_n) if (!rst_n) z <= 0; else if (go) z <= b;
  assign busy = go & ~stop;
  unit_f u_f (.in(a), .out(w));
  assign far = w;
  integer i;
  always @(posedge clk) begin for (i = 0; i < 2; i = i + 1) p <= a[i]; q <= b[0]; end
endmodule
"""


def test_outputs_are_computed_from_the_inputs_that_reach_them(tmp_path: Path) -> None:
    text = explained(tmp_path, FLOWS).purpose
    for sentence in (
        "Computes `y` from `a`.",
        "Computes `z` from `b` and `go`.",
        "Computes `busy` from `go` and `stop`.",
    ):
        assert sentence in text
    computed = [one for one in text.split(". ") if one.startswith("Computes")]
    assert not [one for one in computed if "`far`" in one or "`p`" in one]
    assert "Drives `far`, `p` and `q`." in text


def test_a_search_reads_what_it_read_before(tmp_path: Path) -> None:
    found = explained(tmp_path, FLOWS).for_search()
    assert "Computes y, z, busy, far" in f"{found.purpose} {found.behaviour}"


def test_loop_variables_are_no_registers(tmp_path: Path) -> None:
    found = explained(tmp_path, FLOWS)
    assert "`i`" not in f"{found.purpose} {found.behaviour}"
    assert "Registers: z, p, q." in found.behaviour


def test_registers_of_the_falling_edge_alone_are_not_said_to_have_both(tmp_path: Path) -> None:
    fall = "module {}(input clk, input d, output reg q); always @(negedge clk) q <= d; endmodule"
    rise = "module both(input clk, input d, output reg q, output reg r);\n"
    rise += "always @(posedge clk) r <= d; always @(negedge clk) q <= d; endmodule\n"
    one = explained(tmp_path, fall.format("one"), "one.v").behaviour
    assert "Registers: q (on the falling clock edge)." in one
    both = explained(tmp_path, rise, "both.v").behaviour
    assert "(also on the falling clock edge)" in both


STRUCT = """module top(input a_s in_i, input [3:0] k, output [3:0] y, output [3:0] x);
  a_s both;
  assign both.low = k;
  assign both.high = in_i.word;
  assign y = both.high;
  assign x = k;
endmodule
"""


def test_fields_of_a_structure_are_not_mixed(tmp_path: Path) -> None:
    text = explained(tmp_path, STRUCT).purpose
    assert "Computes `x` from `k`." in text
    assert "Drives `y`." in text


STATES = """module top(input clk, input [3:0] c, output y);
  typedef enum logic [3:0] {Start, Work, Done} state_e;
  localparam IsBusy = 4'b1xxx;
  state_e state_q;
  always_ff @(posedge clk) case (state_q)
    Start: state_q <= Work;
    Work: state_q <= c[0] ? Done : IsBusy;
    Done: state_q <= Start;
  endcase
  assign y = state_q == IsBusy;
endmodule
"""


def test_states_are_the_members_of_their_enumeration(tmp_path: Path) -> None:
    text = explained(tmp_path, STATES).purpose
    assert "has the states `Start`, `Work` and `Done`" in text
    assert "IsBusy" not in text


def test_placeholders_of_a_template_stand_as_written(tmp_path: Path) -> None:
    text = "module $TOP_NAME$ (input clk); wrapped #(.W($WIDTH$)) impl (.clk(clk)); endmodule\n"
    found = explained(tmp_path, text, "wraps/wrap_template.v")
    assert "Module $TOP_NAME$, in wraps." in found.purpose


@pytest.mark.parametrize(
    ("ports", "told"),
    [
        ("input a_valid_i, input a_ready_i", True),
        ("input a_valid_i, input a_ready_i, output y", False),
    ],
)
def test_only_what_drives_nothing_observes(tmp_path: Path, ports: str, told: bool) -> None:
    found = explained(tmp_path, f"module top({ports}); endmodule\n")
    assert ("observer" in found.interfaces) is told
    assert "observer" in found.for_search().interfaces


def test_a_monitor_observes_whatever_it_reports(tmp_path: Path) -> None:
    text = "module bus_monitor(input valid, input ready, output beat); endmodule\n"
    assert "observer" in explained(tmp_path, text).interfaces


RAM = """module top(input clk, input d, output y);
  wire a;
  // Holds the words that wait.
  words u_words (.clk(clk), .y(a));
  port u_port (.clk(clk));
  // half of the clock
  inv u_inv (.y(a));
  ff u_ff (.d(d));
  words u_more (  // write side
    .clk(clk)
  );
endmodule
"""


def test_headings_over_several_instances_are_of_none(tmp_path: Path) -> None:
    told = explained(tmp_path, RAM).instances
    assert "words as u_words (Holds the words that wait)" in told
    assert "half of" not in told
    assert "write side" not in told


COMMENT = """Filters writes that have a non-zero
`kind` value; from here to there.

Checks the parity of all words.
Determine when the stage moves on:
1. if the next one is ready"""


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("Checks the parity of all words.", True),
        ("Filters writes that have a non-zero", False),
        ("Determine when the stage moves on", False),
        ("Filters writes of all words.", False),
    ],
)
def test_a_sentence_is_whole_where_nothing_was_taken_out(text: str, whole: bool) -> None:
    assert is_whole(text, COMMENT) is whole


@pytest.mark.parametrize(
    ("text", "source", "whole"),
    [
        ("Serves one port at a time", "Serves one port at a time\n\nPorts", True),
        ("Serves one port at a time", "Serves one port at a time\n# Licence: none", True),
        ("Serves ports one at a time, and never two of them", "x", False),
        ("A | B is the sum of both", "A | B is the sum of both", False),
        ("Whether the word is wide", "Inputs:\n  wide_i - Whether the word is wide", False),
        ("pipeline signal going in", "pipeline signal going in", True),
        ("used to count the", "used to count the", False),
        ("Hands on words in their order, eight of them a beat",
         "Hands on words in their order, eight of them a beat:\n- one", True),
    ],
)  # fmt: skip
def test_ends_and_beginnings_of_sentences(text: str, source: str, whole: bool) -> None:
    assert is_whole(text, source) is whole


LIST = """Checks that errors are found, such as:
- wrong parity
- Drops words that are late.

Documentation:
- Bridge of two buses
- Hands on words in their order.

kind     none, whatever
data     all of them"""


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("wrong parity", False),
        ("Drops words that are late.", False),
        ("Bridge of two buses", True),
        ("Hands on words in their order.", True),
        ("none, whatever data all of them", False),
    ],
)
def test_items_of_a_list_and_rows_of_a_table_say_nothing_alone(text: str, whole: bool) -> None:
    assert is_whole(text, LIST) is whole


def test_the_ports_of_a_unit_are_no_resets(tmp_path: Path) -> None:
    ports = (
        "input clk_one, input clk_two, input rst_ni, input [3:0] req_port_i, output tl_s tl_clk_o"
    )
    found = explained(tmp_path, f"module top({ports}); endmodule\n")
    assert "Clocks and resets: clk_one, clk_two and rst." in found.interfaces
    assert "port" in found.for_search().interfaces.rpartition("resets")[2]


def test_sentences_on_a_further_unit_name_it(tmp_path: Path) -> None:
    both = "module top(input a, output y); assign y = ~a; endmodule\n"
    both += "module part(input b, output z); assign z = ~b; endmodule\n"
    text = explained(tmp_path, both).purpose
    assert "Drives `y` with ~a." in text
    assert "In `part`: drives `z` with ~b." in text


def test_what_a_broken_template_instantiates_is_not_told(tmp_path: Path) -> None:
    text = "module top #(parameter W = 4)(input clk);\n  W u_w (.clk(clk));\n"
    found = explained(tmp_path, text + "  part u_p (.clk(clk));\nendmodule\n")
    assert found.instances == "Instantiates part."


def test_constants_of_an_included_file_are_none_of_this_one(tmp_path: Path) -> None:
    text = """module top(input [7:0] a, output y);
`include "fields.vh"
  // the mode is in two bits
  assign y = a[MODE_LSB];
endmodule
"""
    record = record_of(tmp_path, text, "top.v", {"fields.vh": "localparam MODE_LSB = 4;\n"})
    assert record.units[0].parameters == ()
    told = explain_all([record])["top.v"]
    assert "two bits" not in told.parameters


def test_headings_above_a_comment_are_no_part_of_it() -> None:
    assert last_part("Processor settings\n\nWidth of a register in bits.") == (
        "Width of a register in bits."
    )
    assert last_part("Counts words.\n\nNever stops.") == "Counts words.\n\nNever stops."
