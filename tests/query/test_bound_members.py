"""Binds that connect a member of a struct or an interface: the others are not connected."""

from __future__ import annotations

import pytest
from _texts import indexed

from hdlgraph.project import Project

TEXT = """module seen(input logic v, w); endmodule
module holder(input clk, output logic y);
typedef struct packed {logic a; logic b; logic [1:0] c;} t;
t s, r;
always_ff @(posedge clk) s.a <= 1;
assign s.b = y;
assign s.c[0] = clk;
endmodule
bind holder seen u_seen(.v(s.a), .w(s.c[0] & r.b));
interface bus; logic valid, data; modport mon(input valid, data); endinterface
module cons(bus s, bus m);
assign s.data = 1; assign s.valid = 0;
endmodule
module spy(input logic v); endmodule
bind cons spy u_spy(.v(s.valid));
module whole(bus b); endmodule
bind cons whole u_whole(.b(s.mon));
bind cons whole u_other(.b(m));
module struct_in(input logic [3:0] v); endmodule
bind holder struct_in u_all(.v(r));
"""


@pytest.fixture(scope="module")
def bound(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("bound") / "one"
    folder.mkdir()
    return indexed(folder, {"bound.sv": TEXT})


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("holder.s.a", {"u_seen.v": ["seen.v"]}),
        ("holder.s.b", {}),
        ("holder.s.c", {"u_seen.w": ["seen.w"]}),
        ("holder.s", {"u_seen.v": ["seen.v"], "u_seen.w": ["seen.w"]}),
        ("holder.r.a", {"u_all.v": ["struct_in.v"]}),
        ("holder.r.b", {"u_seen.w": ["seen.w"], "u_all.v": ["struct_in.v"]}),
        ("cons.s.data", {"u_whole.b": ["whole.b.data"]}),
        ("cons.s.valid", {"u_spy.v": ["spy.v"], "u_whole.b": ["whole.b.valid"]}),
        ("cons.m.data", {"u_other.b": ["whole.b.data"]}),
    ],
)
def test_a_bind_reads_the_member_that_it_names(
    bound: Project, name: str, expected: dict[str, list[str]]
) -> None:
    (net,) = bound.trace(name, directions=("loads",), depth=1)["loads"]["nets"]
    binds = [one for one in net["steps"] if one["how"] == "bind"]
    assert {f"{one['instance']}.{one['port']}": one["to"] for one in binds} == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("seen.v", ["holder.s.a"]),
        ("seen.w", ["holder.s.c", "holder.r.b"]),
        ("spy.v", ["cons.s.valid"]),
        ("whole.b.data", ["cons.s.data", "cons.m.data"]),
        ("struct_in.v", ["holder.r"]),
    ],
)
def test_a_port_of_a_bound_unit_gets_that_member(
    bound: Project, name: str, expected: list[str]
) -> None:
    net = bound.trace(name, directions=("drivers",), depth=1)["drivers"]["nets"][0]
    assert sorted(to for step in net["steps"] for to in step["to"]) == sorted(expected)
