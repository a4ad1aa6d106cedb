"""Elements of arrays and members of structures on the way between two clocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from _texts import indexed


def told(folder: Path, text: str) -> dict[str, Any]:
    project = indexed(folder, {"top.sv": text})
    return project.crossings("top")


def crossings(folder: Path, text: str) -> list[tuple[str, str, str]]:
    """Returns (kind, source, target) of the crossings of `top`, sorted."""
    found = told(folder, text)["crossings"]
    return sorted((one["kind"], one["source"], one["target"]) for one in found)


ELEMENTS = """package p;
localparam int unsigned ONE = 0;
localparam int unsigned TWO = 1;
endpackage
module check #(parameter int N = 2)(input logic [1:0] ask [N], input logic mode,
  output logic err [N]);
logic [N-1:0] bad;
for (genvar c = 0; c < N; c++) begin : g_one
  assign bad[c] = mode & ask[c][0];
  assign err[c] = bad[c];
end
endmodule
module top import p::*; (input logic ca, cb, d, mode, output logic x, y, z);
logic [1:0] ask [2];
logic err [2];
logic a, b;
always_ff @(posedge ca) a <= d;
always_ff @(posedge cb) b <= d;
assign ask[ONE] = {a, a};
assign ask[TWO] = {b, b};
check u_check (.ask, .mode, .err);
always_ff @(posedge ca) x <= d & ~err[ONE];
always_ff @(posedge cb) y <= d & ~err[TWO];
always_ff @(posedge cb) if (err[p::TWO]) z <= d;
endmodule
"""


def test_elements_under_constant_indexes_stay_apart(tmp_path: Path) -> None:
    assert crossings(tmp_path, ELEMENTS) == []


SHIFTED = """module top(input logic ca, cb, d, output logic x, y, z);
logic [3:0] in, out, all;
logic a, b;
always_ff @(posedge ca) a <= d;
always_ff @(posedge cb) b <= d;
assign in[0] = d;
assign in[1] = a;
assign in[2] = b;
assign in[3] = d;
for (genvar I = 0; I < 3; I++) begin : g_shift
  assign out[I] = in[I + 1] ^ d;
end
assign out[3] = 1'b0;
always_comb for (int k = 0; k < 4; k++) all[k] = in[k] & d;
always_ff @(posedge cb) x <= out[0];
always_ff @(posedge cb) y <= out[1] | all[2];
always_ff @(posedge cb) z <= all[1];
endmodule
"""


def test_an_index_that_counts_is_settled_by_the_element(tmp_path: Path) -> None:
    assert crossings(tmp_path, SHIFTED) == [("none", "top.a", "top.x"), ("none", "top.a", "top.z")]


OPERATORS = """package p;
typedef struct packed {logic v; logic [3:0] data;} link_t;
endpackage
module top import p::*; (input logic ca, cb, d, sel, output logic x, y, z, w, o);
link_t one, two, any, both, pick, last;
logic [1:0] m, n, k;
always_ff @(posedge ca) one.v <= d;
always_ff @(posedge cb) one.data <= {4{d}};
assign two = '{v: d, data: '0};
assign any = one | two;
assign both = (one & two) ^ any;
assign pick = sel ? both : two;
always_comb last = sel ? one : two & one;
always_ff @(posedge cb) x <= pick.data[0];
always_ff @(posedge cb) y <= last.data[0] & |pick.data;
always_ff @(posedge cb) z <= pick.v;
always_ff @(posedge ca) m[0] <= d;
always_ff @(posedge cb) m[1] <= d;
assign n = {d, d};
assign k = m | n;
always_ff @(posedge cb) w <= k[1];
always_ff @(posedge ca) o <= k[0];
endmodule
"""


def test_a_member_stays_itself_through_operators_on_bits_and_choices(tmp_path: Path) -> None:
    assert crossings(tmp_path, OPERATORS) == [("none", "top.one.v", "top.z")]


PULSE = """module sync(input logic clk, d, output logic q);
logic s, t;
always_ff @(posedge clk) s <= d;
always_ff @(posedge clk) t <= s;
assign q = t;
endmodule
module take(input logic ca, cb, v, input logic [7:0] d, output logic [7:0] q);
logic sent, got, before, pulse;
logic [7:0] held;
always_ff @(posedge ca) sent <= v;
always_ff @(posedge ca) held <= d;
sync u_sync (.clk(cb), .d(sent), .q(got));
always_ff @(posedge cb) before <= got;
always_ff @(posedge cb) pulse <= got & ~before;
always_ff @(posedge cb) if (pulse) q <= held;
endmodule
module top(input logic ca, cb, v, w, input logic [7:0] d, output logic [7:0] q, r);
take u_one (.ca, .cb, .v, .d, .q);
take u_two (.ca, .cb, .v(w), .d, .q(r));
endmodule
"""


def test_a_pulse_one_register_behind_a_synchroniser_decides(tmp_path: Path) -> None:
    found = told(tmp_path, PULSE)["crossings"]
    ends = {(one["kind"], one["source"], one["target"], one["copies"]) for one in found}
    assert ("handshake", "top.u_one.held", "top.u_one.q", 2) in ends
    (taken,) = (one for one in found if one["kind"] == "handshake")
    assert taken["copied"] == [{"source": "top.u_two.held", "target": "top.u_two.q"}]


BANK = """module sync(input logic clk, d, output logic q);
logic s, t;
always_ff @(posedge clk) s <= d;
always_ff @(posedge clk) t <= s;
assign q = t;
endmodule
module top(input logic ca, cb, v, input logic [3:0] d, we, input logic [1:0] at,
  output logic [3:0] q, output logic r);
