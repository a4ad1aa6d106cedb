"""Operations are found in expressions, each with its line, and only where the code does them."""

from __future__ import annotations

from pathlib import Path

import pytest
from _parsing import record_of, unit

from hdlgraph.model import Operation

PORTS = """input clk, input rst_n, input [31:0] a, input [31:0] b, input en, input d,
  input [3:0] waddr, input [3:0] raddr, output reg [31:0] y"""


def found(folder: Path, body: str, kind: str, ports: str = PORTS) -> list[Operation]:
    """Returns the operations of a kind in a module with this body, which begins on line 3."""
    text = f"module top({' '.join(ports.split())});\n\n{body}\nendmodule\n"
    return [one for one in unit(record_of(folder, text), "top").operations if one.kind == kind]


DOES = {
    "counts": "reg [7:0] n_q; always @(posedge clk) if (en) n_q <= n_q + 1'b1;",
    "counts, next value apart": (
        "logic [7:0] n_q, n_d; always_comb n_d = en ? n_q + 8'd1 : n_q;\n"
        "always_ff @(posedge clk) n_q <= n_d;"
    ),
    "counts down": "reg [7:0] n; always @(posedge clk) n <= en ? b : n - 1;",
    "counts up and down": (
        "reg [7:0] n; always @(posedge clk) begin if (en) n <= n + 1; else n <= n - 1; end"
    ),
    "shifts left": "reg [7:0] s; always @(posedge clk) s <= {s[6:0], d};",
    "shifts right": "reg [7:0] s; always @(posedge clk) if (en) s <= {d, s[7:1]};",
    "linear feedback": "reg [7:0] s; always @(posedge clk) s <= {s[6:0], s[7] ^ s[3]};",
    "computes CRC": "reg [7:0] crc; always @(posedge clk) crc <= {crc[6:0], 1'b0} ^ b[7:0];",
    "synchronises": "reg m_q, sync_q; always @(posedge clk) begin m_q <= d; sync_q <= m_q; end",
    "delays": "reg d1, d2; always @(posedge clk) begin d1 <= d; d2 <= d1; end",
    "detects edge": "reg d_q; wire p; always @(posedge clk) d_q <= d; assign p = d & ~d_q;",
    "toggles": "reg t; always @(posedge clk) t <= ~t;",
    "saturates": "wire [31:0] s; assign s = (a > LIMIT) ? LIMIT : a;",
    "encodes gray": "wire [31:0] g; assign g = a ^ (a >> 1);",
    "decodes gray": "wire [31:0] g; genvar i; for (i=0; i<32; i=i+1) assign g[i] = ^(a >> i);",
    "computes parity": "wire p; assign p = ^a;",
    "XORs bits": "\n".join(f"assign y[{i}] = a[{i}] ^ b[{i + 1}] ^ a[{i + 2}];" for i in range(4)),
    "picks lowest": "wire [31:0] g; assign g = a & ~(a - 1);",
    "counts ones": "wire [5:0] n; assign n = $countones(a);",
    "swaps bytes": "wire [31:0] s; assign s = {a[7:0], a[15:8], a[23:16], a[31:24]};",
    "reverses bits": "wire [31:0] r; genvar k; for (k=0; k<32; k=k+1) assign r[k] = a[31-k];",
    "multiplies": "wire [63:0] p; assign p = a * b;",
    "shifts by": "wire [31:0] s; assign s = a << b[4:0];",
    "adds": "wire [31:0] s; assign s = a + b;",
    "subtracts": "wire [31:0] s; assign s = a - b;",
    "compares": "wire l; assign l = a < b;",
    "extends sign": "wire [31:0] s; assign s = {{16{a[15]}}, a[15:0]};",
    "drives pad": "wire pad; assign pad = en ? d : 1'bz;",
    "selects": "wire [31:0] s; assign s = en ? a : b;",
    "packs": "wire [64:0] s; assign s = {a, b, en};",
    "unpacks": "wire [15:0] u, v; assign {u, v} = a;",
    "memory": (
        "reg [31:0] mem [0:15]; always @(posedge clk) begin if (en) mem[waddr] <= a;\n"
        "y <= mem[raddr]; end"
    ),
    "decodes": ("always @* case (a) ADD: y = b; SUB: y = ~b; `XOR: y = 0; default: y = 1; endcase"),
    "decodes address": (
        "always @* case (waddr) CTRL: y = a; STATUS: y = b; DATA: y = 0; LEN: y = 1; endcase"
    ),
}


@pytest.mark.parametrize("name", sorted(DOES))
def test_an_operation_is_found_with_its_line(tmp_path: Path, name: str) -> None:
    (one,) = found(tmp_path, DOES[name], name.partition(",")[0])
    assert one.line in (3, 4)


