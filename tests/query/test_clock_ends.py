"""Where clocks and resets end, what crosses between clocks by a memory, and gates."""

from __future__ import annotations

from pathlib import Path

from _texts import units

LEAF = """module leaf(input logic clk_i, input logic d_i, output logic q_o);
always_ff @(posedge clk_i) q_o <= d_i;
endmodule
"""
BOARD = """module board(input logic osc_p, input logic d, output logic q, output logic z);
logic clk, m, n, slow;
xpll i_pll (.clk_out1(clk), .clk_in1(osc_p), .locked());
leaf i_a (.clk_i(clk), .d_i(d), .q_o(m));
leaf i_b (.clk_i(clk), .d_i(m), .q_o(n));
leaf i_c (.clk_i(slow), .d_i(n), .q_o(q));
leaf i_d (.clk_i(slow), .d_i(q), .q_o(z));
endmodule
"""


def test_a_clock_begins_at_the_last_net_that_is_reached(tmp_path: Path) -> None:
    project = units(tmp_path / "board", leaf=LEAF, board=BOARD)
    found = project.clock_tree("board")
    told = {one["name"]: (one["kind"], one["registers"]) for one in found["clocks"]}
    assert told == {"board.clk": ("unknown", 2), "board.slow": ("open", 2)}
    crossings = project.crossings("board")
    assert (crossings["registers"], crossings["unclocked"]) == (4, 2)
    (note,) = crossings["notes"]
    assert note.startswith("2 of 4 registers have no known clock")


LINK = """module cell_mem #(parameter W = 8)(input logic wc, we, input logic [1:0] wa, ra,
  input logic [W-1:0] d, output logic [W-1:0] q);
logic [W-1:0] mem [4];
always_ff @(posedge wc) if (we) mem[wa] <= d;
assign q = mem[ra];
endmodule
module any_mem #(parameter W = 8)(input logic wc, we, input logic [1:0] wa, ra,
  input logic [W-1:0] d, output logic [W-1:0] q);
cell_mem #(.W(W)) synth (.wc, .we, .wa, .ra, .d, .q);
endmodule
module pass_bits(input logic ic, oc, input logic [1:0] i, output logic [1:0] o);
logic [1:0] launch, first, second;
always_ff @(posedge ic) launch <= i;
always_ff @(posedge oc) first <= launch;
always_ff @(posedge oc) second <= first;
assign o = second;
endmodule
module pointer(input logic wc, rc, inc, output logic [1:0] own, far);
always_ff @(posedge wc) if (inc) own <= own + 2'd1;
pass_bits sync (.ic(wc), .oc(rc), .i(own ^ (own >> 1)), .o(far));
endmodule
module queue(input logic wc, rc, push, pop, input logic [7:0] d,
  output logic [7:0] q, output logic v);
logic [1:0] wp, rp, wfar, rfar;
any_mem mem (.wc, .we(push), .wa(wp), .ra(rp), .d, .q);
pointer w (.wc(wc), .rc(rc), .inc(push), .own(wp), .far(wfar));
pointer r (.wc(rc), .rc(wc), .inc(pop), .own(rp), .far(rfar));
assign v = rp != wfar;
endmodule
module island #(parameter int CDC)(input logic ca, cb, push, pop, input logic [7:0] d,
  output logic [7:0] out);
logic [7:0] held, q; logic v;
always_ff @(posedge ca) held <= d;
if (CDC == 1) begin : g_cdc
  queue fifo (.wc(ca), .rc(cb), .push, .pop, .d(held), .q, .v);
end else begin : g_none
  assign q = held;
end
always_ff @(posedge cb) out <= q;
endmodule
"""


def test_a_memory_between_pointers_that_are_synchronised_is_a_fifo(tmp_path: Path) -> None:
    project = units(tmp_path / "link", link=LINK)
    found = project.crossings("island")
    kinds = {(one["kind"], one["source"], one["condition"]) for one in found["crossings"]}
    assert ("fifo", "island.g_cdc.fifo.mem.synth.mem", "CDC == 1") in kinds
    (bare,) = [one for one in found["crossings"] if one["kind"] == "none"]
    assert (bare["condition"], bare["alternative"]) == ("!(CDC == 1)", "CDC == 1")
    (note,) = [one for one in found["notes"] if "other branch" in one]
    assert note.startswith("1 crossings with nothing seen")


