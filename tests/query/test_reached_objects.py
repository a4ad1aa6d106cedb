"""A line that reaches a signal through a name reaches that of what the name is declared as."""

from __future__ import annotations

import pytest
from _texts import indexed

from hdlgraph.project import Project

SOURCE = """module holder (input logic clk, output logic o);
  logic parked;
  assign parked = clk;
  assign o = parked;
endmodule
interface park_if;
  logic parked;
  modport user (output parked);
  modport lane (input parked);
endinterface
package park_pkg;
  typedef struct packed { logic parked; logic [1:0] level; } park_t;
endpackage
module host (input logic clk, output logic y, output logic z);
  holder lane (.clk, .o(y));
  assign z = lane.parked;
endmodule
module lane_user (park_if.user lane, input logic clk);
  assign lane.parked = clk;
endmodule
module lane_any (interface lane, output logic s);
  assign s = lane.parked;
endmodule
module lane_par #(parameter park_pkg::park_t lane = '0) (output logic s);
  assign s = lane.parked;
endmodule
module lane_out (output park_pkg::park_t lane, input logic clk);
  assign lane.parked = clk;
endmodule
package env_pkg;
  class cfg_c;
    virtual park_if lane_vif;
  endclass
  class env_c #(type CFG = cfg_c);
    CFG cfg;
    task watch();
      wait (cfg.lane_vif.parked == 1);
    endtask
  endclass
endpackage
module bench;
  logic c, y, q, z;
  host dut (.clk(c), .y, .z);
  assign q = dut.lane.parked;
  assign z = bench.dut.lane.parked;
endmodule
"""


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return indexed(tmp_path_factory.mktemp("reached"), {"lanes.sv": SOURCE})


def line_of(words: str) -> int:
    lines = SOURCE.splitlines()
    return next(number for number, text in enumerate(lines, 1) if words in text)


def users(project: Project, name: str) -> dict[str, str]:
    found = project.who(name)["users"]
    return {one["user_name"]: one["location"] for one in found if one["kind"] == "USES"}


def test_a_net_is_reached_through_instances_of_its_unit_alone(design: Project) -> None:
    assert users(design, "holder.parked") == {
        "host": f"lanes.sv:{line_of('z = lane.parked')}",
        "bench": f"lanes.sv:{line_of('bench.dut.lane')}",
    }


@pytest.mark.parametrize("name", ["park_if.parked", "lane_user.lane.parked"])
def test_a_signal_of_an_interface_is_reached_through_its_handles(
    design: Project, name: str
) -> None:
    place = f"lanes.sv:{line_of('module lane_user') + 1}"
    assert place in {one["location"] for one in design.who(name)["users"]}


def test_a_port_that_is_an_interface_names_its_signals(design: Project) -> None:
    found = design.who("lane.parked")
    assert "park_if.parked" in [one["name"] for one in found["targets"]]
    place = f"lanes.sv:{line_of('module lane_user') + 1}"
    assert place in {one["location"] for one in found["users"]}


def test_a_field_is_none_of_a_net_of_its_name(design: Project) -> None:
    found = {one["user_name"] for one in design.who("park_t.parked")["users"]}
    assert {"lane_par", "lane_out"} <= found
    assert not {"host", "lane_user", "lane_any", "bench", "holder"} & found


def test_a_handle_in_an_object_of_an_unknown_class_is_a_candidate(design: Project) -> None:
    found = {one["location"]: one for one in design.who("park_if.parked")["users"]}
    one = found[f"lanes.sv:{line_of('wait (cfg')}"]
    assert (one["resolved"], one["words"]) == ("candidate", "uses")
    assert f"lanes.sv:{line_of('wait (cfg')}" not in users(design, "holder.parked").values()
