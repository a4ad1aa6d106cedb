"""A way through a function that takes or makes a structure whole is told as doubtful."""

from __future__ import annotations

from pathlib import Path

from _texts import indexed

TOP = """package p;
typedef struct packed { logic v; logic [3:0] a; logic [3:0] d; } req_t;
function automatic logic [3:0] only_d(req_t r); return r.d; endfunction
function automatic logic any(logic [3:0] a); return |a; endfunction
function automatic req_t with_v(req_t r, logic v); with_v = r; with_v.v = v; endfunction
endpackage
module top import p::*; (input logic ca, cb, d, output logic [3:0] x, output logic y, z, u,
  output logic [3:0] w, output logic t);
req_t r, s;
logic [3:0] a, x_n; logic b, u_n;
always_ff @(posedge ca) a <= {4{d}};
always_ff @(posedge cb) b <= d;
assign r.a = a;
assign r.d = {4{b}};
assign x_n = p::only_d(r);
assign s = with_v(r, d);
assign u_n = any(r.a);
always_ff @(posedge cb) x <= x_n;
always_ff @(posedge cb) y <= s.v;
always_ff @(posedge cb) z <= r.a[0];
always_ff @(posedge cb) u <= u_n;
always_ff @(posedge cb) w <= p::only_d(r);
always_ff @(posedge cb) t <= any(r.a);
endmodule
"""


def test_a_structure_that_a_function_takes_or_makes_is_doubtful(tmp_path: Path) -> None:
    project = indexed(tmp_path, {"top.sv": TOP})
    assert {one["target"]: one["doubt"] for one in project.crossings("top")["crossings"]} == {
        "top.x": "p::only_d takes r whole (top.sv:15)",
        "top.y": "with_v takes r whole (top.sv:16)",
        "top.z": "",
        "top.u": "",
        "top.w": "p::only_d takes r whole (top.sv:22)",
        "top.t": "",
    }
