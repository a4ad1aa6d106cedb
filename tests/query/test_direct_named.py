"""Questions for fields, transitions, gates, widths, addresses and counts of what they name."""

from __future__ import annotations

import pytest

from hdlgraph.project import Project

FILES = {
    "mill_pkg.sv": """\
package mill_pkg;
  parameter int StoneDepth = 4;
  parameter logic [31:0] GrinderBaseAddr = 32'h4000_0000;
  typedef enum logic [1:0] {StIdle, StGrind, StSieve, StDone} mill_st_e;
  typedef struct packed {
    logic [7:0] grain; // what goes in
    logic       wet;
  } load_t;
endpackage
""",
    "mill.sv": """\
module mill import mill_pkg::*; #(parameter int Width = 8, parameter int Depth = StoneDepth) (
  input logic clk_i, input logic rst_ni, input logic go, input logic full, input load_t load,
  output logic [Width-1:0] flour_o
);
  mill_st_e state_d, state_q;
  logic [Width-1:0] stones [Depth];
  logic [15:0] turns;
  always_comb begin
    state_d = state_q;
    case (state_q)
      StIdle: if (go) state_d = StGrind;
      StGrind:
        if (full) state_d = StSieve;
        else if (load.wet) state_d = StIdle;
      StSieve: state_d = StDone;
      default: ;
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  assign flour_o = stones[0];
endmodule
""",
    "clock_gate.sv": """\
module clock_gate (input logic clk_i, input logic en_i, output logic clk_o);
  logic held;
  always_latch if (!clk_i) held = en_i;
  assign clk_o = held & clk_i;
endmodule
""",
    "town.sv": """\
module town import mill_pkg::*; (input logic clk_i, input logic rst_ni, input logic open_i,
  input logic free_clk);
  logic clk_mill, clk_yard;
  clock_gate u_gate (
    .clk_i(clk_i),
    .en_i (open_i),
    .clk_o(clk_mill)
  );
  assign clk_yard = free_clk & open_i;
  mill #(.Width(16), .Depth(2)) u_mill (.clk_i(clk_mill), .rst_ni, .go(1'b1));
  mill u_spare (.clk_i(clk_mill), .rst_ni, .go(1'b0));
  yard u_yard (.clk_i(clk_yard));
  barn u_barn (.clk_i(clk_i));
endmodule
module yard (input logic clk_i);
  mill u_small (.clk_i, .go(1'b1));
endmodule
module barn (input logic clk_i);
endmodule
""",
}


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Project:
    root = tmp_path_factory.mktemp("town")
    for name, text in FILES.items():
        (root / name).write_text(text)
    project = Project(root)
    project.index(graphrag="never", embeddings=False, jobs=1)
    return project


def rows(project: Project, question: str) -> list[str]:
    answer = project.ask(question)
    for one in answer.citations:  # each stands in the text, and its file has the line
        assert f"[{one.place}]" in answer.text
        assert len(project.source_text(one.path).splitlines()) >= one.end_line >= one.line > 0
    return answer.text.splitlines()


def code(row: str) -> str:
    return row.partition("|")[2].strip()


@pytest.mark.parametrize(
    "question",
    [
        "what are the fields of load_t?",
        "which members does the struct load_t have?",
        "list the fields of mill_pkg::load_t",
        "what does load_t contain?",
    ],
)
def test_the_fields_of_a_type_are_told_by_its_lines(town: Project, question: str) -> None:
    found = rows(town, question)
    assert found[0] == "mill_pkg.load_t (struct packed) has 2 fields:"
    assert [code(row) for row in found[2:4]] == [
        "logic [7:0] grain; // what goes in",
        "logic       wet;",
    ]
    assert found[-1] == "[mill_pkg.sv:5-8]"


def test_the_values_of_an_enumeration_are_counted(town: Project) -> None:
    found = rows(town, "how many values does mill_st_e have?")
    assert found[0] == "mill_pkg.mill_st_e (enum logic [1:0]) has 4 values:"


@pytest.mark.parametrize(
    "question",
    [
        "how does mill go from StIdle to StGrind?",
        "when does the state machine of mill move from idle to grind?",
        "what makes StIdle go to StGrind in mill?",
        "under which condition does mill leave StIdle for StGrind?",
        "how does town get from StIdle to StGrind?",
    ],
)
def test_a_transition_is_told_with_its_condition_and_line(town: Project, question: str) -> None:
    found = rows(town, question)
    assert found[:2] == ["mill.state_q goes from StIdle to StGrind:", "- if go:"]
    assert "StIdle: if (go) state_d = StGrind;" in [code(row) for row in found]