DOES_NOT = {
    "counts": "wire [31:0] pc; assign pc = a + 1;",
    "counts, a loop": "integer i; always @(posedge clk) for (i=0; i<4; i=i+1) y[i] <= a[i];",
    "counts, an index": "always @(posedge clk) y <= b[waddr + 1];",
    "counts down": "reg [31:0] n; always @(posedge clk) n <= (n << 1) - b;",
    "shifts left": "reg [7:0] s; always @(posedge clk) s <= {a[6:0], d};",
    "shifts left, several": "reg [7:0] s; always @(posedge clk) s <= {s[6:1], d};",
    "linear feedback": "reg [7:0] s; always @(posedge clk) s <= {s[6:0], a[7] ^ b[3]};",
    "computes CRC": "wire [7:0] crc_len; assign crc_len = a ^ b;",
    "synchronises": "reg d1, d2; always @(posedge clk) begin d1 <= d; d2 <= d1; end",
    "delays": "reg d1, d2; always @(posedge clk) begin d1 <= d; d2 <= en ? d1 : b; end",
    "detects edge": "wire p; assign p = d & ~en;",
    "toggles": "wire t; assign t = ~d;",
    "saturates": "wire [31:0] s; assign s = (a > LIMIT) ? b : a;",
    "encodes gray": "wire [31:0] g; assign g = a ^ (b >> 1);",
    "computes parity": "wire [31:0] p; assign p = a ^ b;",
    "picks lowest": "wire [31:0] g; assign g = a & ~(b - 1);",
    "counts ones": "wire [31:0] n; assign n = a[0] + b;",
    "swaps bytes": "wire [31:0] s; assign s = {a[31:24], a[23:16], a[15:8], a[7:0]};",
    "reverses bits": "wire [31:0] r; genvar k; for (k=0; k<32; k=k+1) assign r[k] = a[k];",
    "multiplies": "wire [31:0] p; assign p = a * 4;",
    "shifts by": "wire [31:0] s; assign s = a << 2;",
    "extends sign": "wire [31:0] s; assign s = {{16{1'b0}}, a[15:0]};",
    "drives pad": "wire pad; assign pad = en ? d : 1'b0;",
    "memory": "integer i; always @(posedge clk) for (i=0; i<4; i=i+1) y[i] <= a[i];",
    "decodes": "always @* case (a) 0: y = b; 1: y = ~b; 2: y = 0; endcase",
    "arbitrates": "reg [3:0] last; always @(posedge clk) last <= waddr;",
}


@pytest.mark.parametrize("name", sorted(DOES_NOT))
def test_what_only_looks_like_an_operation_is_none(tmp_path: Path, name: str) -> None:
    assert found(tmp_path, DOES_NOT[name], name.partition(",")[0]) == []


def test_names_and_details_are_as_written(tmp_path: Path) -> None:
    body = "reg [7:0] n_q; always @(posedge clk) if (n_q == LAST) n_q <= 0; else n_q <= n_q + 1;"
    (counter,) = found(tmp_path, body, "counts")
    assert (counter.names, counter.detail) == (("n_q",), "LAST")
    (memory,) = found(tmp_path, DOES["memory"], "memory")
    assert (memory.names, memory.detail) == (("mem", "waddr", "raddr"), "16 x 32")
    (decoder,) = found(tmp_path, DOES["decodes"], "decodes")
    assert decoder.names == ("a", "ADD", "SUB", "`XOR")


def test_comments_and_strings_do_nothing(tmp_path: Path) -> None:
    body = '// n <= n + 1;\ninitial $display("n <= n + 1; {s[6:0], d}"); reg [7:0] n;'
    assert found(tmp_path, body, "counts") == []


def test_requests_are_granted_in_turn(tmp_path: Path) -> None:
    ports = "input clk, input [3:0] req_i, output logic [3:0] gnt_o"
    body = """logic [3:0] mask_q, masked; assign masked = req_i & mask_q;
assign gnt_o = |masked ? masked & -masked : req_i & -req_i;
always_ff @(posedge clk) if (|req_i) mask_q <= ~gnt_o;"""
    (one,) = found(tmp_path, body, "arbitrates", ports)
    assert (one.names, one.detail) == (("req_i", "gnt_o", "mask_q"), "round-robin")


def test_a_small_unit_is_told_whole(tmp_path: Path) -> None:
    ports = "input a, input b, output z"
    (gate,) = found(tmp_path, "assign z = ~(a & b);", "drives", ports)
    assert gate.detail == "~(a&b)"
    ports = "input clk, input rst, input en, input d, output reg q"
    body = "always @(posedge clk) if (rst) q <= 0; else if (en) q <= d;"
    (register,) = found(tmp_path, body, "registers", ports)
    assert (register.names, register.detail) == (("q", "d", "clk"), "posedge if:en")


def test_broken_code_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    text = "module top(input clk);\nreg [7:0] n;\nalways @(posedge clk) n <= n + 1;\ncase (n"
    names = [o.names for u in record_of(tmp_path, text).units for o in u.operations]
    assert names in ([("n",)], [])


def test_only_a_unit_without_statements_holds_nothing(tmp_path: Path) -> None:
    ports = "input a, output z"
    assert len(found(tmp_path, "wire w;", "holds nothing", ports)) == 1
    for body in ("and g(z, a, a);", "assign z = a;", "`LOGIC", "child c(a, z);"):
        assert found(tmp_path, body, "holds nothing", ports) == []
