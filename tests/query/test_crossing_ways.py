"""What a way between two clocks may be: members, tied inputs, branches that are not there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from _texts import indexed

from hdlgraph.project import Project
from hdlgraph.query.clocks.parameters.arithmetic import evaluate


def crossings(folder: Path, text: str) -> list[tuple[str, str, str]]:
    """Returns (kind, source, target) of the crossings of `top`, sorted."""
    found = told(folder, text)["crossings"]
    return sorted((one["kind"], one["source"], one["target"]) for one in found)


def told(folder: Path, text: str) -> dict[str, Any]:
    project = indexed(folder, {"top.sv": text})
    return project.crossings("top")


LINKS = """package link_pkg;
typedef struct packed {logic v; logic ready; logic [7:0] data;} link_t;
endpackage
module node import link_pkg::*; (input logic ca, cb, input logic [1:0][9:0] link_i,
  output logic [1:0][9:0] link_o);
link_t [1:0] i, o;
assign i = link_i;
assign link_o = o;
logic full;
logic [7:0] held;
always_ff @(posedge ca) full <= i[0].v;
always_ff @(posedge ca) held <= i[0].data;
assign o[0].ready = full;
assign o[0].data = held;
assign o[0].v = 1'b0;
assign o[1] = '{v: 1'b0, ready: full, data: held};
endmodule
module top import link_pkg::*; (input logic ca, cb, input link_t a, output logic q, p, r);
link_t east, west, plain;
logic [9:0] left;
node u_node (.ca, .cb, .link_i({left, a}), .link_o({east, west}));
node u_other (.ca, .cb, .link_i({left, a}), .link_o({left, plain}));
always_ff @(posedge cb) q <= west.ready;
always_ff @(posedge cb) p <= plain.v;
always_ff @(posedge cb) r <= east.data[0];
endmodule
"""


def test_a_member_stays_itself_through_lists_and_patterns(tmp_path: Path) -> None:
    assert crossings(tmp_path, LINKS) == [
        ("none", "top.u_node.full", "top.q"),
        ("none", "top.u_node.held", "top.r"),
    ]


OTHER_MEMBERS = """package p;
typedef struct packed {logic op; logic [6:0] arg;} payload_t;
typedef struct packed {logic valid; payload_t payload;} bus_t;
endpackage
module top import p::*; (input logic ca, cb, d, output logic q);
payload_t payload;
logic valid;
bus_t bus;
always_ff @(posedge ca) payload.op <= d;
assign bus = {valid, payload};
always_ff @(posedge cb) q <= bus.payload.op;
endmodule
"""


def test_a_member_of_another_name_is_no_reason_to_see_nothing(tmp_path: Path) -> None:
    assert crossings(tmp_path, OTHER_MEMBERS) == [("none", "top.payload.op", "top.q")]


FILTER = """module filter(input logic clk, en, d, output logic q);
logic stored;
always_ff @(posedge clk) stored <= d;
assign q = en ? stored : d;
endmodule
module gate(input logic en, d, output logic q);
always_comb begin
  q = 1'b0;
  if (en) q = d;
