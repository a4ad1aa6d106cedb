"""Names of enumerations and fields of structs; paths through instances to units and signals."""

from __future__ import annotations

from pathlib import Path

import pytest
from _texts import indexed

from hdlgraph.errors import UsageError
from hdlgraph.project import Project

PACKAGE = """package bus_pkg;
  typedef enum logic [1:0] {
    BusIdle = 2'b00, // nothing to do
    BusWait = 2'b01
  } bus_state_e;
  typedef struct packed {
    logic       valid;
    logic [7:0] load;
  } req_t;
endpackage
"""
LEAF = """module leaf import bus_pkg::*; (input req_t req_i, output logic busy_o);
  bus_state_e state;
  // BusWait in a comment
  assign busy_o = state == BusWait && req_i.valid;
  always_comb
    case (state)
      BusIdle, BusWait: ;
    endcase
endmodule
"""
MIDDLE = """module middle (input bus_pkg::req_t r, output logic b);
  if (1) begin : gen_one
    leaf u_leaf (.req_i(r), .busy_o(b));
  end
  wire idle = bus_pkg::BusIdle == 0;
endmodule
module top (input bus_pkg::req_t r, output logic b);
  middle u_middle (.r, .b);
endmodule
module other;
  typedef enum {BusWait, More} own_e;
  own_e a = BusWait;
endmodule
"""


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("members")
    for name, text in (("bus_pkg", PACKAGE), ("leaf", LEAF), ("middle", MIDDLE)):
        (folder / f"{name}.sv").write_text(text)
    project = Project(folder)
    project.index(graphrag="never", embeddings=False, jobs=1)
    return project


def lines(found: dict) -> list[tuple[str, str]]:
    return [(one["location"], one["user_name"]) for one in found["users"]]


def test_a_name_of_an_enumeration(design: Project) -> None:
    found = design.who("BusIdle")
    (target,) = found["targets"]
    member = target["member"]
    assert (member["location"], member["type"], target["name"]) == (
        "bus_pkg.sv:3", "2'b00", "bus_pkg.bus_state_e",
    )  # fmt: skip
    assert lines(found) == [("leaf.sv:7", "leaf"), ("middle.sv:5", "middle")]
    assert found["total"] == 2
    assert design.show("BusIdle")["definitions"][0]["member"]["line"] == 3


def test_equal_names_of_several_enumerations(design: Project) -> None:
    found = design.who("BusWait")
    assert [one["member"]["location"] for one in found["targets"]] == [
        "bus_pkg.sv:4", "middle.sv:11",
    ]  # fmt: skip
    assert lines(found) == [("leaf.sv:4", "leaf"), ("leaf.sv:7", "leaf"), ("middle.sv:12", "other")]
    assert lines(design.who("other::BusWait")) == [("middle.sv:12", "other")]


def test_a_field_of_a_struct(design: Project) -> None:
    found = design.who("req_t.valid")
    assert found["targets"][0]["member"]["line"] == 7
    assert lines(found) == [("leaf.sv:4", "leaf")]


def test_the_type_has_its_own_users(design: Project) -> None:
    found = design.who("bus_state_e")
    assert "member" not in found["targets"][0]
    assert lines(found) == [("leaf.sv:2", "leaf")]


def test_paths_lead_to_instances_and_signals(design: Project) -> None:
    for path in ("top.u_middle.gen_one.u_leaf", "top.u_middle.u_leaf", "top.u_middle[0].u_leaf"):
        (one,) = design.show(path)["definitions"]
        assert (one["kind"], one["name"]) == ("instance", "middle.gen_one.u_leaf")
    (port,) = design.show("top.u_middle.u_leaf.req_i")["definitions"]
    assert (port["kind"], port["name"]) == ("port", "leaf.req_i")
    users = design.who("top.u_middle.u_leaf")["users"]
    assert {one["user_name"] for one in users} >= {"middle.r", "middle.b"}
    found = design.trace("top.u_middle.u_leaf.req_i", ("drivers",), 3)["drivers"]["nets"]
    assert [net["signal"] for net in found] == ["leaf.req_i", "middle.r", "top.r"]


def test_paths_that_lead_nowhere_say_where_they_end(design: Project) -> None:
    with pytest.raises(UsageError, match=r"'u_laef' in module middle \(middle.sv:1\); did you"):
        design.show("top.u_middle.u_laef.req_i")
    with pytest.raises(UsageError, match=r"'top.u_middle' is an instance of middle, no signal"):
        design.trace("top.u_middle")


