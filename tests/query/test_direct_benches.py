"""Questions about a testbench: keys, classes, sequences, plusargs, messages, coverage, checks."""

from __future__ import annotations

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.project import Project
from hdlgraph.query.answer.direct.subjects import plain

FILES = {
    "dv/bell_pkg.sv": """\
package bell_pkg;
  import uvm_pkg::*;
  class bell_item extends uvm_sequence_item;
  endclass
  class bell_driver extends uvm_driver #(bell_item);
    virtual bell_if bell_vif;
    function void build_phase(uvm_phase phase);
      if (!uvm_config_db#(virtual bell_if)::get(this, "", "bell_vif", bell_vif))
        `uvm_fatal("bell", "no rope hangs from the tower")
    endfunction
  endclass
  class loud_driver extends bell_driver;
  endclass
  class bell_monitor extends uvm_monitor;
    uvm_analysis_port #(bell_item) ring_port;
  endclass
  class bell_cov extends uvm_component;
    covergroup toll_cg;
      cp_hour: coverpoint hour;
    endgroup
  endclass
  class bell_scoreboard extends uvm_scoreboard;
    uvm_tlm_analysis_fifo #(bell_item) ring_fifo;
    uvm_tlm_analysis_fifo #(bell_item) by_name[string];
    bell_cov cov;
    task run_phase(uvm_phase phase);
      cov.toll_cg.sample();
    endtask
  endclass
  class bell_env extends uvm_env;
    bell_monitor monitor;
    bell_driver driver;
    bell_scoreboard scoreboard;
    function void build_phase(uvm_phase phase);
      monitor = bell_monitor::type_id::create("monitor", this);
      driver = bell_driver::type_id::create("driver", this);
      scoreboard = bell_scoreboard::type_id::create("scoreboard", this);
    endfunction
    function void connect_phase(uvm_phase phase);
      monitor.ring_port.connect(scoreboard.ring_fifo.analysis_export);
      monitor.ring_port.connect(scoreboard.by_name[{"of_", ropes[i].id}].analysis_export);
    endfunction
  endclass
  class bell_seq extends uvm_sequence #(bell_item);
  endclass
  class bell_vseq extends uvm_sequence #(bell_item);
    task body();
      bell_seq seq = bell_seq::type_id::create("seq");
      seq.start(p_sequencer);
    endtask
  endclass
  class bell_any_vseq extends uvm_sequence #(bell_item);
    task body();
      string names[] = {"bell_seq", "bell_vseq"};
      bell_seq any;
      any = create_seq_by_name(names[0]);
      any.start(p_sequencer);
    endtask
  endclass
  class bell_test extends uvm_test;
    bell_env env;
    function void build_phase(uvm_phase phase);
      bell_driver::type_id::set_type_override(loud_driver::get_type());
      void'($value$plusargs("ropes=%0d", ropes));
      if ($test$plusargs("mute_bells")) quiet = 1;
    endfunction
  endclass
endpackage
""",
    "dv/tb.sv": """\
module tb;
  import bell_pkg::*;
  bell_if pins();
  tower dut ();
  initial begin
    uvm_config_db#(virtual bell_if)::set(null, "*.env.*", "bell_vif", pins);
    run_test();
  end
endmodule
interface bell_if;
  logic clk, rope;
endinterface
""",
    "dv/bell_sim_cfg.hjson": """\
{
  name: bell
  dut: tower
  tb: tb
  import_cfgs: ["{proj_root}/dv/stress_tests.hjson"]
  uvm_test: bell_test
  uvm_test_seq: bell_seq
  tests: [
    {
      name: bell_all
      reseed: 100
    }
  ]
}
""",
    "dv/stress_tests.hjson": """\
{
  tests: [
    {
      name: "{name}_all"
      uvm_test_seq: "{name}_any_vseq"
    }
  ]
}
""",
    "dv/bind.sv": """\
module rope_checks (input logic clk_i);
  covergroup rope_cg @(posedge clk_i);
  endgroup
endmodule
module belfry (input logic clk_i);
  tower u_tower (.clk_i);
endmodule
module hall (input logic clk_i);
  tower u_other (.clk_i);
endmodule
module bell_bind;
  bind tower: belfry.u_tower rope_checks u_checks (.clk_i);
endmodule
""",
    "rtl/tower.sv": """\
module tower (input logic clk_i, input logic rope_i, output logic bell_o);
  assign bell_o = rope_i;
  RopeKnown_A : assert property (@(posedge clk_i) !$isunknown(rope_i));
endmodule
""",
}


