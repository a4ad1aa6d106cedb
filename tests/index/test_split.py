"""A file's code, condensed and cut into parts."""

from __future__ import annotations

import itertools
import re

import pytest
from _explaining import BIG_FILE, SOC, records_of, written_files
from hypothesis import given, settings
from hypothesis import strategies as st

from hdlgraph.index.explain.by_model.code import condense
from hdlgraph.index.explain.by_model.split import Part, split_code
from hdlgraph.llm.tokens import count_tokens
from hdlgraph.model import FileRecord, Process, Unit

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]


def bare_record(n_lines: int = 10, units: tuple[Unit, ...] = ()) -> FileRecord:
    return FileRecord("a.sv", "", "rtl", "systemverilog", 1, n_lines, "ascii", units=units)


def code_of(folder, text: str, *, short: bool = False) -> str:
    record = written_files(folder, {"m.sv": text})[0]
    return "\n".join(line.text for line in condense(text, record, short=short))


def test_licences_rulers_pragmas_and_blank_lines_go_comments_stay(tmp_path):
    text = """// Copyright Some Company 2020.
// Licensed under the Apache License, Version 2.0, see LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//
// Counts events.
//////////////////////

module m (input logic   clk_i);   \n
  // verilator lint_off UNUSED
  logic a; // kept note
  /* a block
   * comment */
endmodule
"""
    assert code_of(tmp_path, text).split("\n") == [
        "// Counts events.",
        "module m (input logic clk_i);",
        " logic a; // kept note",
        " /* a block",
        "  * comment */",
        "endmodule",
    ]


def test_long_instances_become_one_line_with_the_telling_connections(tmp_path):
    text = """module top (input logic clk_i, rst_ni, input logic [7:0] a_i);
  // The queue.
  fifo #(
    .Depth(4),
    .Width(8)
  ) u_fifo (
    .clk_i,
    .rst_ni(rst_ni),
    .data_i (data),
    .valid_i(start & ready), // only when ready
    .full_o ()
  );
  small u_small (.a(b));
endmodule
"""
    code = code_of(tmp_path, text)
    assert "// The queue." in code
    line = next(line for line in code.split("\n") if "u_fifo" in line)
    assert line.strip() == (
        "fifo #(.Depth(4), .Width(8)) u_fifo (.valid_i(start & ready), ... 4 more); "
        "// only when ready"
    )
    assert "small u_small (.a(b));" in code


def test_tables_are_elided_and_their_entries_named(tmp_path):
    rows = "\n".join(f"      8'd{n}: out = 8'h{n * 7 % 256:02x};" for n in range(120))
    text = f"module m (input [7:0] a, output reg [7:0] out);\n  always @* case (a)\n{rows}\n"
    text += "    default: out = 0;\n  endcase\nendmodule\n"
    code = code_of(tmp_path, text)
    assert "... 115 lines of table" in code
    assert "8'd0: out" in code
    assert "8'd119: out" in code
    regs = "\n".join(
        f"  always @(posedge c) begin\n    reg_{w} <= in_{w};\n  end" for w in WORDS * 1
    )
    code = code_of(tmp_path, f"module m (input c);\n{regs}\nendmodule\n")
    assert re.search(r"\.\.\. \d+ lines of table: reg_gamma, ", code)


def test_states_are_no_table(tmp_path):
    names = ",\n".join(f"    St{word.title()}{n}" for n in range(3) for word in WORDS)
    text = f"module m;\n  typedef enum logic [4:0] {{\n{names}\n  }} state_e;\nendmodule\n"
    code = code_of(tmp_path, text)
    assert all(f"St{word.title()}2" in code for word in WORDS)


def test_comments_are_no_table(tmp_path):
    text = "".join(f"// note {n} about the port\n" for n in range(40)) + "module m;\nendmodule\n"
    assert "note 20 about" in code_of(tmp_path, text)


def test_long_numbers_and_lines_are_cut(tmp_path):
    text = f"module m;\n  localparam logic [511:0] K = 512'h{'ab' * 64};\n  // {'x' * 5000}\n"
    code = code_of(tmp_path, text + "endmodule\n")
    assert "512'hababab..." in code
    assert len(code) < 600


def test_short_code_leaves_out_declarations_that_say_nothing_more(tmp_path):
    text = """module m (
  input logic [7:0] data_i,
  input logic go_i // starts the work
);
  logic [3:0] count_q, count_d;
  logic busy; // until done
  assign count_d = f(data_i);
endmodule
"""
    code = code_of(tmp_path, text, short=True)
    assert "data_i," not in code
    assert "count_q," not in code
    assert "go_i // starts the work" in code
    assert "busy; // until done" in code
    assert "assign count_d = f(data_i);" in code


def test_protected_regions_are_not_shown(tmp_path):
    text = "module m;\n`pragma protect begin_protected\nQUJDRA==\n`pragma protect end_protected\n"
    assert "QUJDRA" not in code_of(tmp_path, text + "endmodule\n")