def test_what_a_header_declares_is_seen_by_those_that_import_the_package_around_it(
    tmp_path: Path,
) -> None:
    texts = {
        "types.svh": "typedef enum logic {OP_XOR, OP_OR} op_e;\n"
        "typedef struct packed {\n  op_e op;\n} decode_s;\nlocalparam int OPS = 2;\n",
        "all.svh": '`include "types.svh"\n',
        "core_pkg.sv": 'package core_pkg;\n  `include "all.svh"\nendpackage\n',
        "alu.sv": "module alu import core_pkg::*; (input decode_s d, output logic [OPS-1:0] q);\n"
        "  assign q = d.op == OP_XOR;\nendmodule\n",
        "far.sv": "module far (output logic q);\n  assign q = core_pkg::OP_XOR;\nendmodule\n",
        "else.sv": "module alone (output logic q);\n  assign q = OP_XOR + OPS;\n  decode_s d;\n"
        "endmodule\n",
    }
    project = indexed(tmp_path, texts)
    assert lines(project.who("OP_XOR")) == [("alu.sv:2", "alu"), ("far.sv:2", "far")]
    assert lines(project.who("OPS")) == [("alu.sv:1", "alu")]
    assert lines(project.who("decode_s")) == [("alu.sv:1", "alu")]
    assert lines(project.who("op_e")) == [("types.svh:3", "types.svh")]


TYPED = {
    "core_pkg.sv": """package core_pkg;
  typedef enum {FENCE_I, WFI} op_e;
  typedef struct packed { logic valid; logic [1:0] cause; } fault_t;
  typedef struct packed { logic [3:0] id; op_e op; fault_t fault; } entry_t;
  typedef struct packed { logic [3:0] id; } request_t;
  typedef entry_t entry_alias_t;
  function automatic logic wfi(); return 0; endfunction
endpackage
""",
    "issue.sv": """module issue import core_pkg::*; #(parameter type T = entry_t) (
  input entry_t [1:0] entry_i, input request_t req_i, input T any_i, input entry_alias_t also_i,
  output logic [3:0] q, output logic r);
  assign q = entry_i[0].id + req_i.id;
  assign r = req_i.id == 1;
  assign s = entry_i[1].fault.valid && also_i.id == 2;
  assign t = any_i.id;
  stage u_stage (.id(req_i.id), .op(WFI));
  struct packed { logic [3:0] id; } own_d, own_q;
  assign own_d = own_q.id;
endmodule
module control (input logic fence_i, input logic wfi_op);
endmodule
""",
}


