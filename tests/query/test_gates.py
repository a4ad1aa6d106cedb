"""Gates and primitives of the user in traces: what comes in at one terminal goes out at another."""

from __future__ import annotations

from typing import Any

import pytest
from _texts import indexed

from hdlgraph.project import Project

TEXT = """primitive mux2(y, s, a, b);
output y; input s, a, b;
table 0 1 ? : 1; 0 0 ? : 0; 1 ? 1 : 1; 1 ? 0 : 0; endtable
endprimitive
primitive flop(output reg q, input d, c);
table 1 (01) : ? : 1; 0r:?:0; ? n : ? : -; * ? : ? : -; endtable
endprimitive
primitive latch(output reg q, input d, e);
table 1 1 : ? : 1; 0 1 : ? : 0; ? 0 : ? : -; endtable
endprimitive
module netlist(input a, b, c, output y, p, q, inout t, u);
wire n, m, lost_net; wire [1:0] k;
nand (n, a, b);
not (y, n), (m, k[0]);
buf b1 (p, k[1], n);
tran (t, u);
pullup (t);
nor (lost_net, a, 1'b0);
mux2 u_mux (k[0], c, a, b);
flop u_flop (q, m, c);
endmodule
module ring(input c, output q, w);
wire d; not (d, q);
flop u_flop (q, d, c);
wire x; not (w, x);
mux2 u_mux (x, c, w, d);
latch u_latch (l, nl, c);
not (nl, l);
endmodule
"""


@pytest.fixture(scope="module")
def netlist(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("gates") / "net"
    folder.mkdir()
    return indexed(folder, {"net.v": TEXT})


def steps(project: Project, name: str, direction: str) -> dict[str, list[str]]:
    """Returns what each instance or port at a signal leads to."""
    walk: dict[str, Any] = project.trace(name, directions=(direction,), depth=1)[direction]
    return {
        one["of"] or one["port"]: one["to"] for one in walk["nets"][0]["steps"] if not one["note"]
    }


def test_a_gate_drives_its_output_from_its_inputs(netlist: Project) -> None:
    assert steps(netlist, "netlist.y", "drivers") == {"not": ["netlist.n"]}
    assert steps(netlist, "netlist.n", "drivers") == {"nand": ["netlist.a", "netlist.b"]}
    assert steps(netlist, "netlist.m", "drivers") == {"not": ["netlist.k"]}
    walk = netlist.trace("netlist.y", depth=5)["drivers"]["nets"]
    assert {one["signal"] for one in walk} == {f"netlist.{one}" for one in "ynab"}


def test_a_gate_passes_an_input_on_to_all_its_outputs(netlist: Project) -> None:
    # Clause 28.5: of buf and not all terminals but the last are outputs.
    loads = steps(netlist, "netlist.n", "loads")
    assert loads == {"not": ["netlist.y"], "buf": ["netlist.p", "netlist.k"]}
    assert steps(netlist, "netlist.u", "drivers")["tran"] == ["netlist.t"]
    assert steps(netlist, "netlist.t", "drivers")["pullup"] == []


def test_a_primitive_of_the_user_leads_on(netlist: Project) -> None:
    assert steps(netlist, "netlist.q", "drivers")["flop"] == ["flop.q"]
    walk = netlist.trace("netlist.q", depth=12)["drivers"]["nets"]
    assert {"flop.d", "netlist.m", "netlist.k", "mux2.s", "netlist.b"} <= {
        one["signal"] for one in walk
    }
    (step,) = netlist.trace("flop.q", directions=("drivers",))["drivers"]["nets"][0]["steps"]
    assert step["how"] == "always"
    assert step["clock"] == ("posedge", "c")


def test_who_and_path_go_through_gates(netlist: Project) -> None:
    told = {(one["kind"], one["text"]) for one in netlist.who("netlist.n")["users"]}
    assert ("DRIVES", "nand@13 of nand") in told
    assert ("READS", "not@14 of not") in told
    (walk,) = netlist.path("netlist.a", "netlist.p")["walks"]
    assert [one["to"]["name"] for one in walk["steps"]] == ["netlist.n", "netlist.p"]


def test_a_loop_of_gates_is_told_and_one_through_a_register_is_not(netlist: Project) -> None:
    assert netlist.trace("ring.q", depth=8)["drivers"]["loops"] == []
    assert netlist.trace("ring.l", depth=8)["drivers"]["loops"] == []
    (loop,) = netlist.trace("ring.w", depth=8)["drivers"]["loops"]
    assert {"ring.w", "ring.x"} <= set(loop)


def test_unused_knows_what_gates_drive_and_read(netlist: Project) -> None:
    found = netlist.unused(limit=None)["findings"]
    signals = {(one["kind"], f"{one['unit']}.{one['name']}") for one in found}
    assert {one for one in signals if one[0] not in ("module", "primitive")} == {
        ("unread", "netlist.lost_net")
    }