def test_states_that_nothing_joins_alone_are_told_the_way_between(town: Project) -> None:
    found = rows(town, "how does mill get from StGrind to StDone?")
    assert found[1] == "StGrind -> StSieve -> StDone:"
    assert [row for row in found if row.startswith("- to")] == [
        "- to StSieve if full:", "- to StDone always:",
    ]  # fmt: skip
    assert "from StDone" not in rows(town, "how does mill get from StDone to StIdle?")[0]


def test_a_gate_of_a_clock_is_a_cell_or_logic(town: Project) -> None:
    found = rows(town, "what gates the clock of mill?")
    assert found[0] == "mill.clk_i comes through town.clk_mill from the gate u_gate (clock_gate):"
    assert ".en_i (open_i)," in [code(row) for row in found]
    assert "mill.clk_i comes through town.clk_yard, which open_i gates:" in found
    assert rows(town, "is the clock of yard gated?")[:2] == [
        "yard.clk_i comes through town.clk_yard, which open_i gates:",
        "    9|   assign clk_yard = free_clk & open_i;",
    ]
    assert "comes" not in rows(town, "what gates the clock of barn?")[0]


def test_the_parameter_of_a_depth_or_width_is_told_with_its_overrides(town: Project) -> None:
    found = rows(town, "which parameter sets the depth of stones in mill?")
    assert found == [
        "mill.stones has Depth elements, 4 by default:",
        "    6|   logic [Width-1:0] stones [Depth];",
        "[mill.sv:6]",
        "- mill.Depth: parameter int = StoneDepth [mill.sv:1]",
        "  - town.u_mill gives it 2 [town.sv:10]",
        "- mill_pkg.StoneDepth: parameter int = 4 [mill_pkg.sv:2]",
    ]
    found = rows(town, "how wide is mill.flour_o?")
    assert found[0] == "mill.flour_o is Width bits wide, 8 by default:"
    assert rows(town, "how wide is turns of mill?")[0] == "mill.turns is 16 bits wide:"
    assert rows(town, "what is the depth of mill?")[0].startswith("mill.Depth: parameter int")


def test_an_address_is_that_of_the_parameter(town: Project) -> None:
    for question in ("at what address is the grinder?", "what is the value of GrinderBaseAddr?"):
        said = " ".join(rows(town, question)[:2])
        assert "32'h4000_0000" in said
        assert "mill_pkg.sv:3" in " ".join(rows(town, question)[:3])
    assert "GrinderBaseAddr" not in rows(town, "at what address is the baker?")[0]


@pytest.mark.parametrize(
    "question",
    [
        "how many modules instantiate mill?",
        "where is mill used and how often?",
        "which modules instantiate mill, and how many times?",
    ],
)
def test_who_instantiates_a_unit_how_often(town: Project, question: str) -> None:
    found = rows(town, question)
    assert found[0].startswith("2 units instantiate mill, 3 times in all")
    assert found[1] == "- town, 2 times, first as u_mill [town.sv:10]"
    assert found[2] == "- yard as u_small [town.sv:16]"


def test_a_unit_is_counted_inside_of_another(town: Project) -> None:
    for question in ("how many mill does town have?", "how often does town instantiate mill?"):
        assert rows(town, question)[0].startswith("mill is instantiated 2 times in town")


TWINS = """\
module twin (input logic clk, output logic [3:0] q_o);
  mill u_one (.clk_i(clk));
{more}endmodule
"""


