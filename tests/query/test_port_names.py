"""Ports with another name inside their unit, and nets of several names."""

from __future__ import annotations

import pytest
from _texts import indexed

from hdlgraph.project import Project

TEXT = """module nap(.o(w), .i({p, q}), .io(t), b, .half(v[3:0]), .none());
output w; input p, q; inout t; input [1:0] b; input [3:0] v;
assign w = p & q;
endmodule
module above(input x, z, output y, inout pad);
nap u_nap(.o(y), .i({x, z}), .io(pad), .b(2'b0), .half(4'b0));
endmodule
module ansi(output .d(data), input .e({x, y}));
wire data, x, y;
assign data = x ^ y;
endmodule
module joined(input c, output [1:0] f);
wire t; wire [1:0] nn; wire lone, alone;
alias nn = {t, t};
alias lone = alone;
assign t = c;
assign f = nn;
endmodule
"""


@pytest.fixture(scope="module")
def ports(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("names") / "one"
    folder.mkdir()
    return indexed(folder, {"ports.sv": TEXT})


def test_a_port_has_the_direction_of_what_it_is_inside(ports: Project) -> None:
    design = ports._signals()
    unit = design.flows.units[design.units("nap")[0]]
    assert [(name, way, line) for name, way, line, _ in unit.ports] == [
        *(("o", "output", 1), ("i", "input", 1), ("io", "inout", 1)),
        *(("b", "input", 2), ("half", "input", 1), ("none", "", 1)),
    ]
    assert [one["id"] for one in ports.show("nap.p")["definitions"]] == ["signal:ports.sv#nap.p"]


@pytest.mark.parametrize(
    ("name", "reached"),
    [
        ("nap.o", {"nap.w", "nap.p", "nap.q", "nap.i", "above.x", "above.z"}),
        ("nap.p", {"nap.i", "above.x", "above.z"}),
        ("nap.v", {"nap.half"}),
        ("nap.t", {"nap.io", "above.pad"}),
        ("ansi.d", {"ansi.data", "ansi.x", "ansi.y", "ansi.e"}),
        ("joined.f", {"joined.nn", "joined.t", "joined.c"}),
        ("joined.lone", {"joined.alone"}),
    ],
)
def test_a_walk_passes_the_name_inside(ports: Project, name: str, reached: set[str]) -> None:
    walk = ports.trace(name, directions=("drivers",), depth=9)["drivers"]
    assert {one["signal"] for one in walk["nets"]} == {name, *reached}
    assert walk["loops"] == []


def test_nothing_of_them_is_unused(ports: Project) -> None:
    found = ports.unused(limit=None)["findings"]
    told = {(one["kind"], one["name"]) for one in found if one["kind"] not in ("module",)}
    assert told == {("unread_input", "b"), ("unread", "v")}
