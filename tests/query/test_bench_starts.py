"""Sequences that are made by name, overrides under a condition, and what bases do."""

from __future__ import annotations

from typing import Any

import pytest
from _texts import indexed

from hdlgraph.index.verification.scan import scan
from hdlgraph.project import Project
from hdlgraph.serve.verification.text import show_testbench

CODE = """\
package oven_pkg;
  import uvm_pkg::*;
  class heat_seq extends uvm_sequence;
  endclass
  class hot_seq extends heat_seq;
  endclass
  class cold_seq extends heat_seq;
  endclass
  class oven_driver extends uvm_driver;
  endclass
  class fast_driver extends oven_driver;
  endclass
  class slow_driver extends oven_driver;
  endclass
  class oven_base_vseq extends uvm_sequence;
    task bake(string mode, int n);
      heat_seq heat = heat_seq::type_id::create("heat");
      case (mode)
        "fast", "quick": oven_driver::type_id::set_type_override(fast_driver::get_type());
        default: begin
          if (n > 2) oven_driver::type_id::set_type_override(slow_driver::get_type());
          else oven_driver::type_id::set_type_override(fast_driver::get_type());
        end
      endcase
      heat.start(null);
    endtask
    function uvm_sequence create_any_by_name(string name);
    endfunction
  endclass
  class oven_any_vseq extends oven_base_vseq;
    task body();
      string names[] = {"hot_seq", "cold_seq", "no_seq", "oven_driver"};
      uvm_sequence seq;
      heat_seq heat, other;
      seq = create_any_by_name(names[0]);
      `downcast(heat, seq)
      heat.start(null);
      other = heat_seq::type_id::create("other");
      other.start(null);
      $cast(other, factory.create_object_by_name("hot_seq", "", "x"));
    endtask
  endclass
endpackage
"""


@pytest.fixture(scope="module")
def oven(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("oven")
    return indexed(root, {"oven_pkg.sv": CODE})


def only(project: Project, name: str) -> dict[str, Any]:
    (found,) = project.testbench(name)["found"]
    return found


def test_what_is_made_by_name_has_a_declared_type_and_names():
    acts = [act for act in scan(CODE.encode()).acts if act.kind == "named"]
    names = "hot_seq,cold_seq,no_seq,oven_driver,other"
    assert [(act.left, act.right, act.how) for act in acts] == [
        ("seq", names, "create_any_by_name"),
        ("heat", names, "create_any_by_name"),
        ("other", "hot_seq", "create_object_by_name"),
    ]


def test_a_sequence_made_by_name_is_one_of_the_classes_that_are_named(oven: Project):
    named, sure, inherited = only(oven, "oven_any_vseq")["starts"]
    assert (named["sequence"], named["by_name"]) == ("heat_seq", "create_any_by_name")
    assert [one["name"] for one in named["may_be"]] == ["hot_seq", "cold_seq"]
    assert (sure["sequence"], sure["by_name"], sure["base"]) == ("heat_seq", "", "")
    assert (inherited["sequence"], inherited["base"]) == ("heat_seq", "oven_base_vseq")
    (user,) = only(oven, "cold_seq")["used_by"]
    assert (user["kind"], user["class"]) == ("STARTS", "oven_any_vseq")


def test_an_override_has_the_conditions_around_it(oven: Project):
    found = only(oven, "oven_base_vseq")["overrides"]
    assert [one["condition"] for one in found] == [
        'mode is "fast", "quick"',
        "mode is none of the others and n > 2",
        "mode is none of the others and not (n > 2)",
    ]


def test_what_bases_do_stands_behind_what_the_class_does(
    oven: Project, capsys: pytest.CaptureFixture[str]
):
    show_testbench(oven.testbench("oven_any_vseq"))
    text = " ".join(capsys.readouterr().out.split())
    starts = text.partition("starts:")[2]
    own = starts.index("declared type heat_seq, made by name, one of hot_seq, cold_seq on null")
    assert own < starts.index("from oven_base_vseq: heat_seq (oven_pkg.sv:25)")
    assert "from oven_base_vseq: oven_driver by fast_driver if mode is" in text
