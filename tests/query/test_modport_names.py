"""Modports that give members of their interface other names (IEEE 1800, 25.5.4)."""

from __future__ import annotations

import pytest
from _texts import indexed

from hdlgraph.project import Project

TEXT = """interface mi; logic data, valid; logic [3:0] w;
modport m(output .d(data), valid, input .low(w[1:0]), .both({valid, w}));
modport plain(input data);
endinterface
module leaf(mi.m p, input logic z, output logic l);
assign p.d = z;
assign l = p.low;
endmodule
module mid(mi.m q, input logic z); leaf u_leaf(.p(q), .z(z), .l()); endmodule
module above(input logic z, output logic o);
mi i0();
mid u_mid(.q(i0), .z(z));
assign o = i0.data;
assign i0.w = z;
endmodule
"""


@pytest.fixture(scope="module")
def renamed(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("modports") / "one"
    folder.mkdir()
    return indexed(folder, {"modports.sv": TEXT})


def test_a_walk_down_takes_the_name_of_the_modport(renamed: Project) -> None:
    walk = renamed.trace("above.o", directions=("drivers",), depth=9)["drivers"]["nets"]
    assert [one["signal"] for one in walk] == [
        *("above.o", "above.i0.data", "mid.q.d", "leaf.p.d", "leaf.z", "mid.z", "above.z")
    ]
    (step,) = walk[1]["steps"]
    assert step["sure"]


def test_a_walk_up_takes_the_name_of_the_interface(renamed: Project) -> None:
    walk = renamed.trace("leaf.l", directions=("drivers",), depth=9)["drivers"]["nets"]
    assert [one["signal"] for one in walk] == [
        *("leaf.l", "leaf.p.low", "mid.q.low", "above.i0.w", "above.z")
    ]