logic sent, got, back, taken;
logic [3:0] bank, words;
always_ff @(posedge ca) sent <= v;
always_ff @(posedge cb) back <= got;
sync u_there (.clk(cb), .d(sent), .q(got));
sync u_back (.clk(ca), .d(back), .q(taken));
for (genvar i = 0; i < 4; i++) begin : g_bank
  always_ff @(posedge ca) bank[i] <= d[i];
  always_ff @(posedge ca) if (we[i]) words[i] <= d[i];
  always_ff @(posedge cb) q[i] <= bank[i];
end
always_ff @(posedge cb) r <= words[at];
endmodule
"""


LANES = """module lane(input logic [1:0] d, output logic [1:0] q);
assign q[0] = d[0];
assign q[1] = d[1];
endmodule
module top(input logic ca, cb, d, output logic x, y);
logic [1:0] in [2];
logic [1:0] out [2];
logic a;
always_ff @(posedge ca) a <= d;
assign in[0] = {d, a};
assign in[1] = {d, a};
for (genvar i = 0; i < 2; i++) begin : g_lane
  lane u_lane (.d(in[i]), .q(out[i]));
end
assign x = 1'b0;
always_ff @(posedge cb) y <= out[1][0];
endmodule
"""


def test_the_index_of_an_instance_in_a_loop_is_none_within_it(tmp_path: Path) -> None:
    assert crossings(tmp_path, LANES) == [("none", "top.a", "top.y")]


def test_registers_in_a_loop_are_no_memory_where_no_address_chooses(tmp_path: Path) -> None:
    found = crossings(tmp_path, BANK)
    assert ("none", "top.bank", "top.q") in found
    assert ("fifo", "top.words", "top.r") in found


RISING = """module top #(parameter int N = 100_000)(input logic ca, cb, d, output logic x);
logic [N:0] ready;
logic a;
always_ff @(posedge ca) a <= d;
assign ready[N] = a;
for (genvar i = 0; i < N; i++) begin : g_chain
  assign ready[i] = ready[i + 1] | d;
end
always_ff @(posedge cb) x <= ready[0];
endmodule
"""


def test_an_index_that_rises_without_end_stands_for_all_elements(tmp_path: Path) -> None:
    found = told(tmp_path, RISING)
    assert [(one["source"], one["target"]) for one in found["crossings"]] == [("top.a", "top.x")]
    assert len(found["crossings"][0]["way"]) < 80