def test_a_file_that_fits_is_one_part_with_all_of_it():
    record = next(r for r in records_of(SOC) if r.path == "rtl/uart_rx.sv")
    text = (SOC / record.path).read_text()
    (part,) = split_code(text, record, 1600, 4)
    assert part.left_out == 0
    for line in text.split("\n"):
        assert " ".join(line.split()) in " ".join(part.text.split())


def test_nothing_to_show_is_no_part():
    assert split_code("\n\n", bare_record(), 500, 2) == []
    assert split_code("// Copyright 2020 A. Licensed under MIT.\n", bare_record(), 500, 2) == []


@st.composite
def files(draw) -> tuple[str, FileRecord, list[int]]:
    """Draws a file whose lines can be told apart, with blocks, gaps and comments."""
    lines: list[str] = []
    processes: list[Process] = []
    tags: list[int] = []
    for _ in range(draw(st.integers(1, 12))):
        if draw(st.booleans()):
            lines.append("")
        if draw(st.booleans()):
            lines.append(f"  // note {len(lines)} {draw(st.sampled_from(WORDS))} tells")
        first = len(lines) + 1
        for _ in range(draw(st.integers(1, 15))):
            tags.append(len(lines) + 1)
            extra = " ".join(draw(st.lists(st.sampled_from(["+ b", "^ c(d)", "[3]"]), max_size=6)))
            lines.append(f"  line_{len(lines) + 1}_x = a {extra};")
        if draw(st.booleans()):
            processes.append(Process("always_comb", first, len(lines)))
    unit = Unit("module", "m", draw(st.integers(0, 3)), len(lines) + 1, processes=tuple(processes))
    return "\n".join(lines) + "\n", bare_record(len(lines), (unit,)), tags


def tags_in(parts: list[Part]) -> list[int]:
    return [int(tag) for part in parts for tag in re.findall(r"line_(\d+)_x", part.text)]


@given(files(), st.integers(60, 900), st.integers(1, 6), st.sampled_from([0.0, 0.25, 1.0]))
@settings(max_examples=60, deadline=None)
def test_parts_are_in_order_within_budget_and_hold_no_line_twice(file, tokens, most, share):
    text, record, tags = file
    parts = split_code(text, record, tokens, most, share)
    assert 1 <= len(parts) <= most
    assert all(count_tokens(part.text) <= tokens for part in parts)
    assert [(p.first, p.last) for p in parts] == sorted((p.first, p.last) for p in parts)
    assert all(a.last < b.first for a, b in itertools.pairwise(parts))
    shown = tags_in(parts)
    assert shown == sorted(set(shown))
    assert set(shown) <= set(tags)


@given(files())
@settings(max_examples=30, deadline=None)
def test_all_lines_are_shown_when_the_parts_suffice(file):
    text, record, tags = file
    total = count_tokens(text)
    (whole,) = split_code(text, record, total + 50, 1)
    assert tags_in([whole]) == tags or "lines of table" in whole.text
    parts = split_code(text, record, max(200, total // 2), 12)
    assert tags_in(parts) == tags or any("lines of table" in part.text for part in parts)


def test_blocks_are_not_cut_when_they_fit(tmp_path):
    blocks = []
    for n, word in enumerate(WORDS):
        rows = [f"    {word}_{i}_q <= {' + '.join(WORDS[: i + 1])};" for i in range(3 + n % 4)]
        head = f"  // Part {word}.\n  always_ff @(posedge clk) begin : {word}_{n}"
        blocks.append("\n".join([head, *rows, "  end"]))
    text = "module m (input logic clk);\n" + "\n\n".join(blocks) + "\nendmodule\n"
    record = written_files(tmp_path, {"m.sv": text})[0]
    parts = split_code(text, record, 260, 20)
    assert len(parts) > 2
    assert not any(part.left_out for part in parts)
    for n, word in enumerate(WORDS):
        (holding,) = (part.text for part in parts if f"{word}_{2 + n % 4}_q <=" in part.text)
        assert f"// Part {word}." in holding
        assert f"{word}_0_q <=" in holding


def test_what_exceeds_the_parts_is_shown_in_outline(tmp_path):
    record = written_files(tmp_path, {"m.sv": BIG_FILE})[0]
    (part,) = split_code(BIG_FILE, record, 1600, 1)
    assert part.text.startswith("// Turns words in many steps.")
    assert part.left_out > 50
    assert re.search(r"\.\.\. \d+ lines", part.text)
    assert part.text.count("// Step") > 20


@pytest.mark.parametrize(
    "text", ["x" * 100_000, "a b\n" * 20_000, "\n" * 9 + "`" * 999, "/*" * 500]
)
def test_odd_texts_are_cut_to_the_budget(text):
    parts = split_code(text, bare_record(text.count("\n") + 1), 300, 2)
    assert parts
    assert all(count_tokens(part.text) <= 300 for part in parts)


def test_facts_that_do_not_fit_the_text_do_no_harm():
    wrong = Unit("module", "m", 4000, 9000, processes=(Process("always", -5, 70_000),))
    (part,) = split_code("module m;\nendmodule\n", bare_record(3, (wrong,)), 300, 2)
    assert part.text == "module m;\nendmodule"
