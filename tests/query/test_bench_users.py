"""Who writes the name of a class or of a virtual interface, binds, and walks over bases."""

from __future__ import annotations

from typing import Any

import pytest
from _texts import indexed

from hdlgraph.project import Project

FILES = {
    "dv/loom_pkg.sv": """\
package loom_pkg;
  import uvm_pkg::*;
  typedef virtual loom_if loom_vif;
  class loom_cov extends uvm_component;
    `uvm_component_utils(loom_cov)
  endclass : loom_cov
  class loom_agent_base #(type COV_T = int) extends uvm_agent;
    // loom_cov is what COV_T is by default
    COV_T cov;
  endclass
  class loom_agent extends loom_agent_base #(
    .COV_T (loom_cov)
  );
    loom_vif vif;
    virtual loom_if #(3) other;
    function void build_phase(uvm_phase phase);
      if (!uvm_config_db#(loom_vif)::get(this, "", "vif", vif)) `uvm_fatal("loom_cov", "no loom_if")
      loom_cov::reset_all();
    endfunction
  endclass
  class thread_seq extends uvm_sequence;
  endclass
  class loom_base_vseq extends uvm_sequence;
    task body();
      thread_seq t = thread_seq::type_id::create("t");
      t.start(null);
    endtask
  endclass
  class loom_mid_vseq extends loom_base_vseq;
  endclass
  class loom_smoke_vseq extends loom_mid_vseq;
  endclass
endpackage
""",
    "dv/loom_if.sv": "interface loom_if #(int W = 1) (input logic clk);\nendinterface\n",
    "dv/tb.sv": """\
module tb;
  import loom_pkg::*;
  loom_if pins (.clk(1'b0));
  loom dut (.clk(1'b0));
  initial begin
    uvm_config_db#(virtual loom_if)::set(null, "*", "vif", pins);
    run_test();
  end
endmodule
""",
    "dv/loom_bind.sv": """\
module loom_bind;
  bind loom loom_checks u_checks (.clk);
endmodule
module loom_checks (input logic clk);
endmodule
""",
    "dv/shed.sv": """\
module shed;
  import "DPI-C" c_weigh = function int weigh(int thread);
  // weigh(3) is what the merchant does
  function int twice(int thread);
    return 2 * weigh(thread);
  endfunction
  initial begin
    if (weigh( 1) > 2) $display("weigh(2)");
    scales.weigh(3);
  end
endmodule
""",
    "rtl/loom.sv": "module loom (input logic clk);\nendmodule\n",
}


@pytest.fixture(scope="module")
def loom(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("loom")
    return indexed(root, FILES)


def told(project: Project, name: str) -> list[tuple[str, str]]:
    found: dict[str, Any] = project.who(name)
    assert found["total"] == len(found["users"])
    return sorted((one["location"], one["words"]) for one in found["users"])


def test_a_class_is_used_where_it_is_a_type_argument(loom: Project):
    assert told(loom, "loom_cov") == [
        ("dv/loom_pkg.sv:12", "gives as a type"),
        ("dv/loom_pkg.sv:18", "uses"),
    ]


def test_a_virtual_interface_is_used_under_other_names_as_well(loom: Project):
    assert told(loom, "loom_if") == [
        ("dv/loom_pkg.sv:14", "has a variable of"),
        ("dv/loom_pkg.sv:15", "uses"),
        ("dv/loom_pkg.sv:17", "gets from config_db"),
        ("dv/loom_pkg.sv:3", "has a typedef of"),
        ("dv/tb.sv:3", "instantiates"),
        ("dv/tb.sv:6", "sets in config_db"),
    ]


def test_a_bind_is_told_once(loom: Project):
    assert told(loom, "loom_checks") == [("dv/loom_bind.sv:2", "binds")]


def test_a_way_between_classes_goes_over_what_they_extend_and_start(loom: Project):
    walk = loom.path("loom_smoke_vseq", "thread_seq")["walks"][0]
    assert [one["words"] for one in walk["steps"]][:2] == ["extends", "extends"]
    assert [(one["kind"], one["location"]) for one in walk["steps"]][2:] == [
        ("STARTS", "dv/loom_pkg.sv:26")
    ]
    back = loom.path("thread_seq", "loom_smoke_vseq")["walks"][0]
    assert [one["kind"] for one in back["steps"]] == ["STARTS", "EXTENDS", "EXTENDS"]
    assert [one["forward"] for one in back["steps"]] == [False, False, False]


def test_a_function_of_dpi_has_its_callers(loom: Project):
    (found,) = loom.testbench("c_weigh")["found"]
    assert found["n_callers"] == 2
    assert [(one["unit"], one["location"]) for one in found["callers"]] == [
        ("shed", "dv/shed.sv:5"),
        ("shed", "dv/shed.sv:8"),
    ]
    assert loom.testbench("weigh", limit=1)["found"][0]["callers"] == found["callers"][:1]