@pytest.fixture(scope="module")
def types(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("typed")
    return indexed(folder, TYPED)


def told(found: dict) -> list[tuple[str, str]]:
    return [(one["location"], one["resolved"]) for one in found["users"]]


def test_a_value_comes_before_a_name_in_another_case(types: Project) -> None:
    assert types.who("FENCE_I")["targets"][0]["name"] == "core_pkg.op_e"
    assert lines(types.who("WFI")) == [("issue.sv:8", "issue")]
    assert types.who("fence_i")["targets"][0]["name"] == "control.fence_i"
    assert types.who("Fence_I")["targets"][0]["name"] == "control.fence_i"
    assert types.who("wfi")["targets"][0]["name"] == "core_pkg.wfi"


def test_a_field_is_that_of_the_named_type(types: Project) -> None:
    of_entry = [("issue.sv:4", "unique"), ("issue.sv:6", "unique"), ("issue.sv:7", "candidate")]
    assert told(types.who("entry_t.id")) == of_entry
    assert told(types.who("core_pkg::entry_t.id")) == of_entry
    assert told(types.who("entry_alias_t.id")) == of_entry
    assert told(types.who("request_t.id")) == [
        ("issue.sv:4", "unique"), ("issue.sv:5", "unique"), ("issue.sv:7", "candidate"),
        ("issue.sv:8", "unique"),
    ]  # fmt: skip
    assert [one["name"] for one in types.who("request_t.id")["targets"]] == ["core_pkg.request_t"]
    assert told(types.who("fault_t.valid")) == [("issue.sv:6", "unique")]


def test_a_field_of_a_signal_is_that_of_its_type_alone(types: Project) -> None:
    def named(name: str) -> list[str]:
        return [one["location"] for one in types.who(name)["users"] if one["kind"] == "USES"]

    assert named("req_i.id") == ["issue.sv:4", "issue.sv:5", "issue.sv:8"]
    assert named("issue.req_i.id") == ["issue.sv:4", "issue.sv:5", "issue.sv:8"]
    assert named("entry_i.fault.valid") == ["issue.sv:6"]
    assert named("own_q.id") == ["issue.sv:10"]
    assert types.show("entry_i.fault.valid")["definitions"][0]["name"] == "core_pkg.fault_t"


def test_types_and_members_that_are_not_there_are_errors(types: Project) -> None:
    with pytest.raises(UsageError, match=r"'nosuch_t'.* did you mean core_pkg.entry_t, core_pkg"):
        types.who("nosuch_t.id")
    with pytest.raises(UsageError, match=r"type core_pkg.entry_t .* no member 'falt'.* mean fault"):
        types.who("entry_t.falt")
    with pytest.raises(UsageError, match="has no member 'op'; it has id"):
        types.show("req_i.op")


HOLDERS = {
    "bus_pkg.sv": """package bus_pkg;
  typedef struct packed {
    logic valid; // there is one
    logic [7:0] load;
  } req_t;
  typedef struct packed { logic valid; } other_t;
endpackage
""",
    "bus_if.sv": """interface bus_if (input clk);
  import bus_pkg::*;
  req_t req;
  logic valid;
  clocking cb @(posedge clk);
    output req;
  endclocking
endinterface
""",
    "dv_pkg.sv": """package dv_pkg;
  import bus_pkg::*;
  class item;
    rand logic valid;
  endclass
  class base;
    virtual bus_if vif;
  endclass
  class driver extends base;
    task send(item it, bus_pkg::req_t r);
      it.valid = 1;
      vif.cb.req.valid <= it.valid;
      vif.req.valid = 0;
      vif.valid = 1;
      r.valid = 1;
      foreign.valid = 1;
    endtask
  endclass
endpackage
""",
    "unit.sv": """module unit import bus_pkg::*;
  (bus_if bus, input logic c, output req_t q, output other_t o);
  always_comb begin
    automatic other_t mine;
    mine.valid = bus.valid;
    q = '{
      valid: c ? bus.req.valid : 1'b0,
      load: 0};
    o = '{valid: 1'b1};
    case (c)
      valid: ;
    endcase
  end
endmodule
""",
}


HOLDERS["own.sv"] = """module own (input logic c);
  struct packed {
    logic valid;
  } first,
    second,
    third;
  assign first.valid = c;
  assign second.valid = third.valid;
endmodule
"""


@pytest.fixture(scope="module")
def holders(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("holders")
    return indexed(folder, HOLDERS)


def test_fields_of_classes_and_interfaces_are_no_fields_of_a_struct(holders: Project) -> None:
    assert told(holders.who("req_t.valid")) == [
        ("dv_pkg.sv:12", "unique"), ("dv_pkg.sv:13", "unique"), ("dv_pkg.sv:15", "unique"),
        ("dv_pkg.sv:16", "candidate"), ("unit.sv:7", "unique"),
    ]  # fmt: skip
    assert told(holders.who("other_t.valid")) == [
        ("dv_pkg.sv:16", "candidate"), ("unit.sv:5", "unique"), ("unit.sv:9", "unique"),
    ]  # fmt: skip


def test_variables_of_one_type_without_a_name_share_its_fields(holders: Project) -> None:
    def lines_of(name: str) -> list[tuple[str, str]]:
        users = holders.who(name)["users"]
        return told({"users": [one for one in users if one["kind"] == "USES"]})

    assert lines_of("own.first.valid") == [("own.sv:7", "unique"), ("own.sv:8", "unique")]
    assert lines_of("own.third.valid") == [("own.sv:8", "unique")]


def test_a_field_is_shown_with_the_count_of_its_lines(
    holders: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    from hdlgraph.serve.cli.text.definitions import show_definitions

    found = holders.show("req_t.valid")
    assert found["definitions"][0]["member"]["n_uses"] == 5
    show_definitions(found)
    rows = [row.split() for row in capsys.readouterr().out.splitlines()]
    assert rows == [
        ["field", "bus_pkg.req_t.valid", "bus_pkg.sv:3"],
        ["logic", "(1", "bit)"],
        ["there", "is", "one"],
        ["of", "type", "bus_pkg.req_t", "bus_pkg.sv:2"],
        ["named", "on", "5", "lines", "(`hdlgraph", "who`", "lists", "them)"],
    ]


def test_escaped_names_are_found_with_and_without_their_backslash(tmp_path: Path) -> None:
    (tmp_path / "odd.sv").write_text(
        "module odd (input \\a+b , output \\q[0] );\n  wire \\x.y ;\n"
        "  assign \\x.y = \\a+b ;\n  assign \\q[0] = \\x.y ;\nendmodule\n"
    )
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False, jobs=1)
    for name, line in (("a+b", 1), ("q[0]", 1), ("x.y", 2)):
        for asked in (f"\\{name}", f"odd.\\{name} ", f"odd.{name}"):
            (found,) = project.show(asked)["definitions"]
            assert (found["name"], found["line"]) == (f"odd.{name}", line)
        for asked in (f"\\{name}", f"odd.\\{name} "):
            assert project.trace(asked)["drivers"]["nets"][0]["signal"] == f"odd.{name}"


def test_a_type_of_several_files_is_proposed_once(tmp_path: Path) -> None:
    text = "package cfg_pkg;\n  typedef struct packed {logic depth;} cfg_t;\nendpackage\n"
    design = indexed(tmp_path, {"a/cfg_pkg.sv": text, "b/cfg_pkg.sv": text})
    with pytest.raises(UsageError, match=r"did you mean cfg_pkg\.cfg_t\?$"):
        design.who("none_t.depth")
