"""Operations whose shape says more than their code does are kept for a search, but in doubt."""

from __future__ import annotations

from pathlib import Path

import pytest
from _parsing import record_of, unit

PORTS = """input clk, input rst_n, input [31:0] a, input [31:0] b, input en, input d,
  input [3:0] sel, output reg [31:0] y, output z"""


def sure(folder: Path, body: str, kind: str, ports: str = PORTS) -> list[bool]:
    """Returns for each operation of a kind in a module whether it is sure."""
    text = f"module top({' '.join(ports.split())});\n\n{body}\nendmodule\n"
    found = unit(record_of(folder, text), "top").operations
    return [one.sure for one in found if one.kind == kind]


CLAIMS = {
    "compares: two bits of one vector": (
        "compares", "wire [1:0][7:0] s; wire l; assign l = s[0] == s[1];", False,
    ),
    "compares: a field": ("compares", "wire l; assign l = b == a[31:24];", False),
    "compares: whole vectors": ("compares", "wire l; assign l = a[31:0] < b[31:0];", True),
    "adds: lanes": (
        "adds", "genvar i; wire [3:0][7:0] s; for (i=0; i<4; i=i+1) assign s[i] = a[i] + b[i];",
        True,
    ),
    "shifts by: a product": (
        "shifts by", "wire [31:0] s; assign s = a >> (sel << 3);", False,
    ),
    "shifts by: a part of the amount": (
        "shifts by", "wire [31:0] s; assign s = a << b[4:0];", True,
    ),
    "multiplies: lanes of a product": ("multiplies", "wire [31:0] s; assign s = a * b / d;", False),
    "multiplies": ("multiplies", "wire [63:0] s; assign s = a * b;", True),
    "decodes: only checked": (
        "decodes",
        "always @(posedge clk) legal: assert (sel == `OP_A || sel == `OP_B || sel == `OP_C);",
        False,
    ),
    "decodes: only assumed": (
        "decodes", "`ASSUME(Legal_M, sel == OP_A || sel == OP_B || sel == OP_C)", False,
    ),
    "decodes": (
        "decodes", "wire l; assign l = sel == `OP_A || sel == `OP_B || sel == `OP_C;", True,
    ),
    "drives: one of two parts": (
        "drives", "assign y[0] = a[0] & en; assign y[31:1] = ~b[31:1];", False,
    ),
    "drives": ("drives", "assign z = en & d;", True),
    "drives pad: while low": ("drives pad", "wire p; assign p = ~en ? d : 1'bz;", False),
    "drives pad: when not set": ("drives pad", "wire p; assign p = en ? 1'bz : d;", False),
    "drives pad": ("drives pad", "wire p; assign p = en ? d : 1'bz;", True),
    "delays: captured under a condition": (
        "delays",
        "reg q1, q2; always @(posedge clk) begin q1 <= d;\nif (en) q2 <= q1; end",
        False,
    ),
    "delays": ("delays", "reg q1, q2; always @(posedge clk) begin q1 <= d; q2 <= q1; end", True),
    "shifts left: rotated": (
        "shifts left", "reg [7:0] s; always @(posedge clk) s <= {s[6:0], s[7]};", False,
    ),
    "shifts left": ("shifts left", "reg [7:0] s; always @(posedge clk) s <= {s[6:0], d};", True),
    "saturates: kept from being too small": (
        "saturates", "wire [31:0] s; assign s = a < LEAST ? LEAST : a;", False,
    ),
    "saturates": ("saturates", "wire [31:0] s; assign s = a > MOST ? MOST : a;", True),
    "counts: limit is a width": (
        "counts",
        "localparam W = 4; reg [3:0] n; wire e; assign e = n == W'(7);\n"
        "always @(posedge clk) n <= n + 1;",
        False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("claim", CLAIMS)
def test_what_a_shape_does_not_prove_is_in_doubt(tmp_path: Path, claim: str) -> None:
    kind, body, expected = CLAIMS[claim]
    assert sure(tmp_path, body, kind) == [expected]


def test_a_unit_that_asks_and_is_granted_is_no_arbiter(tmp_path: Path) -> None:
    body = "reg last_q; always @(posedge clk) last_q <= {} ? 1'b1 : 1'b0;"
    asks = "input clk, output req_o, input gnt_i"
    arbiter = "input clk, input req_i, output gnt_o"
    assert sure(tmp_path, body.format("gnt_i"), "arbitrates", asks) == [False]
    assert sure(tmp_path, body.format("gnt_o"), "arbitrates", arbiter) == [True]
