"""Lists of tests in the form of riscv-dv, and targets of cores that stand behind a merge."""

from __future__ import annotations

from typing import Any

import pytest
from _texts import indexed

from hdlgraph.index.verification.foreign import programs
from hdlgraph.index.verification.riscv_dv import listed_tests
from hdlgraph.project import Project

FILES = {
    "dv/mill_pkg.sv": """\
package mill_pkg;
  import uvm_pkg::*;
  class mill_env extends uvm_env;
  endclass
  class grind_seq extends uvm_sequence;
  endclass
  class mill_base_test extends uvm_test;
    mill_env env;
    function void build_phase(uvm_phase phase);
      env = mill_env::type_id::create("env", this);
    endfunction
  endclass
  class mill_flood_test extends mill_base_test;
    grind_seq grind;
    task run_phase(uvm_phase phase);
      grind = grind_seq::type_id::create("grind");
      grind.start(null);
    endtask
  endclass
endpackage
""",
    "dv/tb.sv": """\
module mill_tb;
  import mill_pkg::*;
  mill dut ();
  initial run_test();
endmodule
""",
    "rtl/mill.sv": "module mill (input logic water_i);\nendmodule\n",
    "dv/tests/testlist.yaml": """\
- import: <root>/yaml/base_testlist.yaml
- test: dry_wheel
  description: >
    No water
    for an hour
  iterations: 2
  gen_opts: >
    +water=0
  rtl_test: mill_base_test
- test: flood
  description: Too much of it
  rtl_test: mill_flood_test
  sim_opts: [+water=9, +rain]
""",
    "dv/directed/testlist_directed.yaml": """\
common: &common
  rtl_test: mill_flood_test
configs:
- config: slow
  rtl_test: mill_base_test
tests:
- test: creek
  <<: *common
- test: brook
  config: slow
""",
    "dv/base_sim_cfg.hjson": """\
{
  name: mill
  tb: mill_tb
  uvm_test: mill_base_test
  tests: [
    { name: "{variant}_smoke" }
  ]
}
""",
    "dv/water_sim_cfg.hjson": """\
{
  variant: mill_water
  import_cfgs: ["{proj_root}/dv/base_sim_cfg.hjson"]
}
""",
    "other/notes.yaml": "- test: never\n",
    "mill.core": """\
CAPI=2:
name: "a:b:mill"
targets:
  default: &default_target
    toplevel: mill
  lint:
    <<: *default_target
  sim: &sim_target
    <<: *default_target
    default_tool: verilator
  sim_fast:
    <<: [*sim_target]
""",
}


@pytest.fixture(scope="module")
def mill(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("mill")
    return indexed(root, FILES)


def only(project: Project, name: str) -> dict[str, Any]:
    (found,) = project.testbench(name)["found"]
    return found


def test_a_test_of_such_a_list_has_its_class_testbench_and_options(mill: Project):
    found = only(mill, "flood")
    assert found["location"] == "dv/tests/testlist.yaml:10"
    assert found["about"] == "Too much of it"
    assert found["class"]["location"] == "dv/mill_pkg.sv:13"
    assert [one["location"] for one in found["benches"]] == ["dv/tb.sv:1"]
    assert [one["name"] for one in found["envs"]] == ["mill_env"]
    assert [one["sequence"] for one in found["starts"]] == ["grind_seq"]
    assert found["options"] == {"sim_opts": "+water=9 +rain"}
    dry = only(mill, "dry_wheel")
    assert dry["about"] == "No water for an hour"
    assert dry["options"] == {"gen_opts": "+water=0", "iterations": "2"}


def test_merges_and_configurations_count(mill: Project):
    assert only(mill, "creek")["test"] == "mill_flood_test"
    assert only(mill, "brook")["test"] == "mill_base_test"


def test_settings_that_others_import_are_filled_with_what_these_say(mill: Project):
    found = only(mill, "mill_water_smoke")
    assert (found["test"], found["location"]) == ("mill_base_test", "dv/base_sim_cfg.hjson:6")
    assert [one["location"] for one in found["benches"]] == ["dv/tb.sv:1"]
    assert [one["name"] for one in only(mill, "mill_base_test")["tests"]] == [
        "mill_water_smoke",
        "brook",
        "dry_wheel",
    ]


def test_a_unit_has_the_tests_of_all_lists(mill: Project):
    (bench,) = only(mill, "mill")["testbenches"]
    assert [(one["path"], one["n_tests"]) for one in bench["lists"]] == [
        ("dv/directed/testlist_directed.yaml", 2),
        ("dv/tests/testlist.yaml", 2),
        ("dv/water_sim_cfg.hjson", 1),
    ]
    names = ["creek", "brook", "dry_wheel", "flood", "mill_water_smoke"]
    assert [one["name"] for one in bench["tests"]] == names
    assert [one["name"] for one in only(mill, "mill_flood_test")["tests"]] == ["creek", "flood"]


def test_a_changed_list_is_read_again(mill: Project):
    path = mill.root / "dv/tests/testlist.yaml"
    path.write_text(FILES["dv/tests/testlist.yaml"] + "- test: thaw\n  rtl_test: mill_base_test\n")
    mill.index(embeddings=False, graphrag="never", jobs=1)
    assert only(mill, "thaw")["class"]["name"] == "mill_base_test"
    path.write_text(FILES["dv/tests/testlist.yaml"])
    mill.index(embeddings=False, graphrag="never", jobs=1)


@pytest.mark.parametrize(
    "text",
    [
        "- test: a\n- &x [*x, *x]\n",
        "- test: a\n" + "- " * 3000 + "b",
        "- test: a\n- {test: [}\n",
        "- test: a\n\x00",
        "- test: a\n- !!python/object/apply:os.system ['true']\n",
        "- {test: a, <<: *nothing}\n- <<: *more\n",
        "a: &a\n  test: a\nlist:\n- <<: *a\n- test: a\n",
    ],
)
def test_hostile_lists_do_no_harm(text: str):
    found = listed_tests("testlist.yaml", text)
    assert {one.name for one in found.tests} <= {"a"}


def test_a_target_may_take_its_top_from_another():
    found = list(programs("mill.core", FILES["mill.core"]))
    assert [(one.name, one.unit, one.line) for one in found] == [
        ("sim", "mill", 9),
        ("sim_fast", "mill", 12),
    ]


def test_what_verilator_makes_of_a_unit_names_it_once():
    text = '#include "Vmill__Syms.h"\n#include "Vmill.h"\n#include "Vmill__Dpi.h"\n'
    assert [one.unit for one in programs("main.cc", text)] == ["mill"]
