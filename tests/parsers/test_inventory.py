from pathlib import Path

import pytest
from _parsing import record_of
from hypothesis import given, settings
from hypothesis import strategies as st

from hdlgraph.parsers.text import inventory as module
from hdlgraph.parsers.text.expressions import fields_of
from hdlgraph.parsers.text.inventory import take_inventory
from hdlgraph.parsers.text.source import read_source


def units(text):
    return [(u.kind, u.name, u.line, u.end_line, u.parent) for u in record(text).units]


def record(text, path="a.sv"):
    return take_inventory(path, text.encode() if isinstance(text, str) else text).record


@given(st.binary(max_size=400))
@settings(max_examples=200, deadline=None)
def test_any_bytes_yield_a_record(data):
    found = take_inventory("x.sv", data).record
    assert found.path == "x.sv"
    assert found.size == len(data)


_WORDS = st.sampled_from(
    [
        "`",
        '"',
        "\\",
        "/",
        "*",
        "//",
        "/*",
        "*/",
        "\n",
        "(",
        ")",
        "{",
        "}",
        ";",
        ",",
        ".",
        "#",
        "'",
        ":",
        "module",
        "endmodule",
        "class",
        "endclass",
        "package",
        "`define",
        "`ifdef",
        "`ifndef",
        "`else",
        "`endif",
        "`include",
        "interface",
        "u_a",
        "a.b",
        "x",
        "$error",
        "ASSERT",
        "é",
        "\x00",
    ]
)


@given(st.lists(_WORDS, max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_text_keeps_offsets(words):
    source = read_source(" ".join(words).encode())
    assert len(source.text) == len(source.bare) == len(source.code)
    assert source.text.count("\n") == source.bare.count("\n") == source.code.count("\n")
    take_inventory("x.sv", " ".join(words).encode())


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        ("module m; endmodule // ü".encode(), "utf-8"),
        (b"\xef\xbb\xbfmodule m; endmodule", "utf-8"),
        ("module m; endmodule\n".encode("utf-16"), "utf-16-le"),
        ("module m; endmodule\n".encode("utf-16-be"), "utf-16-be"),
        (b"// Gr\xf6\xdfe\nmodule m; endmodule", "latin-1"),
        (b"module m; endmodule", "ascii"),
        (bytes(range(256)) * 4, "binary"),
    ],
)
def test_encodings(data, encoding):
    found = take_inventory("a.sv", data).record
    assert found.encoding == encoding
    if encoding not in ("binary",):
        assert len(found.units) == 1


def test_units_nest_and_close():
    text = (
        "package p;\n  class c extends b;\n  endclass\n  virtual class d;\n  endclass : d\n"
        "endpackage\nmodule automatic m (input a);\nendmodule\n"
        "interface class ic;\nendclass\n"
    )
    assert units(text) == [
        ("package", "p", 1, 6, ""),
        ("class", "c", 2, 3, "p"),
        ("class", "d", 4, 5, "p"),
        ("module", "m", 7, 8, ""),
        ("class", "ic", 9, 10, ""),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "typedef class c;",
        "virtual interface bus_if v;",
        "// module m;\n/* class c; */",
        'initial $display("module m;");',
        "`define MAKE class c; endclass",
        "extern module m (input a);",
        "import package_x::*;",
    ],
)
def test_no_unit_where_none_is_defined(text):
    assert units(text) == []


def test_lost_end_keyword_ends_at_the_next_module():
    assert units("module a;\n\nmodule b;\nendmodule\n") == [
        ("module", "a", 1, 2, ""),
        ("module", "b", 3, 4, ""),
    ]


def test_licence_goes_and_description_stays():
    text = (
        "/*\n * Copyright 2020 Somebody.\n * Licensed under the Apache License, Version 2.0\n"
        ' * (the "License"); you may not use this file except in compliance with it.\n *\n'
        " * Counts the events.\n */\n// Author: Jane Roe <jane@example.org>\n"
        "// -----------------\n// Wraps at the end.\nmodule m; endmodule\n"
    )
    assert record(text).header == "Counts the events.\n\nWraps at the end."