end
endmodule
module top(input logic ca, cb, d, output logic x, y, z);
logic a, m, n, o;
always_ff @(posedge ca) a <= d;
filter u_on (.clk(cb), .en(1'b1), .d(a), .q(m));
filter u_off (.clk(cb), .en(1'b0), .d(a), .q(n));
gate u_gate (.en(1'b0), .d(a), .q(o));
always_ff @(posedge cb) x <= m;
always_ff @(posedge cb) y <= n;
always_ff @(posedge cb) z <= o;
endmodule
"""


def test_a_tied_input_chooses(tmp_path: Path) -> None:
    found = crossings(tmp_path, FILTER)
    ends = {(source, target) for _, source, target in found}
    assert ("top.a", "top.u_on.stored") in ends
    assert ("top.a", "top.y") in ends
    assert not ends & {("top.a", "top.x"), ("top.a", "top.z")}


BRANCHES = """`define BLOCK 8
module sync #(parameter W = 1, parameter bit Async = 1'b0)(input logic clk, d, output logic q);
logic [W-1:0] s, t;
for (genvar i = 0; i < (W / `BLOCK); i = i + 1) begin : g_blocks
  logic lost;
  always_ff @(posedge clk) lost <= d;
end
if (Async) begin : g_async
  always_ff @(posedge clk) s <= d;
  always_ff @(posedge clk) t <= s;
  assign q = t;
end else begin : g_plain
  assign q = d;
end
endmodule
module send #(parameter bit Async = 1'b0)(input logic clk, d, output logic q);
logic held;
if (Async) begin : g_async
  always_ff @(posedge clk) held <= d;
  assign q = held;
end else begin : g_plain
  assign q = 1'b0;
end
endmodule
module top #(parameter logic [3:0] Chosen = UNKNOWN)(input logic ca, cb, d, output logic x);
logic a, b;
send #(.Async(Chosen)) u_send (.clk(ca), .d, .q(a));
sync #(.W(1), .Async(Chosen)) u_sync (.clk(cb), .d(a), .q(b));
always_ff @(posedge cb) x <= b;
endmodule
"""


def test_branches_that_exclude_each_other_and_loops_without_a_turn(tmp_path: Path) -> None:
    found = crossings(tmp_path, BRANCHES)
    assert found == [("synchroniser", "top.u_send.held", "top.u_sync.s")]


STRUCTURE = """module deep #(parameter int N = 2)(input logic clk, d, output logic q);
if (N == 1) begin : g_one
  assign q = d;
end else begin : g_more
  logic s, t;
  always_ff @(posedge clk) s <= d;
  always_ff @(posedge clk) t <= s;
  assign q = t;
end
endmodule
module mid #(parameter p::cfg_t Cfg = '{Ports: 1, Deep: 0}, parameter logic [31:0] Sizes = '0)(
  input logic clk, d, output logic q, r);
deep #(.N(Cfg.Ports)) u_deep (.clk, .d, .q);
if (Sizes[3*4 +: 4] != 0) begin : g_size
  always_ff @(posedge clk) r <= d;
end
endmodule
package p;
typedef struct packed {int Ports; int Deep; int Other; } cfg_t;
endpackage
module top #(parameter p::cfg_t Mine = '{Ports: 4, Deep: 1, default: 0})(
  input logic ca, cb, d, output logic x);
logic a, b;
always_ff @(posedge ca) a <= d;
mid #(.Cfg(Mine)) u_mid (.clk(cb), .d(a), .q(b), .r());
always_ff @(posedge cb) x <= b;
endmodule
"""


def test_fields_of_parameters_and_parts_of_zero_decide_branches(tmp_path: Path) -> None:
    found = crossings(tmp_path, STRUCTURE)
    assert found == [("synchroniser", "top.a", "top.u_mid.u_deep.s")]


MEMBER = """package p; typedef struct packed {logic clk; logic op;} tag_t; endpackage
module leaf(input logic clk_i, d_i, output logic q_o);
always_ff @(posedge clk_i) q_o <= d_i;
endmodule
module top import p::*; (input tag_t tag, output logic q);
logic m;
always_ff @(posedge tag.clk) m <= tag.op;
leaf u_leaf (.clk_i(tag.clk), .d_i(m), .q_o(q));
endmodule
"""


def test_a_clock_that_is_a_member_is_one_clock(tmp_path: Path) -> None:
    found = told(tmp_path, MEMBER)
    assert found["crossings"] == []
    tree = Project(tmp_path).clock_tree("top")
    assert [(one["name"], one["registers"]) for one in tree["clocks"]] == [("top.tag.clk", 2)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Z[3*4 +: 4] == 0", 1),
        ("Z[i][1:0]", 0),
        ("A[0]", None),
        ("Z[", None),
        ("`B / 2", 4),
        ("C.Ports + 1", 3),
    ],
)
def test_parts_members_and_macros_in_conditions(text: str, value: int | None) -> None:
    known: dict[str, int | str] = {"Z": 0, "A": 5, "`B": 8, "C.Ports": 2}
    assert evaluate(text, known.get) == value


SAFE_OR_NOT = """module pass(input logic ic, oc, d, output logic q);
logic a, s, t;
always_ff @(posedge ic) a <= d;
always_ff @(posedge oc) s <= a;
always_ff @(posedge oc) t <= s;
assign q = t;
endmodule
module taker(input logic clk, take, input logic [7:0] d, output logic [7:0] q);
logic [7:0] got;
always_ff @(posedge clk) if (take) got <= d;
assign q = got;
endmodule
module top #(parameter bit Two = UNKNOWN)(input logic ca, cb, v, input logic [7:0] d,
  output logic [7:0] q);
logic sent;
logic [7:0] held;
always_ff @(posedge ca) sent <= v;
always_ff @(posedge ca) held <= d;
if (Two) begin : g_two
  logic take;
  pass u_pass (.ic(ca), .oc(cb), .d(sent), .q(take));
  taker u_taker (.clk(cb), .take, .d(held), .q);
end else begin : g_one
  taker u_plain (.clk(cb), .take(sent), .d(held), .q);
end
endmodule
"""


def test_a_synchroniser_of_the_other_branch_protects_nothing(tmp_path: Path) -> None:
    found = told(tmp_path, SAFE_OR_NOT)["crossings"]
    kinds = {(one["source"], one["target"], one["kind"]) for one in found}
    assert ("top.held", "top.g_two.u_taker.got", "handshake") in kinds
    assert ("top.held", "top.g_one.u_plain.got", "none") in kinds


MEMBERS = """package p;
localparam logic [3:0] Deep = (1 << 2);
typedef enum logic [3:0] {NONE = 4'b0000, CUT = Deep | 4'b0001, ALL = 4'b1111} mode_e;
typedef enum int unsigned {FIRST = 0, SECOND, LAST} place_e;
localparam int Places = LAST + 1;
typedef struct packed {mode_e Mode; int Other;} cfg_t;
endpackage
module stage #(parameter bit Bypass = 1'b0)(input logic clk, d, output logic q);
if (Bypass) begin : g_pass
  assign q = d;
end else begin : g_hold
  always_ff @(posedge clk) q <= d;
end
endmodule
module top #(parameter p::cfg_t Cfg = '{Mode: p::CUT, Other: 0})(input logic ca, cb, d,
  output logic x, y);
logic a, b, c;
always_ff @(posedge ca) a <= d;
stage #(.Bypass(Cfg.Mode[2])) u_set (.clk(ca), .d(a), .q(b));
stage #(.Bypass(Cfg.Mode[1])) u_clear (.clk(ca), .d(d), .q(c));
always_ff @(posedge cb) x <= b;
if (p::Places == 3) begin : g_three
  always_ff @(posedge cb) y <= c;
end else begin : g_other
  always_ff @(posedge ca) y <= c;
end
endmodule
"""


def test_members_of_enumerations_are_numbers_where_bits_and_sums_ask(tmp_path: Path) -> None:
    assert crossings(tmp_path, MEMBERS) == [
        ("none", "top.a", "top.x"),
        ("none", "top.u_clear.q", "top.y"),
    ]