def test_units_of_one_name_are_counted_apart_and_tests_have_signals(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    root = tmp_path_factory.mktemp("twins")
    (root / "mill.sv").write_text(
        "module mill (input logic clk_i, input logic rst_n);\nendmodule\n"
    )
    for folder, more in (("a", ""), ("b", "  mill u_two (.clk_i(clk));\n")):
        (root / folder).mkdir()
        (root / folder / "twin.sv").write_text(TWINS.format(more=more))
    (root / "tb").mkdir()
    (root / "tb" / "mill_tb.sv").write_text(
        "module mill_tb;\n  logic rst_n;\n  initial rst_n = 1'b0;\n"
        "  mill u_mill (.rst_n);\nendmodule\n"
    )
    project = Project(root)
    project.index(graphrag="never", embeddings=False, jobs=1)
    heads = [row for row in rows(project, "how many mill does twin have?") if "instantiated" in row]
    assert heads == [
        "mill is instantiated 1 time in twin of a/twin.sv (a loop or an array counts once):",
        "mill is instantiated 2 times in twin of b/twin.sv (a loop or an array counts once):",
    ]
    assert rows(project, "who makes rst_n in mill_tb?")[0] == "mill_tb.rst_n is driven in 1 place:"
    assert rows(project, "what is the width of q_o?")[0].endswith("q_o is 4 bits wide:")


HANDLES = """\
interface pin_if (input logic clk);
  logic req, gnt, mon;
  clocking cb @(posedge clk);
    output req;
    input gnt;
  endclocking
  modport dut (input req, output gnt);
endinterface
package pin_pkg;
  class base;
    virtual pin_if vif;
  endclass
  class driver extends base;
    task run();
      vif.cb.req <= 1'b1;
      if (vif.gnt <= 1) vif.mon = 1'b0;
    endtask
  endclass
  class other;
    logic req;
    task run(other o);
      o.req = 1'b1;
    endtask
  endclass
endpackage
module dut (pin_if.dut p);
  assign p.gnt = p.req;
endmodule
module bench;
  logic clk;
  pin_if u_if (clk);
  dut u_dut (.p(u_if));
  initial u_if.req = 1'b0;
endmodule
module mon (input logic a);
endmodule
"""


def test_what_assigns_a_signal_through_its_interface_drives_it(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    root = tmp_path_factory.mktemp("pins")
    (root / "pins.sv").write_text(HANDLES)
    project = Project(root)
    project.index(graphrag="never", embeddings=False, jobs=1)

    def told(question: str) -> list[str]:
        found = rows(project, question)
        return [code(row) for row in found if "|" in row and "=" in row]

    assert rows(project, "what drives req of pin_if?")[0] == (
        "pin_if.req is assigned through its interface on 2 lines:"
    )
    assert told("what drives req of pin_if?") == ["vif.cb.req <= 1'b1;", "initial u_if.req = 1'b0;"]
    assert told("who drives gnt of pin_if?") == ["assign p.gnt = p.req;"]
    assert told("what drives pin_if.mon?") == ["if (vif.gnt <= 1) vif.mon = 1'b0;"]


CHOSEN = """\
module keep #(parameter logic [3:0] First = 4'h1) (
  input logic clk, input logic rst_n, input logic [3:0] d, output logic [3:0] q
);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) q <= First;
    else q <= d;
endmodule
module rack #(parameter bit Fast = 0) (
  input logic clk, input logic rst_n, input logic [3:0] d, output logic [3:0] b_q
);
  logic [3:0] a_q, c_q;
  if (Fast) begin : gen_fast
    keep #(.First(4'h9)) u_a (.clk, .rst_n, .d, .q(a_q));
    always_ff @(posedge clk) b_q <= d;
  end else begin : gen_slow
    keep #(.First(4'h7)) u_b (.clk, .rst_n, .d, .q(a_q));
    always_ff @(posedge clk) b_q <= ~d;
  end
`ifdef EXTRA
  keep u_c (.clk, .rst_n, .d, .q(c_q));
`endif
endmodule
"""


def test_registers_are_told_with_the_condition_that_they_stand_under(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    from hdlgraph.serve.cli.text.definitions import show_definitions

    root = tmp_path_factory.mktemp("chosen")
    (root / "rack.sv").write_text(CHOSEN)
    project = Project(root)
    project.index(graphrag="never", embeddings=False, jobs=1)
    found = rows(project, "what does a_q of rack reset to?")
    assert [row for row in found if row.startswith(("rack", "First"))] == [
        "rack.a_q is the output q of gen_fast.u_a, if Fast:",
        "First of gen_fast.u_a is 4'h9 [rack.sv:13]",
        "rack.a_q is the output q of gen_slow.u_b, if !Fast:",
        "First of gen_slow.u_b is 4'h7 [rack.sv:16]",
    ]
    found = rows(project, "what does c_q of rack reset to?")
    assert found[0] == "rack.c_q is the output q of u_c, under `ifdef EXTRA:"
    shown = project.show("rack.b_q")
    (one,) = shown["definitions"]
    assert [at["condition"] for at in one["clocked"]] == ["Fast", "!Fast"]
    show_definitions(shown)
    told = " ".join(capsys.readouterr().out.split())
    assert "(rack.sv:14), only if Fast register @(posedge clk) (rack.sv:17), only if !Fast" in told