@pytest.fixture(scope="module")
def bells(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("bells")
    for path, text in FILES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    project = Project(root)
    project.index(embeddings=False, graphrag="never", jobs=1)
    return project


def line(path: str, text: str) -> str:
    lines = FILES[path].split("\n")
    number = next(n for n, one in enumerate(lines, 1) if text in one)
    return f"{number}| "


CASES = (
    ("who sets and gets the config_db key bell_vif?", "is set by", "dv/tb.sv", '"bell_vif", pins'),
    ("where is bell_vif read from the config_db?", "is read by", "dv/bell_pkg.sv", '"bell_vif", b'),
    ("who creates bell_monitor?", "is created by", "dv/bell_pkg.sv", "monitor = bell_mon"),
    ("which sequence starts bell_seq?", "is started by", "dv/bell_pkg.sv", "seq.start("),
    ("which sequences does bell_vseq start?", "bell_vseq starts", "dv/bell_pkg.sv", "seq.start("),
    (
        "what does bell_any_vseq start?",
        "one of bell_seq",
        "dv/bell_pkg.sv",
        "any.start(",
    ),
    ("which class overrides bell_driver?", "loud_driver", "dv/bell_pkg.sv", "set_type_override"),
    (
        "what is bell_monitor.ring_port connected to?",
        "bell_scoreboard.ring_fifo",
        "dv/bell_pkg.sv",
        "ring_port.connect",
    ),
    ("which plusargs are read by bell_test?", "mute_bells", "dv/bell_pkg.sv", '"ropes=%0d"'),
    ("who reads the plusarg mute_bells?", "is read by", "dv/bell_pkg.sv", '"mute_bells"'),
    ("what does the plusarg ropes do?", "is read by", "dv/bell_pkg.sv", '"ropes=%0d"'),
    (
        "who raises the error message no rope hangs from the tower?",
        "That message",
        "dv/bell_pkg.sv",
        "no rope hangs",
    ),
    ("which covergroups does bell_cov have?", "toll_cg", "dv/bell_pkg.sv", "cp_hour"),
    ("who samples toll_cg?", "sampled in", "dv/bell_pkg.sv", "toll_cg.sample"),
    ("which tests exercise tower?", "bell_all: UVM test bell_test", "dv/tb.sv", "tower dut"),
    (
        "which tests run bell_any_vseq?",
        "bell_all of bell (dv/stress_tests.hjson:3)",
        "dv/bell_pkg.sv",
        "class bell_any_vseq",
    ),
    ("which test runs bell_seq?", "through bell_any_vseq", "dv/bell_pkg.sv", "class bell_seq"),
    ("which testbench holds tower?", "tb (dv/tb.sv:1) as tb.dut", "dv/tb.sv", "tower dut"),
    ("which tests cover belfry?", "No test of belfry is listed", "dv/bind.sv", "module belfry"),
    (
        "which coverage is there for belfry?",
        "rope_cg of rope_checks, bound to tower",
        "dv/bind.sv",
        "covergroup rope_cg",
    ),
    ("what is bound to tower?", "rope_checks as u_checks", "dv/bind.sv", "bind tower"),
    ("which assertions does tower have?", "RopeKnown_A", "rtl/tower.sv", "RopeKnown_A"),
)


@pytest.mark.parametrize(("question", "said", "path", "text"), CASES)
def test_a_question_about_a_testbench_begins_with_its_answer(
    bells: Project, question: str, said: str, path: str, text: str
):
    answer = bells.ask(question, writer="extractive")
    begin = answer.text.partition("Most likely")[0]
    assert said in begin
    assert line(path, text) in begin
    assert path in begin


@pytest.mark.parametrize(
    "question",
    [
        "who creates tower?",
        "how does the bell_driver work?",
        "which plusargs are there?",
        "who starts the bells?",
        "what is the config_db for?",
    ],
)
def test_in_doubt_the_answer_stays(bells: Project, question: str):
    answer = bells.ask(question, writer="extractive")
    for said in ("is created by:", "is started by:", "is set by:", "reads the plusargs:"):
        assert said not in answer.text


def test_a_test_that_is_listed_twice_is_merged(bells: Project):
    (found,) = bells.testbench("bell_all")["found"]
    assert (found["test"], found["sequence"]) == ("bell_test", "bell_any_vseq")
    assert found["location"] == "dv/stress_tests.hjson:3"
    answer = bells.ask("which test runs bell_any_vseq?", writer="extractive")
    assert "bell_all of bell" in answer.text


def test_what_is_bound_to_an_instance_is_in_no_other(bells: Project):
    (hall,) = bells.testbench("hall")["found"]
    (belfry,) = bells.testbench("belfry")["found"]
    assert hall["bound"] == []
    assert [one["into"] for one in belfry["bound"]] == ["belfry.u_tower"]


def test_covergroups_and_assertions_are_names(bells: Project):
    (group,) = bells.show("toll_cg")["definitions"]
    assert (group["kind"], group["name"]) == ("covergroup", "bell_cov.toll_cg")
    (point,) = bells.show("bell_cov.toll_cg.cp_hour")["definitions"]
    assert point["kind"] == "coverpoint"
    users = bells.who("toll_cg")["users"]
    assert [(one["words"], one["user_name"].rpartition(".")[2]) for one in users] == [
        ("samples", "bell_scoreboard")
    ]
    (check,) = bells.show("tower.RopeKnown_A")["definitions"]
    assert (check["kind"], check["location"]) == ("assert", "rtl/tower.sv:3")
    with pytest.raises(UsageError, match="nothing is called"):
        bells.show("tower.toll_cg")


def test_a_class_that_replaces_another_is_used(bells: Project):
    users = bells.who("loud_driver")["users"]
    assert [(one["user_name"], one["words"]) for one in users] == [
        ("bell_test", "puts it in the place of bell_driver")
    ]
    (found,) = bells.testbench("loud_driver")["found"]
    assert [one["kind"] for one in found["used_by"]] == ["OVERRIDES"]


def test_an_index_may_have_brackets_and_dots(bells: Project):
    (found,) = bells.testbench("bell_env")["found"]
    assert [one["to"]["port"] for one in found["connections"]] == [
        "ring_fifo.analysis_export",
        'by_name[{"of_", ropes[i].id}].analysis_export',
    ]


def test_a_unit_has_its_assertions_and_a_class_its_covergroups(bells: Project):
    (tower,) = bells.show("tower")["definitions"]
    assert [(one["kind"], one["name"]) for one in tower["checks"]] == [("assert", "RopeKnown_A")]
    (cov,) = bells.show("bell_cov")["definitions"]
    assert [(one["kind"], one["name"]) for one in cov["checks"]] == [("covergroup", "toll_cg")]


def test_what_ends_a_question_is_left_out_in_no_time() -> None:
    assert plain("Who creates the driver, please?! ") == "Who creates the driver"
    assert plain("?" * 300 + "x") == "?" * 300 + "x"  # each more mark had doubled the time