def test_includes_macros_and_uses():
    found = record(
        '`include "a/b.svh"\n`include <c.vh>\n`define ADD(x, y) \\\n  ((x) + (y))\n'
        "`timescale 1ns/1ps\nassign z = `ADD(1, `W);\n"
    )
    assert found.includes == (("a/b.svh", 1), ("c.vh", 2))
    assert [(m.name, m.parameters, m.body, m.line) for m in found.macros] == [
        ("ADD", "x, y", "((x) + (y))", 3)
    ]
    assert found.macro_uses == (("ADD", 6), ("W", 6))


def test_messages_are_sentences():
    found = record(
        'initial begin\n  $error("fifo %0d overflows", i);\n  $display("%d");\n'
        '  `uvm_fatal(`gfn, "no virtual interface set")\nend\n'
    )
    assert [(m.line, m.text) for m in found.messages] == [
        (2, "fifo %0d overflows"),
        (4, "no virtual interface set"),
    ]


def test_protected_text_is_skipped_and_said():
    found = record(
        "module m (input a);\n`pragma protect begin_protected\nmodule hidden;\n"
        "`pragma protect end_protected\nendmodule\n"
    )
    assert found.protected
    assert [u.name for u in found.units] == ["m"]


def test_trailing_comments_belong_to_their_line():
    inventory = take_inventory(
        "a.sv",
        b"module m (\n  input a,  // the first\n            // of two\n  input b\n);\nendmodule\n",
    )
    assert inventory.comments.near(2) == "the first\nof two"
    assert inventory.comments.near(4) == ""


def test_bytes_that_are_no_text_use_no_macros(tmp_path: Path) -> None:
    noise = b"`bv \x01\x02 `xy\x80\n" * 40 + bytes(range(1, 256)) * 20
    record = record_of(tmp_path, noise)
    assert record.encoding == "binary"
    assert record.macro_uses == ()


@given(
    st.lists(
        st.sampled_from(
            ["module", "endmodule", "end", "macromodule", "submodule", "`", ".", "class", "x", " ",
             "\n", "(", ";", "package", "endpackage", "endclass", "interface", "end module"]
        ),
        max_size=30,
    )
)  # fmt: skip
def test_keywords_of_units_are_those_that_the_pattern_finds_alone(parts: list[str]) -> None:
    text = "".join(parts)
    found = [match.span() for match in module._keywords(text)]
    assert found == [match.span() for match in module._UNIT.finditer(text)]


@pytest.mark.parametrize(
    ("pattern", "fields"),
    [
        ("'{a: x, b: '{c: 1, d: 2}, default: '0}", {"a": "x", "b": "'{c: 1, d: 2}", "default": "'0"}),  # noqa: E501
        ("t'('{a: {x, y}})", {"a": "{x, y}"}),
        ("'{a: x, b: long_na", {"a": "x"}),
        ("'{x, y}", {}),
        ("IDLE", {}),
        ("", {}),
    ],
)  # fmt: skip
def test_fields_of_a_pattern(pattern: str, fields: dict[str, str]) -> None:
    assert fields_of(pattern) == fields


def test_what_verilog_mode_writes_describes_nothing():
    inventory = take_inventory(
        "a.v",
        b"""\
/* drain AUTO_TEMPLATE (
   .clk (clk_@),
   ); */
drain u_drain (/*AUTOINST*/
  // Outputs
  .full (full),
  // Inputs: of the write side
  .clk (clk_0)); // Templated
/*AUTOWIRE*/
// Beginning of automatic wires (for undeclared instantiated-module outputs)
wire a; // From u_drain of drain.v
// End of automatics
// AUTOMATIC refill of the queue
""",
    )
    assert [block.text for block in inventory.comments.blocks] == [
        "Inputs: of the write side",
        "From u_drain of drain.v",
        "AUTOMATIC refill of the queue",
    ]
