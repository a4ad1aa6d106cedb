"""Signals of interfaces through handles: instances, ports with modports, arrays, macros."""

from __future__ import annotations

import pytest
from _texts import indexed

from hdlgraph.project import Project

DESIGN = r"""interface AXI_BUS #(parameter int W = 8);
logic [W-1:0] aw_addr; logic aw_valid, aw_ready;
modport Master (output aw_addr, aw_valid, input aw_ready);
modport Slave (input aw_addr, aw_valid, output aw_ready);
endinterface
`define AXI_ASSIGN(lhs, rhs) \
  assign lhs.aw_valid = rhs.aw_valid; \
  assign rhs.aw_ready = lhs.aw_ready;
typedef struct packed { logic [7:0] aw_addr; logic aw_valid; } req_t;
module source(AXI_BUS.Master axi, input go);
assign axi.aw_valid = go;
endmodule
module sink(AXI_BUS.Slave axi, output seen);
assign seen = axi.aw_valid;
assign axi.aw_ready = 1'b1;
endmodule
module sinks #(parameter int N = 2) (AXI_BUS.Slave axi [N-1:0], output [N-1:0] seen);
for (genvar i = 0; i < N; i++) begin : g
  assign seen[i] = axi[i].aw_valid;
end
endmodule
module joins(AXI_BUS.Slave in, AXI_BUS.Master out, output req_t req);
`AXI_ASSIGN(out, in)
assign req = '{aw_addr: in.aw_addr, aw_valid: in.aw_valid};
endmodule
module top(input go, output [3:0] seen);
AXI_BUS a(), b();
AXI_BUS many [1:0] ();
source u_src(.axi(a), .go(go));
joins u_join(.in(a), .out(b));
sink u_sink(.axi(b.Slave), .seen(seen[0]));
sinks u_sinks(.axi(many), .seen(seen[2:1]));
`AXI_ASSIGN(many[0], b)
endmodule
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("handles")
    return indexed(folder, {"top.sv": DESIGN})


def ends(project: Project, name: str) -> tuple[list[str], list[str]]:
    """Returns what drives a signal and what it goes into, one net away."""
    found = project.trace(name, depth=1)
    told = []
    for way in ("drivers", "loads"):
        (net,) = found[way]["nets"]
        told.append([f"{one['line']} {' '.join(one['to'])}" for one in net["steps"]])
    return told[0], told[1]


@pytest.mark.parametrize(
    ("name", "drivers", "loads"),
    [
        ("top.a.aw_valid", ["29 source.axi.aw_valid"], ["30 joins.in.aw_valid"]),
        (
            "top.b.aw_valid",
            ["30 joins.out.aw_valid"],
            ["31 sink.axi.aw_valid", "33 top.many.aw_valid"],
        ),
        ("top.many.aw_valid", ["33 top.b.aw_valid"], ["32 sinks.axi.aw_valid"]),
        (
            "top.b.aw_ready",
            ["31 sink.axi.aw_ready", "33 top.many.aw_ready"],
            ["30 joins.out.aw_ready"],
        ),
        ("source.axi.aw_valid", ["11 source.go"], ["10 top.a.aw_valid"]),
        ("sink.axi.aw_valid", ["13 top.b.aw_valid"], ["14 sink.seen"]),
        ("top.u_sinks.axi.aw_valid", ["17 top.many.aw_valid"], ["19 sinks.seen"]),
        (
            "joins.in.aw_valid",
            ["22 top.a.aw_valid"],
            ["23 joins.out.aw_valid", "24 joins.req.aw_valid"],
        ),
        ("joins.req.aw_valid", ["24 joins.in.aw_valid"], ["22 "]),
    ],
)
def test_a_signal_of_an_interface_has_the_ends_of_its_handle(
    project: Project, name: str, drivers: list[str], loads: list[str]
) -> None:
    assert ends(project, name) == (drivers, loads)


def test_a_modport_tells_the_direction(project: Project) -> None:
    (port, *others) = project.drivers("sink", "axi.aw_valid")
    assert (port.how, port.sure, others) == ("port", True, [])
    assert [one.how for one in project.drivers("source", "axi.aw_valid")] == ["assign"]


def test_an_interface_itself_names_its_instances(project: Project) -> None:
    found = project.trace("AXI_BUS.aw_valid")
    assert found["signal"] == "top.a.aw_valid"
    others = [one["signal"] for one in found["others"]]
    assert others == ["top.b.aw_valid", "top.many.aw_valid", "AXI_BUS.aw_valid"]
    users = project.who("AXI_BUS.aw_valid")["users"]
    assert [one["line"] for one in users if one["kind"] == "DRIVES"] == [29, 30, 33]
