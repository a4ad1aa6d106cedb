"""Code that is written to cost time costs none: operations and machines are read in one pass."""

from __future__ import annotations

import time

import msgspec
import pytest

from hdlgraph.model import Process, Signal
from hdlgraph.parsers.operations.find import with_operations
from hdlgraph.parsers.text.fallback import floor_record
from hdlgraph.parsers.text.inventory import take_inventory

SECONDS = 5.0
"""Processor time; each takes a tenth of it on one slow core."""
MANY = range(4000)
BODIES = {
    "counters": "\n".join(f"always @(posedge clk) a{i} <= a{i} + 1;" for i in MANY),
    "sums": "\n".join(f"assign b{i} = a{i} + 1;" for i in MANY),
    "machines": "\n".join(
        f"always @* case (s{i}) A: t{i} = B; B: t{i} = A; endcase `X(t{i}, s{i})" for i in MANY
    ),
    "nested cases": "always @* " + "case (a) A: begin " * 20000 + "end endcase " * 20000,
    "one long case": "always @* case (a) " + " ".join(f"C{i}: a = C{i + 1};" for i in MANY),
    "parentheses": "assign a = " + "(" * 150000 + "b" + ")" * 150000 + ";",
    "braces": "assign a = {" + "{" * 50000 + "a" + "}" * 50000 + "};",
    "choices": "assign a = " + "b ? c : " * 40000 + "d;",
    "blanks": "assign a" + " " * 300000 + "= b + 1;",
    "arrays": "\n".join(f"always @(posedge clk) m{i}[wa] <= m{i}[ra];" for i in MANY),
    "calls": "`X(" + "a(`X " * 60000 + "); always @* case (a) A: b = B; B: b = A; endcase",
}


@pytest.mark.parametrize("name", sorted(BODIES))
def test_no_code_takes_long(name: str) -> None:
    text = f"module top(input clk);\n{BODIES[name]}\nendmodule\n"
    inventory = take_inventory("a.sv", text.encode())
    record = floor_record(inventory)
    names = [f"{letter}{i}" for i in MANY for letter in "abmst"] + ["a", "b", "c", "d", "wa", "ra"]
    unit = msgspec.structs.replace(
        record.units[0],
        signals=tuple(Signal(name, "logic", 1) for name in names),
        processes=(Process("always", 2, 10**6, clocks=(("posedge", "clk"),), resets=("rst",)),),
    )
    begun = time.process_time()
    done = with_operations(msgspec.structs.replace(record, units=(unit,)), inventory)
    assert time.process_time() - begun < SECONDS
    assert len(done.units[0].machines) <= 16