RESETS = """module inner(input logic c, input logic rn, input logic d, output logic q);
always_ff @(posedge c or negedge rn) if (!rn) q <= 1'b0; else q <= d;
endmodule
module outer(input logic c, input logic rn, input logic w, input logic d, output logic q, z);
logic ctrl, one, two, r_n;
always_ff @(posedge c or negedge rn) if (!rn) ctrl <= 1'b0; else if (w) ctrl <= d;
always_ff @(posedge c or negedge rn) if (!rn) begin one <= 1'b0; two <= 1'b0; end
  else begin one <= 1'b1; two <= one; end
assign r_n = two;

inner i_gated (.c, .rn(
  rn & ~ctrl), .d, .q);
inner i_synced (.c, .rn(r_n), .d, .q(z));
endmodule
"""


def test_an_expression_at_a_port_stands_around_and_a_control_register_synchronises_nothing(
    tmp_path: Path,
) -> None:
    project = units(tmp_path / "resets", resets=RESETS)
    told = {one["name"]: one for one in project.clock_tree("outer", resets=True)["resets"]}
    gated = told["outer.i_gated.rn"]
    text = RESETS.splitlines()
    assert "i_gated" in text[int(gated["location"].partition(":")[2]) - 1]
    assert gated["synchronisers"] == []
    (synced,) = told["outer.two"]["synchronisers"]
    assert (synced["name"], synced["stages"]) == ("outer.two", 2)


GATES = """module gate(input logic clk_i, input logic en_i, input logic test_i, output logic clk_o);
logic held;
always_latch if (!clk_i) held = en_i | test_i;
assign clk_o = held & clk_i;
endmodule
module gated(input logic clk, input logic go, run, scan, d, output logic q, z);
logic one, two_clk;
gate u_gate (
  .clk_i(clk), .en_i(go & run), .test_i(scan), .clk_o(one));
assign two_clk = clk & run;
always_ff @(posedge one) q <= d;
always_ff @(posedge two_clk) z <= d;
endmodule
"""


def test_a_gate_says_what_lets_its_clock_through(tmp_path: Path) -> None:
    project = units(tmp_path / "gates", gates=GATES)
    (clock,) = project.clock_tree("gated")["clocks"]
    told = {one["name"]: one for one in clock["steps"]}
    cell = told["gated.u_gate.clk_o"]
    assert cell["enable"] == ["en_i(go & run)", "test_i(scan)"]
    assert cell["placed"] == "gates.sv:8"
    assert told["gated.two_clk"]["enable"] == ["run"]


BUFFERS = """module board(input logic osc, other, sel, d, output logic q, p, r);
logic raw, clk, both, muxed;
IBUF i_in (.I(osc), .O(raw));
BUFG i_buf (.I(raw), .O(clk));
BUFGMUX i_both (.I0(~clk), .I1(clk), .S(sel), .O(both));
BUFGMUX i_mux (.I0(clk), .I1(other), .S(sel), .O(muxed));
leaf i_a (.clk_i(clk), .d_i(d), .q_o(q));
leaf i_b (.clk_i(both), .d_i(q), .q_o(p));
leaf i_c (.clk_i(muxed), .d_i(p), .q_o(r));
endmodule
"""


def test_clock_buffers_of_a_vendor_hand_on_and_choose(tmp_path: Path) -> None:
    project = units(tmp_path / "board", leaf=LEAF, board=BUFFERS)
    told = {
        one["name"]: (one["kind"], one["registers"], sorted(one["inputs"]))
        for one in project.clock_tree("board")["clocks"]
        if one["registers"]
    }
    assert told == {
        "board.osc": ("port", 2, []),
        "board.muxed": ("mux", 1, ["board.osc", "board.other"]),
    }
