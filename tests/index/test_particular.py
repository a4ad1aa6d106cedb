"""People are told what is particular of a file: not its checks, nor a hundred like names."""

from __future__ import annotations

from pathlib import Path

from _parsing import record_of

from hdlgraph.index.explain.by_rules.evidence.helpers import helpers_of
from hdlgraph.index.explain.by_rules.explainer import explain_all
from hdlgraph.index.explain.by_rules.functions import from_code
from hdlgraph.index.explain.by_rules.sentences import grouped, written
from hdlgraph.model import Explanation

BANK = """module bank(input clk, input rst_n, input go, input [7:0] din, output [7:0] dout,
  output reg valid);
  wire [7:0] kept;
  bank_ram u_ram (.clk(clk), .we(go), .d(din), .q(kept));
  bank_mux u_mux (.a(kept), .b(din), .y(dout));
  watch u_watch (.clk(clk), .ok(go));
  always @(posedge clk) valid <= go;
`ifndef SYNTHESIS
  never_both zzz_never_1x (clk, rst_n, go & valid);
  always @(posedge clk) seen_by_check <= go;
`endif
endmodule
"""
WATCH = "module watch(input clk, input ok);\nendmodule\n"
PARTS = """module bank_ram(input clk, input we, input [7:0] d, output reg [7:0] q);
  always @(posedge clk) if (we) q <= d;
endmodule
module bank_mux(input [7:0] a, input [7:0] b, output [7:0] y);
  assign y = a | b;
endmodule
"""


def explained(folder: Path, users: int) -> Explanation:
    """Returns the explanation of the bank in a repository where many files have a watch."""
    texts = {"bank.v": BANK, "watch.v": WATCH, "parts.v": PARTS}
    for n in range(users):
        texts[f"user{n}.v"] = f"module user{n}(input clk);\n  watch u (clk, clk);\nendmodule\n"
    records = [record_of(folder, text, name) for name, text in sorted(texts.items())]
    return explain_all(records)["bank.v"]


def test_instances_that_only_check_are_not_told(tmp_path: Path) -> None:
    found = explained(tmp_path, users=9)
    told = f"{found.purpose} {found.behaviour} {found.instances}"
    assert "Instantiates `bank_ram` and `bank_mux`." in told
    for name in ("watch", "never_both", "zzz_never_1x", "seen_by_check"):
        assert name not in told, name


def test_a_unit_that_few_files_have_is_told(tmp_path: Path) -> None:
    assert "`watch`" in explained(tmp_path, users=2).purpose


def test_a_search_reads_of_all_instances(tmp_path: Path) -> None:
    found = explained(tmp_path, users=9).for_search()
    assert "never both" in f"{found.purpose} {found.behaviour} {found.instances}"


def test_helpers_drive_nothing_and_are_known(tmp_path: Path) -> None:
    texts = {
        f"u{n}.v": f"module u{n}(input c);\n gate g (c, d);\n far f (c);\n watch w (c, c);\n"
        "endmodule\n"
        for n in range(9)
    }
    texts |= {"watch.v": WATCH, "gate.v": "module gate(input c, output d);\nendmodule\n"}
    records = [record_of(tmp_path, text, name) for name, text in sorted(texts.items())]
    assert helpers_of(records) == {"watch"}


def told(names: list[str]) -> str:
    return written(("keeps ", *grouped(names, 3)))


def test_names_of_a_family_are_told_as_one() -> None:
    wide = [f"ram_b{n}c1_q" for n in range(20)]
    assert told([*wide, "go"]) == "Keeps `ram_b*c1_q` (20) and `go`."
    assert told([*(f"cfg_{one}" for one in ("on", "off", "up", "low")), "go", "stop"]) == (
        "Keeps `cfg_*` (4), `go` and `stop`."
    )
    assert told(["a", "b", "c", "d"]) == "Keeps `a`, `b`, `c` and `d`."
    assert told(list("abcdef")) == "Keeps `a`, `b`, `c` and 3 more."


def test_many_choices_by_one_signal_are_one_sentence(tmp_path: Path) -> None:
    rows = "\n".join(f"  assign cfg_{n} = which ? one_{n} : two_{n};" for n in "abcdefgh")
    ports = ", ".join(f"input one_{n}, input two_{n}, output cfg_{n}" for n in "abcdefgh")
    text = f"module pick(input which, {ports});\n{rows}\nendmodule\n"
    found = explain_all([record_of(tmp_path, text, "pick.v")])["pick.v"]
    assert "Chooses `cfg_*` by `which`." in f"{found.purpose} {found.behaviour}"


def test_what_many_units_of_a_library_do_is_said_once(tmp_path: Path) -> None:
    cells = "\n".join(
        f"module C{n}(input a, output y);\n  core u (.a(a), .y(y));\nendmodule" for n in range(9)
    )
    found = from_code(record_of(tmp_path, cells, "cells.v"))
    assert "In `C1`, `C2`, `C3`, `C4` and 4 more: wrapper of `core`." in found


QUEUE = """module word_fifo(input clk, rst_n, wr_req, input [7:0] wr_data, input rd_ready,
  output wr_ready, output rd_req, output [7:0] rd_data);
  reg [2:0] wr_adr, rd_adr;
  always @(posedge clk or negedge rst_n)
    if (!rst_n) wr_adr <= 0; else if (wr_req & wr_ready) wr_adr <= wr_adr + 1;
  always @(posedge clk or negedge rst_n)
    if (!rst_n) rd_adr <= 0; else if (rd_req & rd_ready) rd_adr <= rd_adr + 1;
  gate u_gate (.clk(clk), .y(clk_g));
  ram u_ram (.clk(clk_g), .wa(wr_adr), .ra(rd_adr), .di(wr_data), .dout(rd_data));
endmodule
"""


def test_a_queue_with_handshakes_is_told_by_its_name_and_ends(tmp_path: Path) -> None:
    record = record_of(tmp_path, QUEUE, "word_fifo.v")
    first = "FIFO queue (first in, first out), counted by `wr_adr` and `rd_adr`."
    assert from_code(record)[0] == first
    plain = record_of(tmp_path, QUEUE.replace("word_fifo", "word_mover"), "word_mover.v")
    assert not any("FIFO" in text for text in from_code(plain))


def test_an_unknown_value_is_no_state(tmp_path: Path) -> None:
    text = """module ctl(input clk, input rst, input go, output reg [1:0] state);
  parameter IDLE = 2'd0, RUN = 2'd1;
  reg [1:0] next;
  always @(*) case (state)
    IDLE: next = go ? RUN : IDLE;
    RUN: next = IDLE;
    default: next = 2'bx;
  endcase
  always @(posedge clk) if (rst) state <= IDLE; else state <= next;
endmodule
"""
    found = " ".join(from_code(record_of(tmp_path, text, "ctl.v")))
    assert "has the states `IDLE` and `RUN`" in found
    assert "'bx" not in found
